// A plan before the work and a look at the answer behind it: turns without tools, shown as events, never as content.

import { afterEach, describe, expect, it } from "@jest/globals";
import { sendError } from "../../support/FakeUpstream.ts";
import {
  type Answer,
  KINDS,
  type ScriptedGateway,
  scriptedGateway,
  streamed,
} from "../../support/runs/scriptedGateway.ts";

const AGENT = (keys: string) => `
upstreams: [{ id: up, base_url: "\${env.UPSTREAM}" }]
agents: [{ id: default, tools: [calculator], ${keys} }]
`;
const QUESTION = { model: "m", messages: [{ role: "user", content: "What is 17 times 23?" }] };
const CALL: Answer = { calls: [["calculator", { expression: "17*23" }]] };

let testGateway: ScriptedGateway;
afterEach(() => testGateway.close());

const offersCalls = (body: object): boolean =>
  "tools" in body && !("tool_choice" in body && body.tool_choice === "none");

describe.each(KINDS)("a plan of a %s model", (kind) => {
  it("comes before the work, in a turn that may not call, and the model has it before it from then on", async () => {
    testGateway = await scriptedGateway(AGENT("plan: true"), kind);
    testGateway.script = ["1. Multiply.", CALL, "It is 391."];
    const { events, text } = await streamed(testGateway, QUESTION);
    expect(text).toBe("It is 391.");
    expect(events).toContainEqual({ type: "plan", text: "1. Multiply." });
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "answered", turns: 3 });
    const [plan, work] = testGateway.asked;
    expect(plan && offersCalls(plan)).toBe(false);
    expect(JSON.stringify(plan?.messages)).toContain("calculator");
    expect(JSON.stringify(work?.messages)).toContain("1. Multiply.");
    // The demand for a plan is of its own turn alone.
    expect(JSON.stringify(work?.messages)).not.toContain("Do not begin yet");
    expect(work?.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("takes one of the run's turns, and none where only one is allowed", async () => {
    testGateway = await scriptedGateway(AGENT("plan: true, max_iterations: 1"), kind);
    testGateway.script = ["It is 391."];
    const { events } = await streamed(testGateway, QUESTION);
    expect(events.map(({ type }) => type)).not.toContain("plan");
    expect(testGateway.asked).toHaveLength(1);
  });
});

describe.each(KINDS)("a look at the answer of a %s model", (kind) => {
  it("that confirms it lets it out, and nothing was streamed before", async () => {
    testGateway = await scriptedGateway(AGENT("reflect: true"), kind);
    testGateway.script = [CALL, "It is 391.", "CONFIRMED"];
    const { events, text, last } = await streamed(testGateway, QUESTION);
    expect(text).toBe("It is 391.");
    expect(last.choices[0].finish_reason).toBe("stop");
    expect(events).toContainEqual({ type: "reflection", confirmed: true, text: "CONFIRMED" });
    expect(testGateway.asked.map(offersCalls).at(-1)).toBe(false);
  });

  it("that does not sends the model back to work once, and only the later answer is content", async () => {
    testGateway = await scriptedGateway(AGENT("reflect: true"), kind);
    testGateway.script = ["It is 390.", "You did not calculate it.", CALL, "It is 391."];
    const { body } = await testGateway.ask(QUESTION);
    expect(body.choices[0].message.content).toBe("It is 391.");
    expect(body.postel.outcome).toBe("answered");
    // One look a run: the second answer counts as it is.
    expect(testGateway.asked).toHaveLength(4);
    expect(JSON.stringify(testGateway.asked[2]?.messages)).toContain("You did not calculate it.");
  });

  it("is not taken where no turn would be left to mend what it finds", async () => {
    testGateway = await scriptedGateway(AGENT("reflect: true, max_iterations: 2"), kind);
    testGateway.script = ["It is 391."];
    const { body } = await testGateway.ask(QUESTION);
    expect(body.choices[0].message.content).toBe("It is 391.");
    expect(testGateway.asked).toHaveLength(1);
  });

  it("goes before the output, which is read out of the answer that counts", async () => {
    const output = "output: { type: object, properties: { sum: { type: integer } }, required: [sum] }";
    testGateway = await scriptedGateway(AGENT(`plan: true, reflect: true, ${output}`), kind);
    testGateway.script = ["1. Multiply.", CALL, "It is 391.", "CONFIRMED", '{"sum": 391}'];
    const { body } = await testGateway.ask(QUESTION);
    expect(body).toMatchObject({ choices: [{ message: { content: "It is 391." } }], output: { sum: 391 } });
  });
});

it("a look that its upstream fails takes nothing of the answer with it", async () => {
  testGateway = await scriptedGateway(AGENT("reflect: true"), "native");
  testGateway.script = ["It is 391.", (response) => sendError(response, 400, "not now")];
  const { status, body } = await testGateway.ask(QUESTION);
  expect(status).toBe(400);
  expect(body.error.partial).toMatchObject({ content: "It is 391." });
});

describe("an input", () => {
  const inputs = "inputs: { type: object, properties: { net: { type: number } }, required: [net] }";
  const yaml = AGENT(`${inputs}, task: "What is \${input.net} with tax?"`);

  it.each([
    ["that lacks a field", {}, "input.net"],
    ["that has another type", { net: "much" }, "input.net"],
  ])("%s is refused by the field's name before the model is asked", async (_title, input, param) => {
    testGateway = await scriptedGateway(yaml, "native");
    const { status, body } = await testGateway.ask({ model: "m", input });
    expect([status, body.error.param]).toEqual([400, param]);
    expect(testGateway.asked).toHaveLength(0);
  });

  it("that fits fills the task, a number that was written as a text too", async () => {
    testGateway = await scriptedGateway(yaml, "native");
    testGateway.script = ["It is 119."];
    const { status } = await testGateway.ask({ model: "m", input: { net: "100" } });
    expect(status).toBe(200);
    expect(testGateway.asked[0]?.messages.at(-1)?.content).toBe("Task: What is 100 with tax?");
  });
});

describe.each(KINDS)("a first turn of a %s model that must call", (kind) => {
  it("is asked again where it only speaks, and the turns behind it are free", async () => {
    testGateway = await scriptedGateway(AGENT("first_tool: required"), kind);
    testGateway.script = ["It is about 390.", CALL, "It is 391."];
    const { body } = await testGateway.ask(QUESTION);
    expect(body.choices[0].message.content).toBe("It is 391.");
    expect(testGateway.asked).toHaveLength(3);
  });
});

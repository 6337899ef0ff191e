// A run whose work is followed by an output: read out of it without tools, checked, asked for again, or told to be missing.
import { afterEach, describe, expect, it } from "@jest/globals";
import { KINDS, type ScriptedGateway, scriptedGateway, streamed } from "../../support/runs/scriptedGateway.ts";

const YAML = `
upstreams: [{ id: up, base_url: "\${env.UPSTREAM}" }]
agents: [{ id: default, tools: [calculator], max_iterations: 3 }]
`;
const FORM = {
  type: "object",
  properties: { sum: { type: "integer" }, unit: { type: "string" } },
  required: ["sum", "unit"],
  additionalProperties: false,
};
const QUESTION = { model: "m", messages: [{ role: "user", content: "What is 17 times 23?" }], output: FORM };
const WORK = [{ calls: [["calculator", { expression: "17*23" }]] }, "17 times 23 is 391."] as const;

let testGateway: ScriptedGateway;
afterEach(() => testGateway.close());

describe.each(KINDS)("an output that is asked for beside the answer of a %s model", (kind) => {
  it("is read out of the finished work without tools, and stands parsed beside the content", async () => {
    testGateway = await scriptedGateway(YAML, kind);
    testGateway.script = [...WORK, '{"sum": 391, "unit": "none"}'];
    const { status, body } = await testGateway.ask(QUESTION);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      choices: [{ message: { content: "17 times 23 is 391." }, finish_reason: "stop" }],
      output: { sum: 391, unit: "none" },
      postel: { outcome: "answered" },
    });
    expect(testGateway.asked).toHaveLength(3);
    const [, , extraction] = testGateway.asked;
    expect(extraction?.tools === undefined || (extraction as { tool_choice?: string }).tool_choice === "none").toBe(
      true,
    );
    expect(JSON.stringify(extraction?.messages)).toContain("391");
  });

  it("is asked for again where it does not fit its schema, and nothing of it is content", async () => {
    testGateway = await scriptedGateway(YAML, kind);
    testGateway.script = [...WORK, '{"sum": "many"}', '```json\n{"sum": "391", "unit": "none"}\n```'];
    const { events, text, last } = await streamed(testGateway, QUESTION);
    expect(text).toBe("17 times 23 is 391.");
    expect(last).toMatchObject({ choices: [{ finish_reason: "stop" }], output: { sum: 391, unit: "none" } });
    expect(events).toContainEqual({ type: "extraction", output: { sum: 391, unit: "none" } });
    expect(events.filter(({ reason }) => String(reason).startsWith("invalid output"))).toHaveLength(1);
    expect(testGateway.asked[3]?.messages.at(-1)?.content).toContain("does not have the form");
  });

  it("is missing, with the reason, where the run was stopped before its work was done", async () => {
    testGateway = await scriptedGateway(YAML, kind);
    const looking = (n: number) => ({ calls: [["calculator", { expression: `${n}+${n}` }]] as const });
    testGateway.script = [looking(1), looking(2), looking(3), '{"sum": 6, "unit": "none"}'];
    const { body } = await testGateway.ask(QUESTION);
    expect(body.output).toBeNull();
    expect(body.choices[0].finish_reason).toBe("length");
    expect(body.postel.output_missing).toMatch(/max-turns|limit/);
    expect(testGateway.asked.length).toBeLessThanOrEqual(3);
  });

  it("that never fits is a typed failure which holds the answer, never another output", async () => {
    testGateway = await scriptedGateway(YAML, kind);
    testGateway.script = [...WORK, "no form", "no form", "no form"];
    const { status, body } = await testGateway.ask(QUESTION);
    expect(status).toBe(502);
    expect(body.error).toMatchObject({ code: "model_output_invalid", partial: { content: "17 times 23 is 391." } });
  });
});

it("a schema that is none is refused by its field before the model is asked", async () => {
  testGateway = await scriptedGateway(YAML, "native");
  const { status, body } = await testGateway.ask({ ...QUESTION, output: { type: "thing" } });
  expect(status).toBe(400);
  expect(body.error.param).toBe("output");
  expect(testGateway.asked).toHaveLength(0);
});

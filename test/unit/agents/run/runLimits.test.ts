// How many calls of an answer and of a run are run or handed over, and what becomes of the rest.
import { describe, expect, it } from "@jest/globals";
import type { AgentRunRequest } from "../../../../src/agents/AgentRunRequest.ts";
import type { RunEvent } from "../../../../src/core/events/events.ts";
import type { RunLimits } from "../../../../src/core/requests.ts";
import {
  AGENT,
  chat,
  type GatewayOptions,
  gateway,
  LIMITS,
  listOf,
  never,
  tool,
} from "../../../support/agents/gateway.ts";
import { collect } from "../../../support/events.ts";
import { calls, endsWith, fragments, ScriptedModel, type Step, says } from "../../../support/ScriptedModel.ts";

const SENTENCE = "in plain words";

function search(q: string | number) {
  return { name: "search", arguments: JSON.stringify({ q: String(q) }) };
}

function many(count: number, name = "search") {
  return calls(...Array.from({ length: count }, (_, index) => ({ ...search(index), name })));
}

async function run(steps: readonly Step[], request: Partial<AgentRunRequest> = {}, options: GatewayOptions = {}) {
  const model = new ScriptedModel(...steps);
  let ran = 0;
  const tools = [tool("search", ({ q }) => `found ${String(q)}, ${++ran}`), tool("add", () => "4")];
  const { runner } = gateway(model, { tools, ...options });
  const events = await listOf(runner.run({ chat: chat(), ...request }, never));
  model.verify();
  return { ran, requests: model.requests, events, ...(await collect(replay(events))) };
}

async function* replay(events: readonly RunEvent[]) {
  yield* events;
}

function limited(limits: Partial<RunLimits>): GatewayOptions {
  return { agents: [{ ...AGENT, limits: { ...LIMITS, ...limits } }] };
}

describe("a model that makes a thousand calls at once", () => {
  it("has sixteen run, and reads of each of the others that it was not", async () => {
    const { ran, requests, issues, outcome } = await run([many(1_000), says("Done.")]);
    expect({ ran, outcome }).toEqual({ ran: 16, outcome: "answered" });
    const [, assistant, ...results] = requests[1]?.messages ?? [];
    expect(results.map(({ role, toolCallId }) => [role, toolCallId])).toEqual(
      assistant?.toolCalls?.map(({ id }) => ["tool", id]),
    );
    expect(results).toHaveLength(1_000);
    expect(results.filter(({ content }) => String(content).startsWith("found"))).toHaveLength(16);
    expect(results[16]?.content).toMatch(/^Error: this call was not run\. Of one answer only 16 calls are run/);
    expect(issues).toEqual([
      { code: "too-many-calls", message: expect.stringMatching(/1000 calls .* 984 of them .*calls_per_turn/) },
    ]);
  });

  it("hands a chat client the first hundred and twenty-eight, and says how many were left out", async () => {
    const model = new ScriptedModel(many(1_000, "open_window"));
    const tools = [{ name: "open_window" }];
    const { calls: shown, issues, end } = await collect(gateway(model).runner.complete(chat({ tools }), never));
    expect(shown).toHaveLength(128);
    expect(end?.finishReason).toBe("tool_calls");
    expect(issues).toEqual([
      { code: "too-many-calls", message: expect.stringMatching(/^872 further calls .*128.*max_client_calls/) },
    ]);
  });

  it("keeps to the client's limit where the calls leave as they came, too", async () => {
    const wrong = Array.from({ length: 200 }, () => ({ name: "nobody", arguments: "{" }));
    const model = new ScriptedModel(
      endsWith("tool_calls", ...fragments(...wrong.map((one, at) => ({ ...one, arguments: `{${at}` })))),
    );
    const asked = chat({ tools: [{ name: "open_window" }], onInvalid: "pass" });
    const { calls: shown } = await collect(gateway(model, { maxCorrections: 0 }).runner.complete(asked, never));
    expect(shown).toHaveLength(128);
  });
});

describe("a run that has made its calls", () => {
  it("asks for the answer with the last results, and runs no more than may be", async () => {
    const { ran, requests, outcome } = await run(
      [many(3), calls(search("a"), search("b"), search("c")), says("Done.")],
      {},
      limited({ maxCalls: 4 }),
    );
    expect({ ran, outcome }).toEqual({ ran: 4, outcome: "answered" });
    const last = requests[2]?.messages.slice(-3).map(({ content }) => String(content));
    expect(last?.filter((text) => text.startsWith("found"))).toHaveLength(1);
    expect(last?.[1]).toMatch(/^Error: this call was not run\. No further tool can be called/);
    expect(last?.[2]).toContain(SENTENCE);
  });

  it("stops as its budget is used up where the model only calls on", async () => {
    const { ran, outcome, end } = await run([many(4), calls(search("more"))], {}, limited({ maxCalls: 4 }));
    expect({ ran, outcome }).toEqual({ ran: 4, outcome: "budget" });
    expect(end?.finishReason).toBe("length");
  });
});

describe("a run that has spent its tokens", () => {
  // Each turn of the script costs 15.
  it("is asked for the answer before the turn that would spend the last, and stops after it", async () => {
    const steps = [1, 2, 3].map((q) => calls(search(q)));
    const { ran, outcome, requests } = await run(steps, {}, limited({ totalTokens: 45 }));
    expect({ ran, outcome }).toEqual({ ran: 2, outcome: "budget" });
    const asked = requests.map(({ messages }) => String(messages.at(-1)?.content).includes(SENTENCE));
    expect(asked).toEqual([false, false, true]);
  });

  it("still has its answer where the model gives one", async () => {
    const { outcome } = await run([calls(search(1)), says("Done.")], {}, limited({ totalTokens: 30 }));
    expect(outcome).toBe("answered");
  });
});

describe("a model that goes round in a circle", () => {
  it.each([2, 3, 4])("of %s turns is asked to answer, and stopped before its turns are spent", async (length) => {
    const steps = Array.from({ length: length + 4 }, (_, at) =>
      calls({ name: "add", arguments: `{"n":${at % length}}` }),
    );
    const { outcome, requests } = await run(steps, {}, limited({ maxTurns: 20 }));
    expect({ outcome }).toEqual({ outcome: "repeats" });
    const asked = requests.map(({ messages }) => String(messages.at(-1)?.content).includes(SENTENCE));
    expect(asked.indexOf(true)).toBe(length + 2);
  });

  it("goes on where its calls bring something new each time", async () => {
    const steps = Array.from({ length: 10 }, (_, at) => calls(search(at % 2)));
    const { ran, outcome } = await run([...steps, says("Done.")], {}, limited({ maxTurns: 20 }));
    expect({ ran, outcome }).toEqual({ ran: 10, outcome: "answered" });
  });
});

describe("the caller's own limits", () => {
  it("lower the operator's turns and never raise them", async () => {
    const steps = [1, 2, 3].map((q) => calls(search(q)));
    const high = await run(steps, { limits: { maxTurns: 100 } }, limited({ maxTurns: 3 }));
    const low = await run(steps.slice(0, 2), { limits: { maxTurns: 2 } }, limited({ maxTurns: 3 }));
    expect([high.outcome, high.requests.length]).toEqual(["max-turns", 3]);
    expect([low.outcome, low.requests.length]).toEqual(["max-turns", 2]);
  });

  it("lower the operator's time and never raise it", async () => {
    const model = new ScriptedModel("hang");
    const { runner, clock } = gateway(model);
    const collecting = collect(runner.run({ chat: chat(), limits: { timeoutMs: 3_600_000 } }, never));
    await model.hanging;
    clock.advance(LIMITS.timeoutMs);
    expect(await collecting).toMatchObject({ outcome: "timeout" });
  });
});

describe("tool_choice none", () => {
  it.each(["error", "text", "pass"] as const)("lets no structured call leave (on_invalid: %s)", async (onInvalid) => {
    const model = new ScriptedModel(calls(search("x")), calls(search("x")), calls(search("x")));
    const asked = chat({ tools: [{ name: "search" }], toolChoice: { type: "none" }, onInvalid });
    const { calls: shown, issues } = await collect(gateway(model).runner.complete(asked, never));
    expect(shown).toEqual([]);
    expect(issues.map(({ code }) => code)).toContain("stray-mark");
  });
});

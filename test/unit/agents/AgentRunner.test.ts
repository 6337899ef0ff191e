import { describe, expect, it } from "@jest/globals";
import type { AgentRunRequest } from "../../../src/agents/AgentRunRequest.ts";
import type { RunEvent } from "../../../src/core/events/events.ts";
import {
  AGENT,
  chat,
  type GatewayOptions,
  gateway,
  LIMITS,
  listOf,
  never,
  tool,
} from "../../support/agents/gateway.ts";
import { collect } from "../../support/events.ts";
import {
  calls,
  endsWith,
  fragments,
  refusesTools,
  ScriptedModel,
  type Step,
  says,
} from "../../support/ScriptedModel.ts";

const SEARCH = { name: "search", arguments: '{"q":"Paris"}' };
const UNENDING = new Promise<string>(() => undefined);
const CLIENT_TOOL = { name: "open_window", parameters: { type: "object", properties: {} } };

async function run(steps: readonly Step[], request: Partial<AgentRunRequest> = {}, options: GatewayOptions = {}) {
  const model = new ScriptedModel(...steps);
  const { runner, observed, clock } = gateway(model, options);
  const events = await listOf(runner.run({ chat: chat(), ...request }, never));
  model.verify();
  // Observers are told everything but the words.
  expect(observed).toEqual(events.filter(({ type }) => type !== "text-delta" && type !== "reasoning-delta"));
  expect(clock.pending).toBe(0);
  const types = events.map(({ type }) => type);
  return { events, types, requests: model.requests, ...(await collect(replay(events))) };
}

async function* replay(events: readonly RunEvent[]) {
  yield* events;
}

describe("AgentRunner: a run", () => {
  it("executes its tools and answers", async () => {
    const { types, text, end, outcome, runId, calls: shown, requests } = await run([calls(SEARCH), says("In France.")]);
    expect(types).toEqual([
      "run-start",
      "turn-start",
      "tool-start",
      "tool-result",
      "turn-end",
      "turn-start",
      "text-delta",
      "turn-end",
      "run-end",
    ]);
    expect({ text, outcome, runId, shown }).toEqual({
      text: "In France.",
      outcome: "answered",
      runId: "req1",
      shown: [],
    });
    expect(end).toMatchObject({ finishReason: "stop", attempts: 2, usage: { totalTokens: 30 } });
    expect(requests[1]?.messages.slice(1)).toEqual([
      { role: "assistant", content: null, toolCalls: [expect.objectContaining({ id: "call_0", name: "search" })] },
      { role: "tool", content: "Paris is in France.", toolCallId: "call_0", name: "search" },
    ]);
  });

  it("never says tool_calls for a call that it ran itself", async () => {
    const { events } = await run([calls(SEARCH), says("Done.")]);
    const ends = events.filter((event) => event.type === "turn-end");
    expect(ends.map(({ finishReason }) => finishReason)).toEqual(["stop", "stop"]);
  });

  it("joins the text of its turns by a blank line that no stored message has", async () => {
    const looking = endsWith("tool_calls", { type: "text", text: "Let me look." }, ...fragments(SEARCH));
    const { text, requests } = await run([looking, looking, says("In France.")]);
    expect(text).toBe("Let me look.\n\nLet me look.\n\nIn France.");
    const stored = requests[2]?.messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
    expect(stored).toEqual(["Let me look.", "Let me look."]);
  });

  it("runs parallel calls in parallel and tells results in the order of the calls", async () => {
    const first = Promise.withResolvers<string>();
    const tools = [
      tool("search", () => first.promise),
      tool("add", () => {
        first.resolve("late");
        return 4;
      }),
    ];
    const { events } = await run([calls(SEARCH, { name: "add", arguments: "{}" }), says("Done.")], {}, { tools });
    const results = events.filter((event) => event.type === "tool-result");
    expect(results.map(({ name, content }) => [name, content])).toEqual([
      ["search", "late"],
      ["add", "4"],
    ]);
  });

  it.each([
    ["that a client wants as it came", { onInvalid: "pass" }, 3],
    ["that nobody reads", { parse: "off" }, 1],
  ] as const)(
    "runs no tool of its own with arguments that its schema forbids, of a call %s",
    async (_title, wish, asked) => {
      const ran: unknown[] = [];
      const tools = [tool("search", (args) => ran.push(args)), tool("add", () => 4)];
      const unfit = calls({ name: "search", arguments: '{"n":"many"}' });
      const fit = calls({ name: "search", arguments: '{"n":"3"}' });
      const steps = [...Array.from({ length: asked }, () => unfit), fit, says("Done.")];
      const { text, events } = await run(steps, { chat: chat(wish) }, { tools });
      expect(text).toBe("Done.");
      expect(ran).toEqual([{ n: 3 }]);
      const results = events.filter((event) => event.type === "tool-result");
      expect(results.map(({ isError }) => isError)).toEqual([true, false]);
      expect(results[0]?.content).toContain("do not fit");
    },
  );

  it("shows no upstream a call in its history that no server could read", async () => {
    const cut = calls({ name: "search", arguments: '{"q":' });
    const { requests } = await run([cut, says("Done.")], { chat: chat({ parse: "off" }) });
    const [call] = requests[1]?.messages.find(({ role }) => role === "assistant")?.toolCalls ?? [];
    expect(call).toMatchObject({ id: "call_0", name: "search", arguments: "{}" });
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", toolCallId: "call_0" });
  });

  it("gives a tool's error to the model to read", async () => {
    const tools = [
      tool("search", () => {
        throw new Error("no index");
      }),
      tool("add", () => 4),
    ];
    const { requests, text } = await run([calls(SEARCH), says("Sorry.")], {}, { tools });
    expect(requests[1]?.messages.at(-1)?.content).toContain("no index");
    expect(text).toBe("Sorry.");
  });

  it("demands a call only of its first turn", async () => {
    const { requests } = await run([calls(SEARCH), says("Done.")], {
      chat: chat({ toolChoice: { type: "required" } }),
    });
    expect(requests.map(({ toolChoice }) => toolChoice.type)).toEqual(["required", "auto"]);
  });

  it("works the same where a model knows calls as text only", async () => {
    const leak = '<tool_call>\n{"name": "search", "arguments": {"q": "Paris"}}\n</tool_call>';
    const { text, requests } = await run([refusesTools(), says(leak), says("In France.")]);
    expect(text).toBe("In France.");
    expect(requests[2]?.messages.every(({ role }) => role !== "tool")).toBe(true);
    expect(JSON.stringify(requests[2]?.messages)).toContain("Paris is in France.");
  });

  it("shows only the last turn's content where the output has a schema", async () => {
    const looking = endsWith("tool_calls", { type: "text", text: "Let me look." }, ...fragments(SEARCH));
    const { text, requests } = await run([looking, says('{"city":', '"Paris"}')], {
      chat: chat({ output: { type: "json_object" } }),
    });
    expect(text).toBe('{"city":"Paris"}');
    expect(requests[1]?.messages.find(({ role }) => role === "assistant")?.content).toBeNull();
  });

  it.each([true, false])("fails as a whole where a turn's call never becomes valid (stream: %s)", async (stream) => {
    const unreadable = says('<tool_call>{"name": "search", "arguments": {"n": "many"}}</tool_call>');
    const { types, failure, outcome } = await run([calls(SEARCH), unreadable, unreadable, unreadable], {
      chat: chat({ stream }),
    });
    expect(types.slice(-2)).toEqual(["turn-failed", "run-end"]);
    expect(failure?.code).toBe("model_call_invalid");
    expect(outcome).toBe("failed");
  });

  it("fails as a whole where a later turn fails", async () => {
    const broken: Step = [{ type: "failed", failure: { fault: "upstream", code: "upstream_error", message: "500" } }];
    const { types, failure, outcome } = await run([calls(SEARCH), broken]);
    expect(types.slice(-2)).toEqual(["turn-failed", "run-end"]);
    expect([failure?.code, outcome]).toEqual(["upstream_error", "failed"]);
  });
});

describe("AgentRunner: a run with tools of the client", () => {
  const request = { chat: chat({ tools: [CLIENT_TOOL] }) };
  const OPEN = { name: "open_window", arguments: "{}" };

  it("hands a call over", async () => {
    const { types, calls: shown, end, outcome } = await run([calls(OPEN)], request);
    expect(types).toEqual(["run-start", "turn-start", "tool-call", "turn-end", "run-end"]);
    expect(shown.map(({ name }) => name)).toEqual(["open_window"]);
    expect(end?.finishReason).toBe("tool_calls");
    expect(outcome).toBe("handed-over");
  });

  it("runs its own calls of a mixed turn, and their results reach the client's history", async () => {
    const { types, calls: shown, text, outcome } = await run([calls(SEARCH, OPEN)], request);
    expect(types).toEqual([
      "run-start",
      "turn-start",
      "tool-start",
      "tool-result",
      "text-delta",
      "tool-call",
      "turn-end",
      "run-end",
    ]);
    expect(shown.map(({ name }) => name)).toEqual(["open_window"]);
    expect(text).toContain('search({"q":"Paris"}) returned:\nParis is in France.');
    expect(outcome).toBe("handed-over");
  });

  it("hands over what earlier turns found, too", async () => {
    const { text } = await run([calls(SEARCH), calls(OPEN)], request);
    expect(text).toContain("Paris is in France.");
  });

  it("refuses a name that is taken before any model is asked", async () => {
    const { types, failure } = await run([], { chat: chat({ tools: [CLIENT_TOOL, { name: "search" }] }) });
    expect(types).toEqual(["turn-failed"]);
    expect(failure).toMatchObject({ code: "invalid_request", details: { param: "tools[1].function.name" } });
  });
});

describe("AgentRunner: the limits of a run", () => {
  it("stops after its last turn without running that turn's calls", async () => {
    const { types, end, outcome } = await run([calls(SEARCH), calls(SEARCH)], { limits: { maxTurns: 2 } });
    expect(types.filter((type) => type === "tool-start")).toHaveLength(1);
    expect(end?.finishReason).toBe("length");
    expect({ outcome }).toEqual({ outcome: "max-turns" });
  });

  it("asks a model that repeats itself to answer from the second time on, and stops it at the fifth", async () => {
    const { requests, outcome, types } = await run(Array.from({ length: 5 }, () => calls(SEARCH)));
    const asked = requests.map(({ messages }) => String(messages.at(-1)?.content).includes("in plain words"));
    expect(asked).toEqual([false, false, true, true, true]);
    expect(types.filter((type) => type === "tool-start")).toHaveLength(1);
    expect(types.filter((type) => type === "tool-result")).toHaveLength(1);
    expect({ outcome }).toEqual({ outcome: "repeats" });
  });

  it("ends a turn that outlasts the run's time, and keeps what was said", async () => {
    const model = new ScriptedModel("hang");
    const { runner, clock } = gateway(model);
    const collecting = collect(runner.run({ chat: chat(), limits: { timeoutMs: 1_000 } }, never));
    await model.hanging;
    clock.advance(1_000);
    const { end, outcome, failure } = await collecting;
    expect(end).toMatchObject({ finishReason: "length", usagePartial: true, attempts: 1 });
    expect({ outcome }).toEqual({ outcome: "timeout" });
    expect(failure).toBeUndefined();
    expect(model.aborted).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it("ends tools that outlast the run's time", async () => {
    const started = Promise.withResolvers<void>();
    const tools = [
      tool("add", () => 4),
      tool("search", () => {
        started.resolve();
        return UNENDING;
      }),
    ];
    const model = new ScriptedModel(calls(SEARCH));
    const { runner, clock } = gateway(model, { tools });
    const collecting = collect(runner.run({ chat: chat() }, never));
    await started.promise;
    clock.advance(LIMITS.timeoutMs);
    expect(await collecting).toMatchObject({ outcome: "timeout", end: { finishReason: "length" } });
    model.verify();
  });

  it("is cancelled by its caller while a model speaks", async () => {
    const model = new ScriptedModel("hang");
    const { runner, clock } = gateway(model);
    const caller = new AbortController();
    const listing = listOf(runner.run({ chat: chat() }, caller.signal));
    await model.hanging;
    caller.abort();
    const events = await listing;
    expect(events.map(({ type }) => type)).toEqual(["run-start", "turn-start", "turn-failed", "run-end"]);
    expect(events.at(-2)).toMatchObject({ failure: { code: "cancelled" } });
    expect(clock.pending).toBe(0);
  });

  it("is cancelled by its caller while a tool runs", async () => {
    const caller = new AbortController();
    const tools = [
      tool("add", () => 4),
      tool("search", () => {
        caller.abort();
        return UNENDING;
      }),
    ];
    const model = new ScriptedModel(calls(SEARCH));
    const { runner } = gateway(model, { tools });
    const events = await listOf(runner.run({ chat: chat() }, caller.signal));
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "cancelled" });
    model.verify();
  });

  it("lets go of the model when its listener leaves", async () => {
    const model = new ScriptedModel(says("a", "b", "c"));
    const { runner, clock } = gateway(model);
    for await (const event of runner.run({ chat: chat() }, never)) {
      if (event.type === "text-delta") break;
    }
    expect(clock.pending).toBe(0);
  });
});

describe("AgentRunner: the tools of a run", () => {
  const search = tool("search", () => "Paris is in France.");
  const agents = [{ ...AGENT, tools: [{ tool: "search" }] }];

  it("are those that their source lists when it begins", async () => {
    let answer = "first";
    const source = { hasChanged: true, list: async () => [tool("search", () => answer)] };
    const model = new ScriptedModel(calls(SEARCH), says("Done."), calls(SEARCH), says("Done."));
    const { runner } = gateway(model, { source, agents });
    await listOf(runner.run({ chat: chat() }, never));
    answer = "second";
    await listOf(runner.run({ chat: chat() }, never));
    expect([1, 3].map((at) => model.requests[at]?.messages.at(-1)?.content)).toEqual(["first", "second"]);
  });

  it("are those that the source listed before where it cannot tell now, and the log says so", async () => {
    let listed = 0;
    const list = async () => {
      listed += 1;
      if (listed > 1) throw new Error("gone");
      return [search];
    };
    const model = new ScriptedModel(says("One."), calls(SEARCH), says("Two."));
    const { runner, failures } = gateway(model, { source: { hasChanged: true, list }, agents });
    await listOf(runner.run({ chat: chat() }, never));
    expect(await collect(runner.run({ chat: chat() }, never))).toMatchObject({ text: "Two.", outcome: "answered" });
    expect(failures).toMatchObject([{ message: expect.stringContaining("gone") }]);
  });

  it("are asked of nobody for a chat completion", async () => {
    const list = () => Promise.reject(new Error("asked"));
    const { runner, failures } = gateway(new ScriptedModel(says("Hi.")), { source: { hasChanged: true, list } });
    expect(await collect(runner.complete(chat(), never))).toMatchObject({ text: "Hi." });
    expect(failures).toEqual([]);
  });
});

describe("AgentRunner: the agent of a run", () => {
  const agents = [
    {
      ...AGENT,
      id: "writer",
      model: "writer-model",
      systemPrompt: "You write.",
      tools: [],
      sampling: { temperature: 0.5 },
    },
    { ...AGENT, systemPrompt: "You help." },
  ];

  const choices: readonly [string, string, string | undefined, string, string][] = [
    ["the one that the model's name means, with its own model", "writer", undefined, "writer-model", "You write."],
    ["the one that is named, with the caller's model", "m", "writer", "m", "You write."],
    [
      "the one that is named, with its own model where the name of an agent is all there is",
      "writer",
      "writer",
      "writer-model",
      "You write.",
    ],
    ["the default, with the caller's model", "m", undefined, "m", "You help."],
  ];
  it.each(choices)("is %s", async (_title, model, agent, asked, prompt) => {
    const { requests } = await run([says("Hi.")], { chat: chat({ model }), agent }, { agents });
    expect(requests[0]?.model).toBe(asked);
    expect(requests[0]?.messages[0]).toEqual({ role: "system", content: prompt });
  });

  it("speaks before the caller's own system message, in one message with it", async () => {
    const own = chat({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
    });
    const { requests } = await run([says("Hi.")], { chat: own }, { agents });
    expect(requests[0]?.messages.map(({ content }) => content)).toEqual(["You help.\n\nBe brief.", "Hi"]);
  });

  it("lends its sampling where the caller said nothing", async () => {
    const own = chat({ model: "writer", sampling: { topP: 0.1, temperature: undefined } });
    const { requests } = await run([says("Hi.")], { chat: own }, { agents });
    expect(requests[0]?.sampling).toEqual({ temperature: 0.5, topP: 0.1 });
  });

  it("must exist, and is told which do", async () => {
    const { failure } = await run([], { agent: "nobody" }, { agents });
    expect(failure).toMatchObject({ code: "agent_not_found", message: expect.stringContaining("there is writer") });
  });

  it("may be missing: then the run has the client's tools alone", async () => {
    const { requests } = await run([says("Hi.")], { chat: chat({ tools: [CLIENT_TOOL] }) }, { agents: [] });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["open_window"]);
  });
});

describe("AgentRunner: a chat completion", () => {
  it("is one turn without the events of a run", async () => {
    const model = new ScriptedModel(calls({ name: "open_window", arguments: "{}" }));
    const { runner, clock } = gateway(model);
    const events = await listOf(runner.complete(chat({ tools: [CLIENT_TOOL] }), never));
    expect(events.map(({ type }) => type)).toEqual(["turn-start", "tool-call", "turn-end"]);
    expect(events.at(-1)).toMatchObject({ finishReason: "tool_calls" });
    expect(clock.pending).toBe(0);
    model.verify();
  });

  it("leaves a call to the client even where the gateway has a tool of that name", async () => {
    const model = new ScriptedModel(calls(SEARCH));
    const { runner } = gateway(model);
    const { calls: shown } = await collect(runner.complete(chat({ tools: [{ name: "search" }] }), never));
    expect(shown).toHaveLength(1);
  });

  it("ends in one failure where its caller leaves", async () => {
    const model = new ScriptedModel("hang");
    const { runner } = gateway(model);
    const caller = new AbortController();
    const collecting = listOf(runner.complete(chat(), caller.signal));
    await model.hanging;
    caller.abort();
    expect((await collecting).map(({ type }) => type)).toEqual(["turn-start", "turn-failed"]);
  });
});

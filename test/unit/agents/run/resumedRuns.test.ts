// A run that is saved goes on elsewhere as it would have gone on here: at every state, from its JSON alone.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { AgentRunRequest } from "../../../../src/agents/AgentRunRequest.ts";
import { type Journal, NO_JOURNAL } from "../../../../src/agents/run/Journal.ts";
import type { RunEvent } from "../../../../src/core/events/events.ts";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import type { RunState } from "../../../../src/core/runs/RunState.ts";
import type { Tool } from "../../../../src/tools/Tool.ts";
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
import {
  calls,
  endsWith,
  fragments,
  refusesTools,
  ScriptedModel,
  type Step,
  says,
} from "../../../support/ScriptedModel.ts";

const SEARCH = { name: "search", arguments: '{"q":"Paris"}' };
const ADD = { name: "add", arguments: '{"n":2}' };
const OPEN = { name: "open_window", arguments: "{}" };
const CLIENT_TOOL = { name: "open_window", parameters: { type: "object", properties: {} } };

/** What there was when a state was saved. */
interface Saved {
  readonly json: string;
  /** Events that had left. */
  readonly events: number;
  /** Calls of the model. */
  readonly asked: number;
  readonly drawn: number;
}

/** Of a turn whose calls bring nothing but what is known, no intent is saved. */
function isIntent({ json }: Saved): boolean {
  return ((JSON.parse(json) as RunState).open?.execute.length ?? 0) > 0;
}

function idempotent(one: Tool): Tool {
  return { ...one, idempotent: true };
}

const TOOLS = [
  idempotent(tool("search", ({ q }) => `${String(q)} is in France.`)),
  idempotent(
    tool("add", ({ n }) => {
      if (typeof n !== "number") throw new Error("n is missing");
      return { sum: n + 2 };
    }),
  ),
];

interface Played {
  readonly saves: readonly Saved[];
  readonly events: readonly RunEvent[];
  readonly requests: ScriptedModel["requests"];
}

/** Plays a run to its end over a store that keeps every state. */
async function play(
  steps: readonly Step[],
  start: (runner: ReturnType<typeof gateway>["runner"]) => AsyncIterable<RunEvent>,
  options: GatewayOptions = {},
): Promise<Played> {
  const model = new ScriptedModel(...steps);
  const saves: Saved[] = [];
  const events: RunEvent[] = [];
  const save = async (state: RunState): Promise<void> => {
    const json = JSON.stringify(state);
    saves.push({ json, events: events.length, asked: model.requests.length, drawn: testGateway.drawn() });
  };
  const testGateway = gateway(model, {
    tools: TOOLS,
    ...options,
    journal: { ...NO_JOURNAL, begin: save, recordTurn: save },
  });
  for await (const event of start(testGateway.runner)) events.push(event);
  expect(testGateway.clock.pending).toBe(0);
  return { saves, events, requests: model.requests };
}

function run(steps: readonly Step[], request: Partial<AgentRunRequest> = {}, options: GatewayOptions = {}) {
  return play(steps, (runner) => runner.run({ chat: chat(), ...request }, never), options);
}

function resume(steps: readonly Step[], { json, asked, drawn }: Saved, options: GatewayOptions = {}) {
  const state = JSON.parse(json) as RunState;
  const begun = state.open?.execute.map(({ id }) => ({ callId: id }));
  return play(steps.slice(asked), (runner) => runner.proceed(state, { begun }, never), { ...options, drawn });
}

/** Resumes the run at every state that was saved; gives how many there were. */
async function holds(
  steps: readonly Step[],
  request: Partial<AgentRunRequest> = {},
  options: GatewayOptions = {},
): Promise<number> {
  const whole = await run(steps, request, options);
  for (const [at, saved] of whole.saves.entries()) {
    const rest = await resume(steps, saved, options);
    expect(rest.events).toEqual(whole.events.slice(saved.events));
    expect(rest.requests).toEqual(whole.requests.slice(saved.asked));
    // The state that came of the JSON is the state that it came of.
    const later = whole.saves.slice(isIntent(saved) ? at : at + 1);
    expect(rest.saves.map(({ json }) => JSON.parse(json))).toEqual(later.map(({ json }) => JSON.parse(json)));
  }
  return whole.saves.length;
}

const LEAK = says('<tool_call>\n{"name": "search", "arguments": {"q": "Paris"}}\n</tool_call>');
const UNREADABLE = says('<tool_call>{"name": "add", "arguments": {"n": "many"}}</tool_call>');
const SPEAKING = endsWith("tool_calls", { type: "text", text: "Let me look." }, ...fragments(SEARCH));
const MANY = calls(...[1, 2, 3, 4].map((n) => ({ name: "add", arguments: JSON.stringify({ n }) })));
const JSON_CITY = says('{"city":"Paris"}');

describe("a run that is resumed", () => {
  const scenarios: readonly [string, readonly Step[], Partial<AgentRunRequest>, GatewayOptions, number][] = [
    ["after one call", [calls(SEARCH), says("In France.")], {}, {}, 2],
    ["after parallel calls", [calls(SEARCH, ADD), says("Done.")], {}, {}, 2],
    ["over several turns", [calls(SEARCH), calls(ADD), says("Done.")], {}, {}, 4],
    ["while it speaks", [SPEAKING, SPEAKING, says("Done.")], {}, {}, 3],
    ["while it repeats itself", Array.from({ length: 5 }, () => calls(SEARCH)), {}, {}, 5],
    ["while it goes in a circle", [1, 2, 3, 4].flatMap(() => [calls(SEARCH), calls(ADD)]), {}, {}, 10],
    ["in the mode it went over to", [refusesTools(), LEAK, LEAK, says("Done.")], {}, {}, 3],
    ["asked in text from the first", [LEAK, UNREADABLE, LEAK, says("Done.")], { chat: chat({ model: "text" }) }, {}, 3],
    ["that asks again", [LEAK, UNREADABLE, UNREADABLE, UNREADABLE], {}, {}, 2],
    ["before it hands over", [calls(ADD), calls(SEARCH, OPEN)], { chat: chat({ tools: [CLIENT_TOOL] }) }, {}, 4],
    [
      "whose answer has a form",
      [SPEAKING, JSON_CITY],
      { chat: chat({ output: { type: "json_object" }, toolChoice: { type: "required" } }) },
      {},
      2,
    ],
    ["out of turns", [calls(SEARCH), calls(ADD)], { limits: { maxTurns: 2 } }, {}, 2],
    [
      "out of calls",
      [MANY, MANY, says("Done.")],
      {},
      { agents: [{ ...AGENT, limits: { ...LIMITS, maxCalls: 3 } }] },
      2,
    ],
    [
      "that fails",
      [calls(SEARCH), [{ type: "failed", failure: { fault: "upstream", code: "upstream_error", message: "" } }]],
      {},
      {},
      2,
    ],
  ];
  it.each(scenarios)("goes on as it would have: %s", async (_title, steps, request, options, saves) => {
    expect(await holds(steps, request, options)).toBe(saves);
  });

  it("goes on as it would have, whatever its model does", async () => {
    const step = fc.constantFrom<Step>(
      calls(SEARCH),
      calls(ADD),
      calls(SEARCH, ADD),
      calls({ name: "add", arguments: "{}" }),
      calls({ name: "nobody", arguments: "{}" }),
      calls(SEARCH, OPEN),
      SPEAKING,
      MANY,
      LEAK,
      UNREADABLE,
      refusesTools(),
      says(""),
      says("Done."),
      JSON_CITY,
    );
    const wishes = fc.record({
      model: fc.constantFrom("m", "text"),
      stream: fc.boolean(),
      tools: fc.constantFrom([], [CLIENT_TOOL]),
      output: fc.constantFrom({ type: "text" as const }, { type: "json_object" as const }),
    });
    const agents = [{ ...AGENT, limits: { ...LIMITS, maxCalls: 5, totalTokens: 150 } }];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), wishes, async (steps, wish) => {
        await holds(steps, { chat: chat(wish) }, { agents });
      }),
      { numRuns: 20 },
    );
  });

  it("is out of time by its own deadline", async () => {
    const { saves } = await run([calls(SEARCH), says("Done.")]);
    const state = JSON.parse(saves[1]?.json ?? "") as RunState;
    const { runner, clock } = gateway(new ScriptedModel());
    clock.advance(LIMITS.timeoutMs);
    expect(await collect(runner.proceed(state, {}, never))).toMatchObject({ outcome: "timeout" });
    expect(clock.pending).toBe(0);
  });

  it("fails where a tool of it is no more", async () => {
    const steps = [calls(SEARCH), says("Done.")];
    const { saves } = await run(steps);
    const [, outcome] = saves;
    const { events } = await resume(steps, outcome as Saved, { tools: [] });
    expect(events.slice(-2)).toMatchObject([
      { type: "turn-failed", failure: { code: "invalid_configuration" } },
      { type: "run-end", outcome: "failed" },
    ]);
  });
});

describe("a run that was interrupted while its tools ran", () => {
  it("runs none again that is not idempotent, and where nobody is there its model reads that nobody knows", async () => {
    const ran: string[] = [];
    const tools = [idempotent(tool("search", () => ran.push("search"))), tool("add", () => ran.push("add"))];
    const steps = [calls(SEARCH, ADD), calls({ name: "add", arguments: '{"n":3}' }), says("Done.")];
    const { saves } = await run(steps, { interactive: false }, { tools });
    ran.length = 0;
    const { events, requests } = await resume(steps, saves[0] as Saved, { tools });
    expect(ran).toEqual(["search", "add"]);
    const results = events.filter((event) => event.type === "tool-result");
    expect(results.map(({ isError }) => isError)).toEqual([false, true, false]);
    expect(requests[0]?.messages.at(-1)).toMatchObject({
      role: "tool",
      name: "add",
      content: expect.stringMatching(/^Error: the run was interrupted .* not run again\.$/),
    });
  });
});

describe("a journal that cannot be written", () => {
  it("keeps tools from running that could run twice, and fails the run", async () => {
    let ran = 0;
    const tools = [tool("search", () => ++ran), tool("add", () => 4)];
    const full = async (): Promise<void> => {
      throw new PostelError(createFailure("run_not_saved", "disk full"));
    };
    const journal = { ...NO_JOURNAL, begin: full };
    const { runner } = gateway(new ScriptedModel(calls(SEARCH)), { tools, journal });
    const events = await listOf(runner.run({ chat: chat() }, never));
    expect(ran).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(["run-start", "turn-start", "turn-failed", "run-end"]);
    expect(events.at(-2)).toMatchObject({ failure: { code: "run_not_saved", message: "disk full" } });
  });
});

describe("what is written down", () => {
  it("is each call's result as soon as it is there, before the turn is over", async () => {
    const written: string[] = [];
    const journal: Journal = {
      ...NO_JOURNAL,
      begin: async (_state, ids) => void written.push(`begin ${ids.length}`),
      recordResult: async (_state, { name }) => void written.push(name),
      recordTurn: async ({ messages }) => void written.push(`turned ${messages.length}`),
    };
    const slow = Promise.withResolvers<string>();
    const tools = [
      tool("search", () => slow.promise),
      tool("add", () => {
        slow.resolve("late");
        return 4;
      }),
    ];
    const { runner } = gateway(new ScriptedModel(calls(SEARCH, ADD), says("Done.")), { tools, journal });
    await listOf(runner.run({ chat: chat() }, never));
    expect(written).toEqual(["begin 2", "add", "search", "turned 4"]);
  });

  it("is told again where a call had its result, and the tool does not run again", async () => {
    const ran: string[] = [];
    const tools = [tool("search", () => ran.push("search")), tool("add", () => ran.push("add"))];
    const steps = [calls(SEARCH, ADD), says("Done.")];
    const { saves } = await run(steps, {}, { tools });
    const state = JSON.parse(saves[0]?.json ?? "") as RunState;
    ran.length = 0;
    const begun = (state.open?.execute ?? []).map(({ id: callId, name }) => ({
      callId,
      result: { callId, name, content: `${name} once`, isError: false },
    }));
    const { requests } = await play(steps.slice(1), (runner) => runner.proceed(state, { begun }, never), { tools });
    expect(ran).toEqual([]);
    expect(requests[0]?.messages.slice(-2).map(({ content }) => content)).toEqual(["search once", "add once"]);
  });

  it("is nothing of a chat completion", async () => {
    let asked = 0;
    const count = async () => void asked++;
    const journal = { begin: count, recordResult: count, recordWaiting: count, recordTurn: count };
    const { runner } = gateway(new ScriptedModel(calls(OPEN)), { journal });
    await listOf(runner.complete(chat({ tools: [CLIENT_TOOL] }), never));
    expect(asked).toBe(0);
  });
});

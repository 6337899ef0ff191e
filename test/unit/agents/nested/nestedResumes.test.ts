// A run within a run over a crash: wherever the process ends, what was done is not done twice, and what was not goes on.
import { describe, expect, it } from "@jest/globals";
import { createAgentTools } from "../../../../src/agents/planning/agentAsTool.ts";
import type { Journal } from "../../../../src/agents/run/Journal.ts";
import type { AgentConfig } from "../../../../src/core/config/configuration.ts";
import type { ModelEvent, RunEvent } from "../../../../src/core/events/events.ts";
import { joinText } from "../../../../src/core/messages.ts";
import type { RunState, ToolResult } from "../../../../src/core/runs/RunState.ts";
import type { JournaledCall } from "../../../../src/core/stores/RunStore.ts";
import type { ModelClient, ModelRequest } from "../../../../src/models/ModelClient.ts";
import { chat, gateway, LIMITS, listOf, never, tool } from "../../../support/agents/gateway.ts";
import { pushed } from "../../../support/events.ts";
import { calls, says } from "../../../support/ScriptedModel.ts";

const WRITER: AgentConfig = {
  ...{
    id: "writer",
    systemPrompt: "You are the writer.",
    sampling: {},
    limits: LIMITS,
  },
  tools: [{ tool: "note" }],
  actions: [],
};
const BOSS: AgentConfig = {
  ...WRITER,
  id: "boss",
  systemPrompt: "You are the boss.",
  tools: [],
};
const AGENTS: readonly AgentConfig[] = [
  { ...BOSS, tools: [{ tool: "add" }, { tool: "writer" }] },
  { ...WRITER, actions: [{ ...WRITER, id: "__default__" }] },
];

/** The boss adds and has the writer write at once; the writer notes twice. Each answers when it has what it wants. */
class TwoModels implements ModelClient {
  stream(request: ModelRequest, _signal: AbortSignal, take: Parameters<ModelClient["stream"]>[2]): Promise<void> {
    const said = this.#says(request);
    const play = async function* () {
      yield* said;
    };
    return pushed(play(), take);
  }

  #says({ messages }: ModelRequest): readonly ModelEvent[] {
    const results = messages.filter(({ role }) => role === "tool").length;
    if (joinText(messages[0]?.content ?? "").includes("writer")) {
      const note = (n: number) => calls({ name: "note", arguments: JSON.stringify({ n }) });
      return results < 2 ? note(results) : says("Written.");
    }
    if (results > 0) return says("All is done.");
    return calls(
      { name: "add", arguments: '{"n":1}' },
      { name: "writer", arguments: '{"task":"write"}', id: "call_9" },
    );
  }
}

interface Snapshot {
  readonly json: string;
  readonly begun: readonly JournaledCall[];
  /** What was done until the next one was written. */
  effects: readonly string[];
}

/** As a store keeps them: with a state the calls that were begun before it are gone. */
function keeping(effects: readonly string[]) {
  const snapshots: Snapshot[] = [];
  let json = "";
  let begun = new Map<string, ToolResult | undefined>();
  const snap = (): void => {
    for (const last of snapshots.slice(-1)) last.effects = [...effects];
    const calls = [...begun].map(([callId, result]) => ({
      callId,
      ...(result && { result }),
    }));
    snapshots.push({ json, begun: calls, effects: [...effects] });
  };
  const save = (state: RunState, ids: readonly string[], carried: readonly JournaledCall[] = []): void => {
    json = JSON.stringify(state);
    begun = new Map([
      ...carried.map(({ callId, result }) => [callId, result] as const),
      ...ids.map((id) => [id, undefined] as const),
    ]);
    snap();
  };
  const journal: Journal = {
    begin: async (state, ids, carried) => save(state, ids, carried),
    recordResult: async (_state, result) => {
      if (begun.has(result.callId)) begun.set(result.callId, result);
      snap();
    },
    recordWaiting: async (state) => save(state, []),
    recordTurn: async (state) => save(state, []),
  };
  return { snapshots, journal };
}

function testGateway(effects: string[], journal: Journal) {
  const doing = (name: string) =>
    tool(name, async ({ n }) => {
      await new Promise((next) => setImmediate(next));
      effects.push(`${name} ${String(n)}`);
      return `${name} is done.`;
    });
  const tools = [doing("add"), doing("note"), ...createAgentTools(AGENTS[1] ?? WRITER, (text) => text)];
  return gateway(new TwoModels(), { tools, agents: AGENTS, journal });
}

const ALL = ["add 1", "note 0", "note 1"];

describe("a run within a run", () => {
  it("goes on from every state that was written, does nothing twice, and asks only of what may have been done", async () => {
    const effects: string[] = [];
    const { snapshots, journal } = keeping(effects);
    const events = await listOf(testGateway(effects, journal).runner.run({ chat: chat({ model: "boss" }) }, never));
    expect([effects.toSorted(), outcome(events)]).toEqual([ALL, "answered"]);
    for (const last of snapshots.slice(-1)) last.effects = [...effects];
    expect(snapshots.length).toBeGreaterThan(8);
    const outcomes = new Set<string | undefined>();
    for (const { json, begun, effects: before } of snapshots) {
      const after: string[] = [];
      const { runner } = testGateway(after, keeping(after).journal);
      const rest = await listOf(runner.proceed(JSON.parse(json) as RunState, { begun }, never));
      const done = [...before, ...after].toSorted();
      expect(new Set(done).size).toBe(done.length);
      outcomes.add(outcome(rest));
      if (outcome(rest) === "answered") expect(done).toEqual(ALL);
      else expect(rest.filter(({ type }) => type === "interrupt").map(asked)).not.toContain(undefined);
    }
    expect(outcomes).toEqual(new Set(["answered", "awaiting-human"]));
  });
});

function outcome(events: readonly RunEvent[]): string | undefined {
  const end = events.findLast((event) => event.type === "run-end");
  return end?.type === "run-end" ? end.outcome : undefined;
}

function asked(event: RunEvent): string | undefined {
  return event.type === "interrupt" && event.interrupt.type === "unknown-outcome"
    ? event.interrupt.call.name
    : undefined;
}

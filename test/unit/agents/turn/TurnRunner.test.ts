// The turns of one run: asked of one agent, whose mode outlives the process that found it out.
import { describe, expect, it } from "@jest/globals";
import type { ChosenAgent } from "../../../../src/agents/AgentFactory.ts";
import { RetryStrategy } from "../../../../src/agents/turn/RetryStrategy.ts";
import { TurnRunner } from "../../../../src/agents/turn/TurnRunner.ts";
import type { TurnEvent } from "../../../../src/core/events/events.ts";
import type { RunState } from "../../../../src/core/runs/RunState.ts";
import { chat, listOf, never, tool } from "../../../support/agents/gateway.ts";
import { ended, opened, routesOf, ScriptedAgent, text } from "../../../support/agents/ScriptedAgent.ts";
import { pulled } from "../../../support/events.ts";

const NEW: RunState = {
  id: "run1",
  agent: "default",
  interactive: true,
  request: chat({ toolChoice: { type: "required" } }),
  gatewayTools: ["search"],
  maxTurns: 3,
  messages: chat().messages,
  turn: 0,
  tokens: 0,
  executed: [],
  sentText: false,
};

function taker(chosen: () => ChosenAgent | undefined, select = () => [tool("search", () => "found")]) {
  let asked = 0;
  const turns = new TurnRunner({
    factory: {
      choose: async () => {
        asked += 1;
        return chosen();
      },
    },
    strategy: new RetryStrategy(0),
    registry: { select },
    maxClientCalls: 1,
  });
  const take = (state: RunState, signal: AbortSignal) =>
    pulled<TurnEvent>((hear) => turns.runTurn(state, signal, hear));
  return { turns: { take }, asked: () => asked };
}

const answer = [opened, text("Hi."), ended()];

describe("TurnRunner: the turns of a run", () => {
  it("are asked of the agent that was chosen for the first", async () => {
    const agent = new ScriptedAgent("native", answer, answer);
    const { turns, asked } = taker(() => ({ agent }));
    await listOf(turns.take({ ...NEW, turn: 1 }, never));
    await listOf(turns.take({ ...NEW, turn: 2 }, never));
    expect(asked()).toBe(1);
    agent.verify();
  });

  it("demand a call only of the first, and offer the gateway's tools to each", async () => {
    const agent = new ScriptedAgent("native", answer, answer);
    const { turns } = taker(() => ({ agent }));
    await listOf(turns.take(NEW, never));
    await listOf(turns.take({ ...NEW, turn: 1 }, never));
    expect(agent.asked.map(({ toolChoice }) => toolChoice.type)).toEqual(["required", "auto"]);
    expect(agent.asked.map(({ tools }) => tools.map(({ name }) => name))).toEqual([["search"], ["search"]]);
  });

  it("offer the very list of before where no tool of it is another", async () => {
    const agent = new ScriptedAgent("native", answer, answer, answer, answer);
    const [search, add] = [tool("search", () => "found"), tool("add", () => 4)];
    let own = [search];
    const { turns } = taker(
      () => ({ agent }),
      () => own,
    );
    const given = [add.spec];
    const lists = [[search], [search], [], [search, tool("more", () => 1)]];
    for (const list of lists) {
      own = list;
      await listOf(turns.take({ ...NEW, request: { ...NEW.request, tools: given }, turn: 1 }, never));
    }
    const [first, second, none, more] = agent.asked.map(({ tools }) => tools);
    expect(second).toBe(first);
    expect(none).toBe(given);
    expect([first, more].map((list) => list?.map(({ name }) => name))).toEqual([
      ["search", "add"],
      ["search", "more", "add"],
    ]);
  });

  it("go on in text where the run had gone over to text before it came here", async () => {
    const [native, inText] = [new ScriptedAgent("native"), new ScriptedAgent("text", answer)];
    const { turns } = taker(() => routesOf(native, inText));
    const [first] = await listOf(turns.take({ ...NEW, turn: 1, toolMode: "text" }, never));
    expect(first).toMatchObject({ type: "turn-start", toolMode: "text" });
    inText.verify();
  });

  it("fail where no upstream serves the model", async () => {
    const { turns } = taker(() => undefined);
    expect(await listOf(turns.take(NEW, never))).toMatchObject([
      { type: "turn-failed", failure: { code: "model_not_found" } },
    ]);
  });
});

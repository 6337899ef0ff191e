import { describe, expect, it } from "@jest/globals";
import { decideNextStep, type StepContext } from "../../../../src/agents/run/decideNextStep.ts";
import { call } from "../../../support/agents/ScriptedAgent.ts";

const CONTEXT: StepContext = {
  gatewayCalls: [],
  clientCalls: [],
  turn: 1,
  maxTurns: 3,
  usedUp: false,
  overdue: false,
  repeats: 1,
  spoke: true,
};
const own = [call("search")];
const clients = [call("open_window")];

describe("decideNextStep", () => {
  const cases: readonly [string, Partial<StepContext>, object][] = [
    ["no calls are the answer", {}, { type: "final-answer" }],
    ["no calls and no words are no answer", { spoke: false }, { type: "no-answer" }],
    ["an answer at the last moment is an answer", { overdue: true, turn: 3 }, { type: "final-answer" }],
    ["gateway calls are executed", { gatewayCalls: own }, { type: "run-again", execute: own }],
    ["client calls are handed over", { clientCalls: clients }, { type: "hand-over", calls: clients, execute: [] }],
    [
      "mixed calls: ours are executed, the client's handed over",
      { gatewayCalls: own, clientCalls: clients },
      { type: "hand-over", calls: clients, execute: own },
    ],
    [
      "a hand-over in the last turn is none that a limit stops",
      { clientCalls: clients, turn: 3, overdue: true },
      { type: "hand-over", calls: clients, execute: [] },
    ],
    ["the last turn but one goes on", { gatewayCalls: own, turn: 2 }, { type: "run-again", execute: own }],
    ["the last turn's calls are not executed", { gatewayCalls: own, turn: 3 }, { type: "stop", outcome: "max-turns" }],
    ["no call starts after the deadline", { gatewayCalls: own, overdue: true }, { type: "stop", outcome: "timeout" }],
    [
      "no call runs once the budget is used up",
      { gatewayCalls: own, usedUp: true },
      { type: "stop", outcome: "budget" },
    ],
    ["an answer beyond the budget is an answer", { usedUp: true }, { type: "final-answer" }],
    ["four equal turns go on", { gatewayCalls: own, repeats: 4 }, { type: "run-again", execute: own }],
    ["the fifth equal turn stops the run", { gatewayCalls: own, repeats: 5 }, { type: "stop", outcome: "repeats" }],
  ];
  it.each(cases)("%s", (_title, context, expected) => {
    expect(decideNextStep({ ...CONTEXT, ...context })).toEqual(expected);
  });
});

// Decides what follows a turn of a run. Pure.
import type { ToolCall } from "../../core/messages.ts";
import { isUsedUp } from "../../core/runs/budget.ts";
import type { CallKeys } from "../../core/runs/callKey.ts";
import type { NextStep, RunState } from "../../core/runs/RunState.ts";
import type { TurnCollector } from "../turn/TurnCollector.ts";
import { countCircle, countRepeats, type IsRepeatable } from "./detectRepeats.ts";

export interface StepContext {
  /** Calls of the turn that the gateway runs, in order. */
  readonly gatewayCalls: readonly ToolCall[];
  /** Calls of the turn that go to the client. */
  readonly clientCalls: readonly ToolCall[];
  /** Number of turns so far, including this one. */
  readonly turn: number;
  readonly maxTurns: number;
  /** True if the run has used up its tokens, calls or money, including this turn. */
  readonly usedUp: boolean;
  /** True once the run's time is up. */
  readonly overdue: boolean;
  /** Number of consecutive turns with the same calls, including this one. */
  readonly repeats: number;
  /** True if the turn produced visible text. */
  readonly spoke: boolean;
}

/** Number of equal turns after which the calls are not executed any more. */
const STOP_AT_REPEATS = 5;

export function decideNextStep(context: StepContext): NextStep {
  const { gatewayCalls, clientCalls } = context;
  if (clientCalls.length > 0) return { type: "hand-over", calls: clientCalls, execute: gatewayCalls };
  if (gatewayCalls.length === 0) return { type: context.spoke ? "final-answer" : "no-answer" };
  if (context.overdue) return { type: "stop", outcome: "timeout" };
  if (context.repeats >= STOP_AT_REPEATS) return { type: "stop", outcome: "repeats" };
  if (context.turn >= context.maxTurns) return { type: "stop", outcome: "max-turns" };
  if (context.usedUp) return { type: "stop", outcome: "budget" };
  return { type: "run-again", execute: gatewayCalls };
}

interface Asking {
  readonly keys: CallKeys;
  readonly isRepeatable: IsRepeatable;
  readonly overdue: boolean;
  /** True for the steps of a workflow: they may repeat, and their output may be empty. */
  readonly isPlanned: boolean;
}

/** @param state the state after the turn. */
export function decideStepAfterTurn(
  state: RunState,
  turnCollector: Pick<TurnCollector, "calls" | "spoke">,
  { keys, isRepeatable, overdue, isPlanned }: Asking,
): NextStep {
  const { messages, turn, maxTurns } = state;
  return decideNextStep({
    ...turnCollector.calls(),
    ...{ turn, maxTurns, usedUp: isUsedUp(state) },
    overdue,
    repeats: isPlanned ? 0 : Math.max(countRepeats(messages, keys, isRepeatable), countCircle(messages, keys)),
    spoke: isPlanned || turnCollector.spoke,
  });
}

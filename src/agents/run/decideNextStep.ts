// What follows one turn of a run. Pure: the clock, the tools and the history come as plain values.
import type { ToolCall } from "../../core/messages.ts";
import { isUsedUp } from "../../core/runs/budget.ts";
import type { CallKeys } from "../../core/runs/callKey.ts";
import type { NextStep, RunState } from "../../core/runs/RunState.ts";
import type { TurnCollector } from "../turn/TurnCollector.ts";
import { countCircle, countRepeats, type IsRepeatable } from "./detectRepeats.ts";

export interface StepContext {
  /** Calls of the turn that the gateway runs, in their order. */
  readonly gatewayCalls: readonly ToolCall[];
  /** Calls of the turn that are the client's. */
  readonly clientCalls: readonly ToolCall[];
  /** Turns taken, this one included. */
  readonly turn: number;
  readonly maxTurns: number;
  /** True where the run has used up its tokens, its calls or its money, this turn included. */
  readonly usedUp: boolean;
  /** True once the run's time is up. */
  readonly overdue: boolean;
  /** How many turns in a row only repeated calls, this one included. */
  readonly repeats: number;
  /** True where the turn said something to its reader. */
  readonly spoke: boolean;
}

/** A turn that repeats its calls this often is not executed any more. */
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
  /** The steps of a workflow are meant as they stand, and what it gives may be nothing. */
  readonly isPlanned: boolean;
}

/** @param state with the turn that was heard. */
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

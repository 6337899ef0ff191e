// Computes what the limits of a run still allow, and when its model must be told to answer. Pure.

import type { Message } from "../../core/messages.ts";
import { computeSpent, isUsedUp } from "../../core/runs/budget.ts";
import type { CallKeys } from "../../core/runs/callKey.ts";
import type { PendingTurn, RunState } from "../../core/runs/RunState.ts";
import type { CallAllowance } from "../calls/planCalls.ts";
import { countCircle, countRepeats, type IsRepeatable } from "./detectRepeats.ts";

/** Number of equal turns, all executed, after which the model is told to answer. */
const REPEATS_OF_THE_REPEATABLE = 3;

/** Number of calls of a turn that may run: the limit per turn, or what the run has left. */
export function computeCallAllowance(state: RunState, callsPerTurn: number): CallAllowance {
  const remainingCalls = (state.maxCalls ?? 0) - computeSpent(state).calls;
  return remainingCalls < callsPerTurn
    ? { limit: remainingCalls, key: "run.max_calls" }
    : { limit: callsPerTurn, key: "calls_per_turn" };
}

/** Returns true if the next turn is the last that the limits allow, assuming that it costs as much as this one. */
export function isLastTurnNext(state: RunState, { tokens, money }: Pick<PendingTurn, "tokens" | "money">): boolean {
  return state.turn + 1 >= state.maxTurns || isUsedUp(state, { tokens, calls: 0, money });
}

/** Returns true if this turn is the last one that the limits allow and not the first, so that its calls would not run. A phase turn makes no calls. */
export function isLastTurn(state: RunState): boolean {
  const { turn, maxTurns, maxCalls = 0, planned, phase, gatewayTools } = state;
  if (phase || gatewayTools.length === 0 || turn <= (planned ? 1 : 0)) return false;
  return turn + 1 >= maxTurns || computeSpent(state).calls >= maxCalls;
}

interface TurnBrought {
  readonly results: readonly Message[];
  readonly ran: number;
  readonly keys: CallKeys;
  readonly isRepeatable: IsRepeatable;
}

/** Returns true if a turn's calls, of which `ran` ran, returned nothing new. `results` are not in the history yet. */
export function isRepetition({ messages }: RunState, { results, ran, keys, isRepeatable }: TurnBrought): boolean {
  const all = [...messages, ...results];
  const repeats = countRepeats(all, keys, isRepeatable);
  if (repeats > 1 && ran === 0) return true;
  return Math.max(repeats, countCircle(all, keys)) >= REPEATS_OF_THE_REPEATABLE;
}

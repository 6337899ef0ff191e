// What the limits of a run still allow, and when its model must be told to answer. Pure; stops nothing itself.

import type { Message } from "../../core/messages.ts";
import { computeSpent, isUsedUp } from "../../core/runs/budget.ts";
import type { CallKeys } from "../../core/runs/callKey.ts";
import type { PendingTurn, RunState } from "../../core/runs/RunState.ts";
import type { CallAllowance } from "../calls/planCalls.ts";
import { countCircle, countRepeats, type IsRepeatable } from "./detectRepeats.ts";

/** Turns in a row that only repeated calls, run each time, after which the model is told to answer. */
const REPEATS_OF_THE_REPEATABLE = 3;

/** What may run of a turn's calls: as many as of any turn, or what the run has left. */
export function computeCallAllowance(state: RunState, callsPerTurn: number): CallAllowance {
  const left = (state.maxCalls ?? 0) - computeSpent(state).calls;
  return left < callsPerTurn ? { most: left, key: "run.max_calls" } : { most: callsPerTurn, key: "calls_per_turn" };
}

/** Whether the next turn is the last that the limits allow; it will cost at least as much as this one. */
export function isLastTurnNext(state: RunState, { tokens, money }: Pick<PendingTurn, "tokens" | "money">): boolean {
  return state.turn + 1 >= state.maxTurns || isUsedUp(state, { tokens, calls: 0, money });
}

/**
 * Whether this turn of the work is the last that may be, and not the first: what its model called now would not be run. A turn of
 * another phase calls nothing anyway.
 */
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

/** Whether a turn's calls, of which `ran` ran, only brought what the model knows; `results` are not in the history yet. */
export function isRepetition({ messages }: RunState, { results, ran, keys, isRepeatable }: TurnBrought): boolean {
  const all = [...messages, ...results];
  const repeats = countRepeats(all, keys, isRepeatable);
  if (repeats > 1 && ran === 0) return true;
  return Math.max(repeats, countCircle(all, keys)) >= REPEATS_OF_THE_REPEATABLE;
}

// What the limits of a run still allow, and when its model must be told to answer. Pure; stops nothing itself.
import { isUsedUp, spentBy } from "../core/budget.ts";
import type { CallKeys } from "../core/CallKeys.ts";
import type { Message } from "../core/messages.ts";
import type { OpenTurn, RunState } from "../core/run.ts";
import type { CallAllowance } from "./planCalls.ts";
import { countCircle, countRepeats } from "./repeatedCalls.ts";

/** Turns in a row that only repeated calls, run each time, after which the model is told to answer. */
const REPEATS_OF_THE_REPEATABLE = 3;

/** What may run of a turn's calls: as many as of any turn, or what the run has left. */
export function allowanceOf(state: RunState, callsPerTurn: number): CallAllowance {
  const left = (state.maxCalls ?? 0) - spentBy(state).calls;
  return left < callsPerTurn ? { most: left, key: "run.max_calls" } : { most: callsPerTurn, key: "calls_per_turn" };
}

/** Whether the next turn is the last that the limits allow; it will cost at least as much as this one. */
export function isLastTurnNext(state: RunState, { tokens, money }: Pick<OpenTurn, "tokens" | "money">): boolean {
  return state.turn + 1 >= state.maxTurns || isUsedUp(state, { tokens, calls: 0, money });
}

/** Whether a turn's calls, of which `ran` ran, only brought what the model knows; `results` are not in the history yet. */
export function bringsNothingNew(
  { messages }: RunState,
  { results, ran, keys }: { readonly results: readonly Message[]; readonly ran: number; readonly keys: CallKeys },
): boolean {
  const repeats = countRepeats(messages, keys);
  if (repeats > 1 && ran === 0) return true;
  return Math.max(repeats, countCircle([...messages, ...results], keys)) >= REPEATS_OF_THE_REPEATABLE;
}

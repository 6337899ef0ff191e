// What follows a turn of a run, out of its state and of what the turn said. Pure: puts the question together and leaves the answer to `decideNextStep`.
import { isUsedUp } from "../core/budget.ts";
import type { CallKeys } from "../core/CallKeys.ts";
import type { NextStep, RunState } from "../core/run.ts";
import { decideNextStep } from "./decideNextStep.ts";
import { countCircle, countRepeats, type IsRepeatable } from "./repeatedCalls.ts";
import type { TurnHearing } from "./TurnHearing.ts";

interface Asking {
  readonly keys: CallKeys;
  readonly isRepeatable: IsRepeatable;
  readonly overdue: boolean;
  /** The steps of a workflow are meant as they stand, and what it gives may be nothing. */
  readonly isPlanned: boolean;
}

/** @param state with the turn that was heard. */
export function stepAfter(
  state: RunState,
  hearing: Pick<TurnHearing, "calls" | "spoke">,
  { keys, isRepeatable, overdue, isPlanned }: Asking,
): NextStep {
  const { messages, turn, maxTurns } = state;
  return decideNextStep({
    ...hearing.calls(),
    ...{ turn, maxTurns, usedUp: isUsedUp(state) },
    overdue,
    repeats: isPlanned ? 0 : Math.max(countRepeats(messages, keys, isRepeatable), countCircle(messages, keys)),
    spoke: isPlanned || hearing.spoke,
  });
}

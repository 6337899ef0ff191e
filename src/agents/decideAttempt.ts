// What follows one model call: it stands, the model is asked again, or the same is asked in text mode. Pure.
import type { AttemptDecision, AttemptResult } from "../core/run.ts";
import type { CorrectionContext, RetryStrategy } from "./RetryStrategy.ts";

export interface AttemptContext extends CorrectionContext {
  readonly strategy: RetryStrategy;
  /** How often this turn has asked again. */
  readonly asked: number;
  /** Whether the turn may still go on in text mode: its mode is native and not pinned. */
  readonly maySwitch: boolean;
}

/** A failed attempt is accepted as what it is: a failure that ends the turn. */
export function decideAttempt(result: AttemptResult, context: AttemptContext): AttemptDecision {
  if (result.failure) {
    const refused = result.failure.details?.toolsRefused === true;
    const untouched = result.calls.length === 0 && result.said === "";
    if (!refused || !untouched || !context.maySwitch) return { type: "accept" };
    return { type: "switch-mode", reason: result.failure.message };
  }
  const reason = context.strategy.reason(result);
  if (!reason || !context.strategy.allows(context.asked)) return { type: "accept" };
  return {
    type: "ask-again",
    reason:
      reason.type === "format" ? `${reason.issue.code}: ${reason.issue.message}` : `invalid output: ${reason.reason}`,
    correction: context.strategy.correction(reason, result, context),
    withoutTools: reason.type === "output",
  };
}

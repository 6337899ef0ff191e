// Decides what follows one model call: accept it, ask again, switch to the next route, or fail the turn. Pure.
import type { OnInvalid } from "../../core/requests.ts";
import type { AttemptDecision, AttemptResult } from "../../core/runs/RunState.ts";
import { createInvalidOutputFailure } from "./invalidOutputFailure.ts";
import { type CorrectionContext, isCallIssue, type ReasonToAskAgain, type RetryStrategy } from "./RetryStrategy.ts";

export interface AttemptContext extends CorrectionContext {
  readonly strategy: RetryStrategy;
  /** The earlier attempts of the turn, each of which was followed by another one. */
  readonly earlier: readonly AttemptResult[];
  /** True once text of an earlier attempt was emitted; no other text can replace it. */
  readonly textSent: boolean;
  /** True once text was emitted, including this attempt's. */
  readonly textLeft: boolean;
  /** True if the turn can switch to the next route: its mode is native and not pinned. */
  readonly hasNextRoute: boolean;
  readonly onInvalid: OnInvalid;
  /** True if the model's output is passed on unchanged and unchecked. */
  readonly untouched: boolean;
}

/** Finish reasons after which asking again is useless: the token budget is used up, or the upstream withholds the answer. */
const FINAL_ENDS: ReadonlySet<string | null> = new Set(["length", "content_filter"]);

/** An answer of a model that was not shown the tools does not count: the next route is tried, unless text was emitted that cannot be replaced. */
export function decideAttempt(result: AttemptResult, context: AttemptContext): AttemptDecision {
  const { failure, calls, finishReason } = result;
  const { strategy, earlier, onInvalid } = context;
  if (failure) {
    const refusedCalls =
      failure.details?.toolsRefused === true && calls.length === 0 && result.said === "" && !result.spoke;
    return refusedCalls && context.hasNextRoute
      ? { type: "next-route", reason: failure.message }
      : { type: "fail", failure };
  }
  // A refusal is an answer, whatever was required.
  if (result.declined) return { type: "accept", as: "answer" };
  // Emitted calls are never requested again, whatever else was wrong.
  const reason = calls.length > 0 ? undefined : strategy.reason(result);
  if (result.toolsDropped !== undefined && context.hasNextRoute && (!context.textLeft || reason)) {
    return { type: "next-route", reason: result.toolsDropped };
  }
  if (mayBreakSilence(result, context)) return { type: "ask-for-answer", reason: "empty answer" };
  if (calls.length > 0 || (!reason && isAnswer(result, context))) return { type: "accept", as: "answer" };
  if (FINAL_ENDS.has(finishReason)) return { type: "accept", as: onInvalid === "error" ? "answer" : "words" };
  if (reason && strategy.allows(earlier.length)) return askAgain(reason, result, context);
  switch (onInvalid) {
    case "error":
      return { type: "fail", failure: createInvalidOutputFailure(reason, [...earlier, result]) };
    case "text":
      return { type: "accept", as: "words" };
    case "pass":
      return { type: "accept", as: result.refused.length > 0 ? "calls-as-they-came" : "words" };
    default:
      return onInvalid satisfies never;
  }
}

/**
 * Returns true if a result without an error to correct is an answer. False if text comes too late, if the model says
 * nothing after a correction, and if it only made a call that was not allowed.
 */
function isAnswer({ spoke, refused }: AttemptResult, { earlier, textSent }: AttemptContext): boolean {
  if (earlier.some((attempt) => !isSilent(attempt))) return spoke && !textSent;
  return spoke || refused.length === 0;
}

/** Asks for an answer once per turn: a model that is silent twice is not asked again. */
function mayBreakSilence(result: AttemptResult, context: AttemptContext): boolean {
  const { earlier, strategy, textSent, untouched } = context;
  if (untouched || textSent || !isSilent(result) || FINAL_ENDS.has(result.finishReason)) return false;
  return strategy.allows(earlier.length) && !earlier.some(isSilent);
}

/** True if there is no call, no text, and no issue that explains it. */
function isSilent({ spoke, showed, calls, refused, issues, invalidOutput }: AttemptResult): boolean {
  if (spoke || showed || calls.length > 0 || refused.length > 0 || invalidOutput !== undefined) return false;
  return !issues.some(({ code }) => isCallIssue(code));
}

function askAgain(reason: ReasonToAskAgain, result: AttemptResult, context: AttemptContext): AttemptDecision {
  return {
    type: "ask-again",
    reason:
      reason.type === "format" ? `${reason.issue.code}: ${reason.issue.message}` : `invalid output: ${reason.reason}`,
    correction: context.strategy.correction(reason, result, context),
    withoutTools: reason.type === "output",
    // A model that named an unknown tool may have no suitable one, so it must be free to say so.
    callAgain: reason.type === "format" && reason.issue.code !== "unknown-tool",
  };
}

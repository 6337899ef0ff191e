// What follows one model call: it stands, the model is asked again, the same is asked in text mode, or the turn fails. Pure.
import type { OnInvalid } from "../../core/requests.ts";
import type { AttemptDecision, AttemptResult } from "../../core/runs/RunState.ts";
import { createInvalidOutputFailure } from "./invalidOutputFailure.ts";
import { type CorrectionContext, isCallIssue, type ReasonToAskAgain, type RetryStrategy } from "./RetryStrategy.ts";

export interface AttemptContext extends CorrectionContext {
  readonly strategy: RetryStrategy;
  /** What the turn's attempts before this one gave, each of which was asked again. */
  readonly earlier: readonly AttemptResult[];
  /** True once text of an earlier attempt has left for good: no other words can take its place. */
  readonly textSent: boolean;
  /** True once text has left for good, this attempt's too. */
  readonly textLeft: boolean;
  /** Whether the turn may still go on in text mode: its mode is native and not pinned. */
  readonly hasNextRoute: boolean;
  readonly onInvalid: OnInvalid;
  /** True where what the model gives is passed on as it came: it is held to nothing. */
  readonly untouched: boolean;
}

/** After these ends there is no more to be had: the budget of tokens is spent, or the upstream will not say it. */
const FINAL_ENDS: ReadonlySet<string | null> = new Set(["length", "content_filter"]);

/**
 * An answer of a model that was not shown the tools is no answer to the question: it is asked in text, unless words have left that
 * nothing could take the place of.
 */
export function decideAttempt(result: AttemptResult, context: AttemptContext): AttemptDecision {
  const { failure, calls, finishReason } = result;
  const { strategy, earlier, onInvalid } = context;
  if (failure) {
    const refused = failure.details?.toolsRefused === true && calls.length === 0 && result.said === "" && !result.spoke;
    return refused && context.hasNextRoute
      ? { type: "next-route", reason: failure.message }
      : { type: "fail", failure };
  }
  // A model that declines has answered: whatever was demanded of the answer, nothing is asked again.
  if (result.declined) return { type: "accept", as: "answer" };
  // What has left as a call is not asked for again, whatever else was wrong.
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
 * Whether a result without a fault to correct is an answer. It is none where words come too late, where the model that was
 * asked again says nothing, and where all it gave is a call that was not allowed.
 */
function isAnswer({ spoke, refused }: AttemptResult, { earlier, textSent }: AttemptContext): boolean {
  if (earlier.some((attempt) => !isSilent(attempt))) return spoke && !textSent;
  return spoke || refused.length === 0;
}

/** Once a turn: a model that has nothing to say twice has nothing to say. */
function mayBreakSilence(result: AttemptResult, context: AttemptContext): boolean {
  const { earlier, strategy, textSent, untouched } = context;
  if (untouched || textSent || !isSilent(result) || FINAL_ENDS.has(result.finishReason)) return false;
  return strategy.allows(earlier.length) && !earlier.some(isSilent);
}

/** Neither a call nor a word nor a fault that would say why. */
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
    // A model that named a tool which nobody offers may have no right one: it must stay free to say so.
    callAgain: reason.type === "format" && reason.issue.code !== "unknown-tool",
  };
}

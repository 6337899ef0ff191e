// Creates the failure of a turn whose call or bound answer never became valid.
import { createFailure, type Failure } from "../../core/failures.ts";
import { withRetriesSpent } from "../../core/http/retryPolicy.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { AttemptResult } from "../../core/runs/RunState.ts";
import { isCallIssue, type ReasonToAskAgain } from "./RetryStrategy.ts";

/** @param reason error of the last attempt; absent if it had neither a call nor an answer that may be emitted. */
export function createInvalidOutputFailure(
  reason: ReasonToAskAgain | undefined,
  attempts: readonly AttemptResult[],
): Failure {
  const attemptsText = attempts.length === 1 ? "" : ` It was asked ${attempts.length} times.`;
  if (reason?.type === "output") {
    const message = `The model's answer does not have the form that \`response_format\` asks for: ${sentence(reason.reason)}${attemptsText} ${WAY_OUT}`;
    const details = { attempts: attempts.length, reason: clip(reason.reason) };
    return withRetriesSpent(createFailure("model_output_invalid", message, details));
  }
  const refusedCalls = attempts.flatMap(collectRefused).slice(-MOST);
  const last = reason?.issue.message ?? refusedCalls.at(-1)?.reason ?? "no answer and no call came";
  const later =
    reason || attempts.length === 1 ? attemptsText : " Asked again, it made no call and gave nothing that may follow.";
  const message = `The model gave no valid tool call: ${sentence(last)}${later} ${WAY_OUT}`;
  return withRetriesSpent(
    createFailure("model_call_invalid", message, { attempts: attempts.length, refused: refusedCalls }),
  );
}

const WAY_OUT = "With the header `x-postel-on-invalid: text` the answer would be the model's own words.";

/** Maximum number of calls that a failure's details name; the last ones. */
const MOST = 8;
/** UTF-16 units of the model's text, or of a reason, that a failure's details quote. */
const QUOTED = 1_000;

interface Refused extends JsonObject {
  readonly code: string;
  /** Null if no name could be read. */
  readonly name: string | null;
  /** The arguments as the model wrote them; for a call in text, its raw text. */
  readonly arguments: string | null;
  readonly reason: string;
}

function collectRefused({ refused, issues }: AttemptResult): readonly Refused[] {
  const native = refused.map(({ issue, name, arguments: text }) => ({
    code: issue.code,
    name: clip(name),
    arguments: clip(text),
    reason: clip(issue.message),
  }));
  const structured = new Set(refused.map(({ issue }) => issue));
  const issueDetails = issues
    .filter((issue) => isCallIssue(issue.code) && !structured.has(issue))
    .map(({ code, tool, raw, message }) => ({
      code,
      name: tool ?? null,
      arguments: raw === undefined ? null : clip(raw),
      reason: clip(message),
    }));
  return [...native, ...issueDetails];
}

function sentence(text: string): string {
  const clipped = clip(text);
  return /[.!?…]$/.test(clipped) ? clipped : `${clipped}.`;
}

function clip(text: string): string {
  if (text.length <= QUOTED) return text;
  // Never inside a surrogate pair.
  return `${text.slice(0, QUOTED - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

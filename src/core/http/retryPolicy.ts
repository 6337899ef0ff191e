// What is sent again, how often and after how long: the one retry policy, as data and decisions. Sends, waits and counts nothing itself.
import type { RetriesConfig } from "../config/configuration.ts";
import { FAILURE_CODES, type Failure } from "../failures.ts";

/** What a server may be sent again, by how it has answered of late (0026). In attempts, but for the last. */
export const RETRY_BUDGET = {
  /** What a server has at its best, and what must be left for anything to be sent again. */
  full: 10,
  enough: 5,
  /** What an answer gives back; a failed attempt costs one. Up to a third of the attempts may fail before the budget shrinks. */
  answered: 0.5,
  /** Milliseconds that give one back, so that a server that was down and is asked seldom is not held to it for ever. */
  quietMs: 10_000,
} as const;

/** How often a server that loads its model is asked whether it has. Milliseconds. */
const LOADING_STEP_MS = 1_000;

/** 529 is no standard's: overloaded, as 503. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

/** Where it broke: asked again, a certificate is the same, and a server that is silent may be at work on the first. */
const FINAL_PHASES: ReadonlySet<unknown> = new Set(["headers", "certificate", "answer"]);

/** Whether an exchange that was answered with this status, and nothing of it handed on, is worth another attempt. */
export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.has(status);
}

/** Whether an exchange that gave no answer at all is worth another attempt. An open breaker is not waited for. */
export function isRetryableFailure({ fault, code, details }: Failure): boolean {
  if (fault !== "upstream" || !FAILURE_CODES[code].retryable || details?.breaker === "open") return false;
  return code !== "upstream_protocol_error" && !FINAL_PHASES.has(details?.phase);
}

/**
 * Milliseconds before the attempt that follows number `attempt` (from 1): full jitter under a bound that doubles, and no less than
 * the server asks for. Undefined where that is longer than any wait may be: then there is none.
 * @param draw a number in [0, 1).
 */
export function waitBeforeRetry(
  attempt: number,
  {
    bounds,
    draw,
    askedMs = 0,
  }: { readonly bounds: RetriesConfig; readonly draw: number; readonly askedMs?: number | undefined },
): number | undefined {
  const { minWaitMs, maxWaitMs } = bounds;
  const waitMs = Math.max(draw * Math.min(maxWaitMs, minWaitMs * 2 ** (attempt - 1)), askedMs);
  return waitMs <= maxWaitMs ? waitMs : undefined;
}

/** Milliseconds until a server that loads its model is asked again. */
export function waitForLoading(askedMs = 0): number {
  return Math.max(LOADING_STEP_MS, askedMs);
}

/** Of a failure that is all that came of several attempts: whoever asks the gateway again would only multiply them. */
export function withRetriesSpent(failure: Failure): Failure {
  return { ...failure, details: { ...failure.details, retriesSpent: true } };
}

/** Whether a caller who is told of the failure does well to send the same request again. */
export function mayCallerRepeat({ code, details }: Failure): boolean {
  return FAILURE_CODES[code].retryable && details?.retriesSpent !== true;
}

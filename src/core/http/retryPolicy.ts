// The retry policy as data and decisions: what is retried, how often, and after which delay. Pure.
import type { RetriesConfig } from "../config/configuration.ts";
import { FAILURE_CODES, type Failure } from "../failures.ts";

/** Retry budget of a server, from its recent responses (0026). Unit: attempts, except for the last member. */
export const RETRY_BUDGET = {
  /** Maximum budget, and the minimum that a retry requires. */
  full: 10,
  minForRetry: 5,
  /** Refund for a success; a failed attempt costs one. Up to a third of the attempts may fail before the budget shrinks. */
  successRefund: 0.5,
  /** Milliseconds that refund one, so that a rarely used server recovers after an outage. */
  refundMs: 10_000,
} as const;

/** Milliseconds between two requests to a server that loads its model. */
const LOADING_STEP_MS = 1_000;

/** 529 is not standardised; it means overloaded, like 503. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

/** Phases of failures that are final: a certificate does not change, and a silent server may still work on the first request. */
const FINAL_PHASES: ReadonlySet<unknown> = new Set(["headers", "certificate", "answer"]);

/** Returns true if a request that got this status, and of which nothing was passed on, should be retried. */
export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.has(status);
}

/** Returns true if a request without a response should be retried. Does not wait for an open breaker. */
export function isRetryableFailure({ fault, code, details }: Failure): boolean {
  if (fault !== "upstream" || !FAILURE_CODES[code].retryable || details?.breaker === "open") return false;
  return code !== "upstream_protocol_error" && !FINAL_PHASES.has(details?.phase);
}

/**
 * Milliseconds before the attempt after number `attempt` (from 1): full jitter below a bound that doubles, and at least
 * the delay that the server asks for. Undefined if that exceeds the longest allowed wait: then there is no retry.
 * @param draw a number in [0, 1).
 */
export function waitBeforeRetry(
  attempt: number,
  {
    bounds,
    draw,
    requestedMs = 0,
  }: { readonly bounds: RetriesConfig; readonly draw: number; readonly requestedMs?: number | undefined },
): number | undefined {
  const { minWaitMs, maxWaitMs } = bounds;
  const waitMs = Math.max(draw * Math.min(maxWaitMs, minWaitMs * 2 ** (attempt - 1)), requestedMs);
  return waitMs <= maxWaitMs ? waitMs : undefined;
}

/** Milliseconds until the next request to a server that loads its model. */
export function waitForLoading(askedMs = 0): number {
  return Math.max(LOADING_STEP_MS, askedMs);
}

/** Marks a failure that is the result of several attempts, because retries of the client would multiply them. */
export function withRetriesSpent(failure: Failure): Failure {
  return { ...failure, details: { ...failure.details, retriesSpent: true } };
}

/** Returns true if the client should send the same request again. */
export function mayCallerRepeat({ code, details }: Failure): boolean {
  return FAILURE_CODES[code].retryable && details?.retriesSpent !== true;
}

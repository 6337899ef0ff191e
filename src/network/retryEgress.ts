// Opens an exchange again while nothing of it has been handed on. Knows statuses and waits; refuses to know bodies.
import pRetry from "p-retry";
import { FAILURE_CODES, PostelError } from "../core/failures.ts";
import type { Clock, Egress, EgressRequest, EgressResponse, Random } from "../core/ports.ts";
import { cancelled } from "./cancelled.ts";

export interface RetryOptions {
  /** Attempts in all, at least 1. */
  readonly attempts: number;
  /** Milliseconds: the upper bound of the first wait, doubled each time, and the cap of any wait. */
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * Repeats what `purpose.repeatable` allows: a retryable status, or a connection that gave no byte. Waits with full jitter,
 * or as long as the upstream's Retry-After says; where that is longer than `maxWaitMs`, or the attempts are used up, the last
 * response is passed on as it is, body unread. An open breaker is not waited for. Where all of several attempts were used up, the
 * response, or the details of the failure, say `retriesSpent`.
 */
export function retryEgress(inner: Egress, options: RetryOptions): Egress {
  return {
    async send(request, signal) {
      if (!request.purpose.repeatable) return inner.send(request, signal);
      let attempts = 0;
      const attempt = (): Promise<EgressResponse> => {
        attempts += 1;
        return open(inner, request, signal);
      };
      try {
        return await pRetry(attempt, {
          retries: options.attempts - 1,
          // The wait is ours (Retry-After, injected clock), so p-retry only counts and loops.
          minTimeout: 0,
          shouldRetry: ({ error, attemptNumber }) => pause({ error, attemptNumber, request, signal, options }),
        });
      } catch (error) {
        const spent = attempts > 1 && attempts === options.attempts;
        if (error instanceof RetryableResponse) return { ...error.response, ...(spent && { retriesSpent: true }) };
        throw spent && isWorthRepeating(error) ? withRetriesSpent(error) : error;
      }
    },
  };
}

/** Carries a response through p-retry, which knows only errors. */
class RetryableResponse extends Error {
  readonly response: EgressResponse;

  constructor(response: EgressResponse) {
    super(`status ${response.status}`);
    this.response = response;
  }
}

async function open(inner: Egress, request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
  const response = await inner.send(request, signal);
  if (RETRYABLE_STATUSES.has(response.status)) throw new RetryableResponse(response);
  return response;
}

interface FailedAttempt {
  readonly error: Error;
  readonly attemptNumber: number;
  readonly request: EgressRequest;
  readonly signal: AbortSignal;
  readonly options: RetryOptions;
}

/** Waits before the next attempt; false: give up. */
async function pause({ error, attemptNumber, request, signal, options }: FailedAttempt): Promise<boolean> {
  if (signal.aborted) return false;
  const waitMs = decideWait(error, attemptNumber, options);
  if (waitMs === undefined) return false;
  if (error instanceof RetryableResponse) await error.response.body[Symbol.asyncIterator]().return?.();
  request.purpose.onRetry?.(reasonOf(error));
  try {
    await options.clock.sleep(waitMs, signal);
  } catch (stopped) {
    throw signal.aborted ? cancelled(signal) : stopped;
  }
  return true;
}

function decideWait(error: Error, attemptNumber: number, options: RetryOptions): number | undefined {
  const jittered = options.random() * Math.min(options.maxWaitMs, options.minWaitMs * 2 ** (attemptNumber - 1));
  if (error instanceof RetryableResponse) {
    const asked = retryAfterMs(error.response.headers, options.clock.now());
    if (asked === undefined) return jittered;
    return asked <= options.maxWaitMs ? asked : undefined;
  }
  return isWorthRepeating(error) ? jittered : undefined;
}

function withRetriesSpent({ failure }: PostelError): PostelError {
  return new PostelError({ ...failure, details: { ...failure.details, retriesSpent: true } });
}

function isWorthRepeating(error: unknown): error is PostelError {
  if (!(error instanceof PostelError)) return false;
  const { fault, code, details } = error.failure;
  return fault === "upstream" && FAILURE_CODES[code].retryable && details?.breaker !== "open";
}

function reasonOf(error: Error): string {
  return error instanceof PostelError ? error.failure.code : error.message;
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3), or the milliseconds that some vendors send beside it; undefined where neither can be read. */
function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = readNumber(headers["retry-after-ms"]);
  if (ms !== undefined) return ms;
  const value = headers["retry-after"];
  const seconds = readNumber(value);
  if (seconds !== undefined) return seconds * 1_000;
  const date = Date.parse(value ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

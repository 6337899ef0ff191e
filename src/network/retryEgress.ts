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

/** How often a server that loads its model is asked whether it has. */
const LOADING_STEP_MS = 1_000;
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * Repeats what `purpose.repeatable` allows: a retryable status, or a connection that gave no byte. Waits with full jitter,
 * or as long as the upstream's Retry-After says; where that is longer than `maxWaitMs`, or the attempts are used up, the last
 * response is passed on as it is, body unread. An open breaker is not waited for. Where all of several attempts were used up, the
 * response, or the details of the failure, say `retriesSpent`.
 *
 * A server that loads its model is asked again every second (or as rarely as its Retry-After says) for `purpose.timers.loadMs`:
 * that is one attempt, however long it lasts.
 */
export function retryEgress(inner: Egress, options: RetryOptions): Egress {
  return {
    async send(request, signal) {
      if (!request.purpose.repeatable) return inner.send(request, signal);
      let attempts = 0;
      const attempt = (): Promise<EgressResponse> => {
        attempts += 1;
        return open({ inner, request, signal, clock: options.clock });
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

interface Opening {
  readonly inner: Egress;
  readonly request: EgressRequest;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

async function open(opening: Opening): Promise<EgressResponse> {
  const response = await sendWhenLoaded(opening);
  const waitedFor = response.loading && opening.request.purpose.timers.loadMs !== undefined;
  if (RETRYABLE_STATUSES.has(response.status) && !waitedFor) throw new RetryableResponse(response);
  return response;
}

/** The first answer of a server that has loaded its model, or its last word where that takes too long. */
async function sendWhenLoaded({ inner, request, signal, clock }: Opening): Promise<EgressResponse> {
  const { loadMs = 0 } = request.purpose.timers;
  const start = clock.monotonic();
  for (;;) {
    const response = await inner.send(request, signal);
    if (!response.loading) return response;
    const waitMs = Math.max(LOADING_STEP_MS, retryAfterMs(response.headers, clock.now()) ?? 0);
    if (clock.monotonic() - start + waitMs > loadMs) return response;
    await leave(response);
    await sleep(clock, waitMs, signal);
  }
}

/** Closes a response that nobody will read. */
async function leave({ body }: EgressResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

/** @throws PostelError `cancelled` where the caller leaves meanwhile. */
async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (stopped) {
    throw signal.aborted ? cancelled(signal) : stopped;
  }
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
  if (error instanceof RetryableResponse) await leave(error.response);
  request.purpose.onRetry?.(reasonOf(error));
  await sleep(options.clock, waitMs, signal);
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

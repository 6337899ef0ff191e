// Opens an exchange again while nothing of it has been handed on. Knows statuses and waits; refuses to know bodies.
import pRetry from "p-retry";
import { FAILURE_CODES, PostelError } from "../core/failures.ts";
import type { Clock, Egress, EgressRequest, EgressResponse, Random } from "../core/ports.ts";
import { retryAfterMs } from "../core/retryAfter.ts";
import { cancelled } from "./cancelled.ts";
import { originOf } from "./originOf.ts";
import { RetryBudget } from "./RetryBudget.ts";

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
 * Repeats what `purpose.repeatable` allows: a retryable status, or a connection that gave no byte. Waits with full jitter, and no
 * shorter than the upstream's Retry-After says; where that is longer than `maxWaitMs`, the attempts are used up or the server's
 * budget is, the last response is passed on as it is, body unread. An open breaker is not waited for; what would only go the same
 * way, and a server that has the request and sends no headers, are asked once. Where all of several attempts were used up, the
 * response, or the details of the failure, say `retriesSpent`.
 *
 * A server that loads its model is asked again every second (or as rarely as its Retry-After says) for `purpose.timers.loadMs`:
 * that is one attempt, however long it lasts.
 */
export function retryEgress(inner: Egress, options: RetryOptions): Egress {
  const budget = new RetryBudget();
  return {
    async send(request, signal) {
      if (!request.purpose.repeatable) return inner.send(request, signal);
      const server = originOf(request);
      let attempts = 0;
      let affordable = true;
      const attempt = async (): Promise<EgressResponse> => {
        attempts += 1;
        try {
          const response = await open({ inner, request, signal, clock: options.clock });
          budget.answered(server, options.clock.monotonic());
          return response;
        } catch (error) {
          if (mayBeRepeated(error)) affordable = budget.failed(server, options.clock.monotonic());
          throw error;
        }
      };
      try {
        return await pRetry(attempt, {
          retries: options.attempts - 1,
          // The wait is ours (Retry-After, injected clock), so p-retry only counts and loops.
          minTimeout: 0,
          shouldRetry: ({ error, attemptNumber }) =>
            affordable && pause({ error, attemptNumber, request, signal, options }),
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
  if (!mayBeRepeated(error)) return undefined;
  const asked = error instanceof RetryableResponse ? retryAfterMs(error.response.headers, options.clock.now()) : 0;
  const waitMs = Math.max(jittered, asked ?? 0);
  return waitMs <= options.maxWaitMs ? waitMs : undefined;
}

function mayBeRepeated(error: unknown): boolean {
  return error instanceof RetryableResponse || isWorthRepeating(error);
}

function withRetriesSpent({ failure }: PostelError): PostelError {
  return new PostelError({ ...failure, details: { ...failure.details, retriesSpent: true } });
}

function isWorthRepeating(error: unknown): error is PostelError {
  if (!(error instanceof PostelError)) return false;
  const { fault, code, details } = error.failure;
  if (fault !== "upstream" || !FAILURE_CODES[code].retryable || details?.breaker === "open") return false;
  return code !== "upstream_protocol_error" && !FINAL_PHASES.has(details?.phase);
}

/** Where it broke: asked again, a certificate is the same, and a server that is silent may be at work on the first. */
const FINAL_PHASES: ReadonlySet<unknown> = new Set(["headers", "certificate", "answer"]);

function reasonOf(error: Error): string {
  return error instanceof PostelError ? error.failure.code : error.message;
}

// Retries a request by the retry policy until a part of its response was delivered. `purpose.isRefusal` reads the bodies.
import pRetry from "p-retry";
import type { RetriesConfig } from "../../core/config/configuration.ts";
import { PostelError } from "../../core/failures.ts";
import { discardBody } from "../../core/http/responseBody.ts";
import { retryAfterMs } from "../../core/http/retryAfter.ts";
import {
  isRetryableFailure,
  isRetryableStatus,
  waitBeforeRetry,
  waitForLoading,
  withRetriesSpent,
} from "../../core/http/retryPolicy.ts";
import type { Clock, Egress, EgressRequest, EgressResponse, Observer, Random } from "../../core/ports.ts";
import { createAbortFailure } from "../abortFailure.ts";
import { resolveOrigin } from "../parseUrl.ts";
import { RetryBudget } from "./RetryBudget.ts";
import { readErrorBody } from "./readErrorBody.ts";

export interface RetryOptions extends RetriesConfig {
  readonly clock: Clock;
  readonly random: Random;
  /** Notified of each retry, before the wait. */
  readonly observer?: Observer | undefined;
}

/**
 * Retries what `purpose.repeatable` allows: a retryable status, or a connection without a byte. Waits with full jitter, at least as
 * long as the upstream's Retry-After. If that exceeds `maxWaitMs`, or the attempts or the server's budget are used up, the
 * last response is passed on with its body unread. Not retried: an open breaker; failures that would repeat; a server
 * that has the request and sends no headers; and a 5xx whose body `purpose.isRefusal` recognises. If several attempts
 * were used up, the response, or the details of the failure, have `retriesSpent`.
 * A server that loads its model is asked again every second (or as its Retry-After says) for `purpose.timers.loadMs`:
 * that is one attempt, however long it lasts.
 */
export function retryEgress(inner: Egress, options: RetryOptions): Egress {
  const budget = new RetryBudget();
  return {
    send(request, signal) {
      if (!request.purpose.repeatable) return inner.send(request, signal);
      return sendRepeatedly({ inner, request, signal, clock: options.clock }, options, budget);
    },
  };
}

/** Every attempt, the first one too, is made by p-retry, which counts them. */
async function sendRepeatedly(opening: Opening, options: RetryOptions, budget: RetryBudget): Promise<EgressResponse> {
  const { request, signal } = opening;
  const most = request.purpose.attempts ?? options.attempts;
  let attempts = 0;
  let affordable = true;
  const attempt = async (): Promise<EgressResponse> => {
    attempts += 1;
    try {
      const response = await open(opening);
      if (budget.isTouched) budget.answered(resolveOrigin(request), options.clock.monotonic());
      return response;
    } catch (error) {
      if (mayBeRepeated(error)) affordable = budget.failed(resolveOrigin(request), options.clock.monotonic());
      throw error;
    }
  };
  try {
    return await pRetry(attempt, {
      retries: most - 1,
      // The wait is in `shouldRetry`: it follows Retry-After and the injected clock.
      minTimeout: 0,
      shouldRetry: ({ error, attemptNumber }) =>
        affordable && pause({ error, attemptNumber, request, signal, options }),
    });
  } catch (error) {
    const spent = attempts > 1 && attempts === most;
    if (error instanceof RetryableResponse) return { ...error.response, ...(spent && { retriesSpent: true }) };
    throw spent && isRetryable(error) ? new PostelError(withRetriesSpent(error.failure)) : error;
  }
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
  const { inner, request, signal } = opening;
  const first = await inner.send(request, signal);
  const response = first.loading ? await sendWhenLoaded(first, opening) : first;
  const waitedFor = response.loading && request.purpose.timers.loadMs !== undefined;
  if (!isRetryableStatus(response.status) || waitedFor) return response;
  const { isRefusal } = request.purpose;
  if (!isRefusal || response.status < 500) throw new RetryableResponse(response);
  const { text, unread } = await readErrorBody(response);
  if (isRefusal(response.status, text)) return unread;
  throw new RetryableResponse(unread);
}

/** Returns the first response after the server has loaded its model, or its last one if that takes too long. */
async function sendWhenLoaded(
  first: EgressResponse,
  { inner, request, signal, clock }: Opening,
): Promise<EgressResponse> {
  const { loadMs = 0 } = request.purpose.timers;
  const start = clock.monotonic();
  let response = first;
  while (response.loading) {
    const waitMs = waitForLoading(retryAfterMs(response.headers, clock.now()));
    if (clock.monotonic() - start + waitMs > loadMs) return response;
    await discardBody(response);
    await sleep(clock, waitMs, signal);
    response = await inner.send(request, signal);
  }
  return response;
}

/** @throws PostelError `cancelled` if the caller leaves meanwhile. */
async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (stopped) {
    throw signal.aborted ? createAbortFailure(signal) : stopped;
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
  if (error instanceof RetryableResponse) await discardBody(error.response);
  const { run, key, onRetry } = request.purpose;
  const reason = describeReason(error);
  options.observer?.observe({ type: "retry", run, key, reason });
  onRetry?.(reason);
  await sleep(options.clock, waitMs, signal);
  return true;
}

function decideWait(error: Error, attemptNumber: number, options: RetryOptions): number | undefined {
  const draw = options.random();
  if (!mayBeRepeated(error)) return undefined;
  const isAnswer = error instanceof RetryableResponse;
  const askedMs = isAnswer ? retryAfterMs(error.response.headers, options.clock.now()) : undefined;
  return waitBeforeRetry(attemptNumber, { bounds: options, draw, requestedMs: askedMs });
}

function mayBeRepeated(error: unknown): boolean {
  return error instanceof RetryableResponse || isRetryable(error);
}

function isRetryable(error: unknown): error is PostelError {
  return error instanceof PostelError && isRetryableFailure(error.failure);
}

function describeReason(error: Error): string {
  return error instanceof PostelError ? error.failure.code : error.message;
}

// Stops dialling what keeps failing, counted by purpose key. Does not know what a key stands for.
import { failure, PostelError } from "../core/failures.ts";
import type { Clock, Egress, EgressResponse } from "../core/ports.ts";

/** Failures in a row that open a breaker, and how long it then stays open. */
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;
/** Keys hold model names that callers choose, so the number of remembered ones is bounded. */
const MAX_KEYS = 1_000;

interface Count {
  /** Failures in a row. */
  failures: number;
  /** Monotonic milliseconds until which nothing is tried. */
  openUntil: number;
}

/**
 * After five failures in a row of one key (no connection, no headers, a 5xx, a broken body, or what a reader reports of a
 * body by `reportFailure`) exchanges of that key are refused for ten seconds with `upstream_unavailable`, whose details
 * are `{breaker: "open", retryAfterMs}`; then one exchange probes. An exchange is a success when its body has been read
 * to the end. What the caller cancels or leaves counts neither way.
 */
export function breakerEgress(inner: Egress, options: { readonly clock: Clock }): Egress {
  const counts = new Map<string, Count>();
  return {
    async send(request, signal) {
      const { key } = request.purpose;
      admit(counts.get(key), key, options.clock.monotonic());
      const verdict = new Verdict(counts, key, options.clock);
      try {
        const response = await inner.send(request, signal);
        if (response.status >= 500) verdict.failed();
        return watch(response, verdict);
      } catch (error) {
        if (blamesUpstream(error)) verdict.failed();
        else verdict.undecided();
        throw error;
      }
    },
  };
}

function admit(count: Count | undefined, key: string, now: number): void {
  if (!count || count.failures < FAILURES_TO_OPEN) return;
  const waitMs = Math.ceil(count.openUntil - now);
  if (waitMs <= 0) {
    // This exchange is the probe. The others are held off by time, so that a probe which never ends cannot lock the key.
    count.openUntil = now + OPEN_MS;
    return;
  }
  const message = `${key} failed ${count.failures} times in a row and is not tried again for ${waitMs} ms.`;
  throw new PostelError(failure("upstream_unavailable", message, { breaker: "open", retryAfterMs: waitMs }));
}

/** What one exchange says about its key; the first word counts, but a failure found inside the body has the last one. */
class Verdict {
  readonly #counts: Map<string, Count>;
  readonly #key: string;
  readonly #clock: Clock;
  #state: "none" | "undecided" | "succeeded" | "failed" = "none";
  #failuresBefore = 0;

  constructor(counts: Map<string, Count>, key: string, clock: Clock) {
    this.#counts = counts;
    this.#key = key;
    this.#clock = clock;
  }

  succeeded(): void {
    if (this.#state !== "none") return;
    this.#state = "succeeded";
    this.#failuresBefore = this.#counts.get(this.#key)?.failures ?? 0;
    this.#counts.delete(this.#key);
  }

  failed(): void {
    if (this.#state === "failed") return;
    const failures = (this.#counts.get(this.#key)?.failures ?? this.#failuresBefore) + 1;
    this.#state = "failed";
    this.#counts.delete(this.#key);
    this.#counts.set(this.#key, { failures, openUntil: this.#clock.monotonic() + OPEN_MS });
    const oldest = this.#counts.keys().next();
    if (this.#counts.size > MAX_KEYS && !oldest.done) this.#counts.delete(oldest.value);
  }

  /** Nothing was learnt, so the next exchange may probe. */
  undecided(): void {
    if (this.#state !== "none") return;
    this.#state = "undecided";
    const count = this.#counts.get(this.#key);
    if (count && count.failures >= FAILURES_TO_OPEN) count.openUntil = this.#clock.monotonic();
  }
}

function watch(response: EgressResponse, verdict: Verdict): EgressResponse {
  const chunks = response.body[Symbol.asyncIterator]();
  const body: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      try {
        const chunk = await chunks.next();
        if (chunk.done) verdict.succeeded();
        return chunk;
      } catch (error) {
        if (blamesUpstream(error)) verdict.failed();
        else verdict.undecided();
        throw error;
      }
    },
    async return() {
      verdict.undecided();
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
  return { ...response, body, reportFailure: () => verdict.failed() };
}

function blamesUpstream(error: unknown): boolean {
  return error instanceof PostelError && error.failure.fault === "upstream";
}

// A semaphore with a bounded, first-come first-served queue.
import { createFailure, type Failure, PostelError } from "../failures.ts";

export interface SemaphoreOptions {
  /** Number of permits. */
  readonly permits: number;
  /** Maximum number of waiting callers; further ones are refused. */
  readonly maxWaiting: number;
  /** Milliseconds that a caller waits. */
  readonly waitMs: number;
  /** Configuration keys of these limits, for the error message. */
  readonly keys: string;
}

/** Releases the permits; further calls do nothing. */
export type Release = () => void;

interface Waiting {
  readonly size: number;
  readonly admit: () => void;
  readonly refuse: (cause: unknown) => void;
}

export class Semaphore {
  readonly #options: SemaphoreOptions;
  /** In the order of arrival. */
  readonly #queue = new Set<Waiting>();
  #acquired = 0;
  #refusedCount = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  /**
   * Acquires permits; returns their release function. The first caller in the queue is served first, even if a smaller
   * request behind it would fit.
   * @param size number of permits; capped at the total.
   * @throws PostelError `gateway_overloaded` with `retryAfterMs` if the queue is full or the wait is over; the signal's
   * reason.
   */
  async acquire(signal: AbortSignal, size = 1): Promise<Release> {
    signal.throwIfAborted();
    return this.#createRelease(this.tryAcquire(size) ?? (await this.acquireInTurn(signal, size)));
  }

  /** Release function of one permit; undefined if none is free or others wait. */
  tryAcquireOne(): Release | undefined {
    return this.tryAcquire() === undefined ? undefined : this.#createRelease(1);
  }

  /** Acquires permits without waiting. Returns their number, for `giveBack`; undefined if too few are free, or if others wait. */
  tryAcquire(size = 1): number | undefined {
    const permits = Math.min(size, this.#options.permits);
    if (this.#queue.size > 0 || !this.#isFree(permits)) return undefined;
    this.#acquired += permits;
    return permits;
  }

  /** Acquires permits after those who wait. Returns their number. */
  async acquireInTurn(signal: AbortSignal, size = 1): Promise<number> {
    const permits = Math.min(size, this.#options.permits);
    await this.#waitInQueue(signal, permits);
    return permits;
  }

  release(permits: number): void {
    this.#acquired -= permits;
    this.#admitNext();
  }

  #createRelease(size: number): Release {
    let permits = size;
    return () => {
      this.release(permits);
      permits = 0;
    };
  }

  /** Refuses all waiting callers. */
  rejectQueue(cause: Failure): void {
    for (const waiting of [...this.#queue]) waiting.refuse(new PostelError(cause));
  }

  #waitInQueue(signal: AbortSignal, size: number): Promise<void> {
    const { maxWaiting, waitMs } = this.#options;
    if (this.#queue.size >= maxWaiting) throw this.#overloaded("and no more requests may wait for one");
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#queue.delete(waiting);
      };
      const waiting: Waiting = {
        size,
        admit: () => {
          settle();
          resolve();
        },
        refuse: (cause) => {
          settle();
          reject(cause);
          // A smaller request may have been waiting behind it.
          this.#admitNext();
        },
      };
      const onAbort = (): void => waiting.refuse(signal.reason);
      const timer = setTimeout(
        () => waiting.refuse(this.#overloaded(`and none came free within ${waitMs} ms`)),
        waitMs,
      );
      signal.addEventListener("abort", onAbort, { once: true });
      this.#queue.add(waiting);
    });
  }

  #admitNext(): void {
    if (this.#queue.size === 0) return;
    for (const waiting of this.#queue) {
      if (!this.#isFree(waiting.size)) return;
      this.#acquired += waiting.size;
      waiting.admit();
    }
  }

  #isFree(size: number): boolean {
    return this.#acquired + size <= this.#options.permits;
  }

  #overloaded(reason: string): PostelError {
    const { keys } = this.#options;
    const message = `All request slots of the gateway are in use, ${reason} (${keys}). Send the request again in a moment.`;
    // Spreads the retries of refused callers over time.
    this.#refusedCount += 1;
    return new PostelError(
      createFailure("gateway_overloaded", message, { retryAfterMs: 1_000 * (1 + (this.#refusedCount % SPREAD)) }),
    );
  }
}

/** Number of seconds over which the retries of refused callers are spread. */
const SPREAD = 5;

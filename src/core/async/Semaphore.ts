// A semaphore with a bounded, first-come first-served queue.
import { createFailure, type Failure, PostelError } from "../failures.ts";

export interface PlacesOptions {
  /** Number of permits. */
  readonly most: number;
  /** Maximum number of waiting callers; further ones are refused. */
  readonly mostWaiting: number;
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
  readonly #options: PlacesOptions;
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #taken = 0;
  #refused = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * Acquires permits; returns their release function. The first caller in the queue is served first, even if a smaller
   * request behind it would fit.
   * @param size number of permits; capped at the total.
   * @throws PostelError `gateway_overloaded` with `retryAfterMs` if the queue is full or the wait is over; the signal's
   * reason.
   */
  async take(signal: AbortSignal, size = 1): Promise<Release> {
    signal.throwIfAborted();
    return this.#leaveOf(this.takeNow(size) ?? (await this.wait(signal, size)));
  }

  /** Release function of one permit; undefined if none is free or others wait. */
  takeFree(): Release | undefined {
    return this.takeNow() === undefined ? undefined : this.#leaveOf(1);
  }

  /** Acquires permits without waiting. Returns their number, for `giveBack`; undefined if too few are free, or if others wait. */
  takeNow(size = 1): number | undefined {
    const wanted = Math.min(size, this.#options.most);
    if (this.#waiting.size > 0 || !this.#fits(wanted)) return undefined;
    this.#taken += wanted;
    return wanted;
  }

  /** Acquires permits after those who wait. Returns their number. */
  async wait(signal: AbortSignal, size = 1): Promise<number> {
    const wanted = Math.min(size, this.#options.most);
    await this.#turn(signal, wanted);
    return wanted;
  }

  giveBack(places: number): void {
    this.#taken -= places;
    this.#admit();
  }

  #leaveOf(size: number): Release {
    let held = size;
    return () => {
      this.giveBack(held);
      held = 0;
    };
  }

  /** Refuses all waiting callers. */
  refuseWaiting(cause: Failure): void {
    for (const waiting of [...this.#waiting]) waiting.refuse(new PostelError(cause));
  }

  #turn(signal: AbortSignal, size: number): Promise<void> {
    const { mostWaiting, waitMs } = this.#options;
    if (this.#waiting.size >= mostWaiting) throw this.#overloaded("and no more requests may wait for one");
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
        this.#waiting.delete(waiting);
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
          this.#admit();
        },
      };
      const leave = (): void => waiting.refuse(signal.reason);
      const timer = setTimeout(
        () => waiting.refuse(this.#overloaded(`and none came free within ${waitMs} ms`)),
        waitMs,
      );
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(waiting);
    });
  }

  #admit(): void {
    if (this.#waiting.size === 0) return;
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.size)) return;
      this.#taken += waiting.size;
      waiting.admit();
    }
  }

  #fits(size: number): boolean {
    return this.#taken + size <= this.#options.most;
  }

  #overloaded(why: string): PostelError {
    const { keys } = this.#options;
    const message = `The gateway's places are all taken, ${why} (${keys}). Send the request again in a moment.`;
    // Spreads the retries of refused callers over time.
    this.#refused += 1;
    return new PostelError(
      createFailure("gateway_overloaded", message, { retryAfterMs: 1_000 * (1 + (this.#refused % SPREAD)) }),
    );
  }
}

/** Number of seconds over which the retries of refused callers are spread. */
const SPREAD = 5;

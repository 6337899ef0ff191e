// So many at once, and so many that wait, first come first served. Does not know what its places are for.
import { createFailure, type Failure, PostelError } from "../failures.ts";

export interface PlacesOptions {
  /** Places in all. */
  readonly most: number;
  /** Callers that may wait for one; the next is refused. */
  readonly mostWaiting: number;
  /** Milliseconds for which a caller waits. */
  readonly waitMs: number;
  /** The keys of the configuration that bound the places and the wait, for whoever reads the refusal. */
  readonly keys: string;
}

/** Gives the place back; called again it does nothing. */
export type Release = () => void;

interface Waiting {
  readonly size: number;
  readonly admit: () => void;
  readonly refuse: (cause: unknown) => void;
}

export class Semaphore {
  readonly #options: PlacesOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #taken = 0;
  #refused = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the way to give the place back. Whoever is in front is served first, even where a smaller one behind it would fit.
   * @param size places that are taken at once; more than there are counts as all of them.
   * @throws PostelError `gateway_overloaded` with `retryAfterMs` where too many wait or the wait is over; the signal's reason.
   */
  async take(signal: AbortSignal, size = 1): Promise<Release> {
    signal.throwIfAborted();
    return this.#leaveOf(this.takeNow(size) ?? (await this.wait(signal, size)));
  }

  /** The way to give one place back; undefined where none is free or others wait for it. */
  takeFree(): Release | undefined {
    return this.takeNow() === undefined ? undefined : this.#leaveOf(1);
  }

  /** As `take`, at once: how many were taken, for `giveBack`; undefined where they would have to be waited for. */
  takeNow(size = 1): number | undefined {
    const wanted = Math.min(size, this.#options.most);
    if (this.#waiting.size > 0 || !this.#fits(wanted)) return undefined;
    this.#taken += wanted;
    return wanted;
  }

  /** As `take`, behind those who wait: how many were taken. */
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

  /** Sends away everybody who waits. */
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
          // Somebody smaller may have stood behind.
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
    // Those who are sent away together do not come back together.
    this.#refused += 1;
    return new PostelError(
      createFailure("gateway_overloaded", message, { retryAfterMs: 1_000 * (1 + (this.#refused % SPREAD)) }),
    );
  }
}

/** Seconds over which the refused are told to come back. */
const SPREAD = 5;

// Keeps which of the places that a gateway writes to took no write last. Writes nothing itself.
import type { FailureCode } from "./failures.ts";
import type { Clock } from "./ports.ts";

export type WrittenPlace = "store" | "audit";

/** Milliseconds between two attempts to write to a place that took no write: each costs a transaction. */
const RETRY_MS = 5_000;

export class WriteHealth {
  /** True where requests cannot be served while a place takes no write: the gateway keeps sessions, runs of agents or an audit. */
  readonly isNeeded: boolean;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #failed = new Map<WrittenPlace, FailureCode>();
  #lastTry = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonic">, isNeeded: boolean) {
    this.#clock = clock;
    this.isNeeded = isNeeded;
  }

  /** The code of the last write's failure; absent where it went well. */
  failureOf(place: WrittenPlace): FailureCode | undefined {
    return this.#failed.get(place);
  }

  get isGood(): boolean {
    return this.#failed.size === 0;
  }

  /** Sets what became of the last write; `code` is absent where it went well. */
  note(place: WrittenPlace, code?: FailureCode): void {
    if (code === undefined) this.#failed.delete(place);
    else this.#failed.set(place, code);
  }

  /** True where a write is to be tried now, since nobody may write while a place is known to take none. The next one is due later. */
  takeRetry(): boolean {
    const now = this.#clock.monotonic();
    if (this.isGood || now - this.#lastTry < RETRY_MS) return false;
    this.#lastTry = now;
    return true;
  }
}

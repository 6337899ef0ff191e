// Tracks which targets (store, audit log) failed their last write.
import type { FailureCode } from "./failures.ts";
import type { Clock } from "./ports.ts";

export type WrittenPlace = "store" | "audit";

/** Milliseconds between two write attempts after a failed write; each costs a transaction. */
const RETRY_MS = 5_000;

export class WriteHealth {
  /** True if requests cannot be served while a write target fails: the gateway stores sessions, agent runs or an audit log. */
  readonly isNeeded: boolean;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #failed = new Map<WrittenPlace, FailureCode>();
  #lastTry = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonic">, isNeeded: boolean) {
    this.#clock = clock;
    this.isNeeded = isNeeded;
  }

  /** Failure code of the last write; undefined if it succeeded. */
  getFailure(target: WrittenPlace): FailureCode | undefined {
    return this.#failed.get(target);
  }

  get isHealthy(): boolean {
    return this.#failed.size === 0;
  }

  /** Records the result of the last write; `code` is absent if it succeeded. */
  recordResult(target: WrittenPlace, code?: FailureCode): void {
    if (code === undefined) this.#failed.delete(target);
    else this.#failed.set(target, code);
  }

  /** Returns true if a write attempt is due, because normal writes are refused while a target fails. Postpones the next attempt. */
  takeRetry(): boolean {
    const now = this.#clock.monotonic();
    if (this.isHealthy || now - this.#lastTry < RETRY_MS) return false;
    this.#lastTry = now;
    return true;
  }
}

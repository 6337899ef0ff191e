// Clock of a replay: adds the recorded durations and requested waits without waiting. Only for waits between exchanges, never for timeouts.
import type { Clock } from "../../core/ports.ts";

/** The clock of a replay: what reads it between two exchanges reads what it read when they were recorded. Obeys a recorded Retry-After without spending the time. */
export class ReplayClock implements Clock {
  /** Epoch milliseconds: where the recording stands. */
  #reached: number;
  /** Milliseconds slept since then. */
  #slept = 0;
  #sleptInAll = 0;

  /** @param recordedAt ISO 8601: when the recording was made, so that recorded dates keep their meaning. */
  constructor(recordedAt: string) {
    this.#reached = Date.parse(recordedAt);
  }

  now(): number {
    return this.#reached + this.#slept;
  }

  monotonic(): number {
    return this.#sleptInAll;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#slept += ms;
    this.#sleptInAll += ms;
  }

  /** Advances the clock to a time of the recording (epoch milliseconds). Of concurrent exchanges the latest end counts. */
  advanceTo(time: number): void {
    if (time < this.#reached) return;
    this.#reached = time;
    this.#slept = 0;
  }
}

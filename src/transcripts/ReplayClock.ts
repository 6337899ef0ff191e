// Time as a replay has it: a wait is over at once, and the clock has moved by it. Only for what waits between exchanges, never for timers that guard one.
import type { Clock } from "../core/ports.ts";

/** The clock of a replay's retries: obeys a recorded Retry-After without spending the time. */
export class ReplayClock implements Clock {
  readonly #start: number;
  #elapsed = 0;

  /** @param recordedAt ISO 8601: when the recording was made, so that recorded dates keep their meaning. */
  constructor(recordedAt: string) {
    this.#start = Date.parse(recordedAt);
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#elapsed += ms;
  }
}

// Numbers, dates and times what passes through a recorder, and has each written with what came of it. Knows nothing of what that is.
import type { Clock } from "../../core/ports.ts";

/** When something passed through, and what came of it; without an end it broke. */
export interface TimedEnd<End> {
  /** From 0, in the order of the starts; grows within a file. */
  readonly n: number;
  /** ISO 8601. */
  readonly at: string;
  readonly ms: number;
  readonly end?: End | undefined;
}

export class TimedRecorder {
  readonly #clock: Clock;
  #started = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What `run` gives, or is rejected with, once it is written. */
  async of<End>(run: () => Promise<End>, write: (recorded: TimedEnd<End>) => void): Promise<End> {
    const n = this.#started++;
    const at = new Date(this.#clock.now()).toISOString();
    const start = this.#clock.monotonic();
    const passed = () => ({ n, at, ms: Math.round(this.#clock.monotonic() - start) });
    try {
      const end = await run();
      write({ ...passed(), end });
      return end;
    } catch (error) {
      write(passed());
      throw error;
    }
  }
}

// Gives each recorded operation a number, a date and a duration, and writes it with its result.
import type { Clock } from "../../core/ports.ts";

/** Start and end of an operation; without an end it failed. */
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

  /** Runs the operation, writes its end, and then returns its result or rejects with its error. */
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

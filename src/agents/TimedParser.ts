// A parser that says how long it was at work: in its slices, not in what is made of them or while nothing came. Knows no text.
import type { Clock } from "../core/ports.ts";
import type { OutputParser } from "../formats/createOutputParser.ts";
import type { Slice } from "../formats/MultiFormatOutputParser.ts";

export class TimedParser implements OutputParser {
  /** Milliseconds so far. */
  ms = 0;
  readonly #parser: OutputParser;
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(parser: OutputParser, clock: Pick<Clock, "monotonic">) {
    this.#parser = parser;
    this.#clock = clock;
  }

  get released(): OutputParser["released"] {
    return this.#parser.released;
  }

  feedSlices(text: string): Iterable<Slice> {
    return this.#timed(this.#parser.feedSlices(text));
  }

  finishSlices(finishReason: string | null): Iterable<Slice> {
    return this.#timed(this.#parser.finishSlices(finishReason));
  }

  *#timed(slices: Iterable<Slice>): Generator<Slice, void, undefined> {
    const steps = slices[Symbol.iterator]();
    try {
      for (;;) {
        const start = this.#clock.monotonic();
        const step = steps.next();
        this.ms += this.#clock.monotonic() - start;
        if (step.done) return;
        yield step.value;
      }
    } finally {
      steps.return?.();
    }
  }
}

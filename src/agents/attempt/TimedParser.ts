// Wraps a parser and measures the time spent in its slices.
import type { Clock } from "../../core/ports.ts";
import type { OutputParser } from "../../formats/createOutputParser.ts";
import type { Slice } from "../../formats/MultiFormatOutputParser.ts";

export class TimedParser implements OutputParser {
  /** Milliseconds spent so far. */
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

  isPlainText(text: string): boolean {
    return this.#parser.isPlainText(text);
  }

  feedSlice(text: string): Slice {
    return this.#since(this.#clock.monotonic(), this.#parser.feedSlice(text));
  }

  nextSlice(): Slice {
    return this.#since(this.#clock.monotonic(), this.#parser.nextSlice());
  }

  finishSlice(finishReason: string | null): Slice {
    return this.#since(this.#clock.monotonic(), this.#parser.finishSlice(finishReason));
  }

  #since(start: number, slice: Slice): Slice {
    this.ms += this.#clock.monotonic() - start;
    return slice;
  }
}

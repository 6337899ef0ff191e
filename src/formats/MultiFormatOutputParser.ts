// The chain: model text in any chunking → content, reasoning, calls and issues, in order. What a mark means is data; how a call is
// read is its grammar's matter; this file only decides which grammar's turn it is.
import { ChannelReader } from "./channels/ChannelReader.ts";
import { type Reading, Source } from "./text/Source.ts";
import type { ParserEvent, ParserOptions, ReleasedCandidate } from "./turn/ParserEvent.ts";
import { Turn } from "./turn/Turn.ts";

/** What one slice of the work made certain. */
export interface Slice {
  readonly events: readonly ParserEvent[];
  /** True where another slice follows: whoever shares the process with others gives way before it asks for that. */
  readonly more: boolean;
}

/**
 * One parser reads one attempt. `feed` and `finish` return what has become certain; after `finish` nothing may be fed.
 * `feedSlices` and `finishSlices` are the same work in parts that hold the process for a few milliseconds each, and are to be read to
 * their ends. None throws on any text.
 */
export class MultiFormatOutputParser {
  readonly #source: Source;
  readonly #turn: Turn;
  readonly #reading: Reading<void>;

  constructor(options: ParserOptions) {
    this.#source = new Source(options.sliceChars);
    this.#turn = new Turn(this.#source, options);
    this.#reading = new ChannelReader(this.#turn).read();
  }

  /** Characters looked at or handed to decoders so far: what tests of linear time count. */
  get inspected(): number {
    return this.#source.inspected;
  }

  /** What looked like a call and was text after all, in order of the text: for explanations. */
  get released(): readonly ReleasedCandidate[] {
    return this.#turn.guard.released;
  }

  feed(text: string): ParserEvent[] {
    return [...this.feedSlices(text)].flatMap(({ events }) => events);
  }

  /** `finishReason` is the upstream's; `length` and `null` (a dead upstream) mean that the text was cut. */
  finish(finishReason: string | null): ParserEvent[] {
    return [...this.finishSlices(finishReason)].flatMap(({ events }) => events);
  }

  *feedSlices(text: string): Generator<Slice, void, undefined> {
    if (text === "") return;
    this.#source.append(text);
    yield* this.#read();
  }

  *finishSlices(finishReason: string | null): Generator<Slice, void, undefined> {
    this.#turn.finish = finishReason === "length" || finishReason === null ? "cut" : "normal";
    this.#source.end();
    yield* this.#read(true);
  }

  *#read(isLast = false): Generator<Slice, void, undefined> {
    const { sink } = this.#turn;
    for (let more = true; more; ) {
      this.#source.wake(this.#reading);
      more = this.#source.nextSlice();
      if (isLast && !more) sink.end();
      yield { events: sink.drain(), more };
    }
  }
}

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
    if (text === "") return [];
    this.#source.append(text);
    return this.#readOn(false);
  }

  /** `finishReason` is the upstream's; `length` and `null` (a dead upstream) mean that the text was cut. */
  finish(finishReason: string | null): ParserEvent[] {
    this.#end(finishReason);
    return this.#readOn(true);
  }

  *feedSlices(text: string): Generator<Slice, void, undefined> {
    if (text === "") return;
    this.#source.append(text);
    yield* this.#slices(false);
  }

  *finishSlices(finishReason: string | null): Generator<Slice, void, undefined> {
    this.#end(finishReason);
    yield* this.#slices(true);
  }

  *#slices(isLast: boolean): Generator<Slice, void, undefined> {
    for (let more = true; more; ) {
      const slice = this.#slice(isLast);
      more = slice.more;
      yield slice;
    }
  }

  #end(finishReason: string | null): void {
    this.#turn.finish = finishReason === "length" || finishReason === null ? "cut" : "normal";
    this.#source.end();
  }

  /** All slices in one go. */
  #readOn(isLast: boolean): ParserEvent[] {
    const { events, more } = this.#slice(isLast);
    if (more) for (const next of this.#slices(isLast)) for (const event of next.events) events.push(event);
    return events;
  }

  #slice(isLast: boolean): Slice & { readonly events: ParserEvent[] } {
    this.#source.wake(this.#reading);
    const more = this.#source.nextSlice();
    if (isLast && !more) this.#turn.sink.end();
    return { events: this.#turn.sink.drain(), more };
  }
}

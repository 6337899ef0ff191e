// Parses model text in any chunking to content, reasoning, calls and issues, in order.
// A table gives the meaning of a marker and its grammar reads the call. This file only selects the grammar.
import { ChannelReader } from "./channels/ChannelReader.ts";
import { type Parser, Source } from "./scanner/Source.ts";
import type { ParserEvent, ParserOptions, ReleasedCandidate } from "./state/ParserEvent.ts";
import { ParserState } from "./state/ParserState.ts";

/** Result of one slice of work. */
export interface Slice {
  readonly events: readonly ParserEvent[];
  /** True if another slice follows. The caller should let the event loop run before it asks for that. */
  readonly more: boolean;
}

/** Maximum characters of text that one slice takes. */
const MOST_WORDS = 1_024;

const NOTHING: Slice = { events: [], more: false };

/**
 * One parser reads one attempt. `feed` and `finish` return the events that are certain; after `finish` no text may be fed.
 * `feedSlice` and `finishSlice` begin the same work and block for a few milliseconds only; while a slice has `more`,
 * `nextSlice` continues. No method throws on any text.
 */
export class MultiFormatOutputParser {
  readonly #source: Source;
  readonly #state: ParserState;
  readonly #channels: ChannelReader;
  readonly #parser: Parser<void>;
  #isLast = false;
  /** The source has more to show than its last slice. */
  #hasMoreText = false;

  constructor(options: ParserOptions) {
    this.#source = new Source(options.sliceChars);
    this.#state = new ParserState(this.#source, options);
    this.#channels = new ChannelReader(this.#state);
    this.#parser = this.#channels.read();
  }

  /** Number of characters examined or passed to decoders so far. Tests of linear time use it. */
  get inspected(): number {
    return this.#source.inspected;
  }

  /** Candidates that turned out to be text, in order of the text. For explanations. */
  get released(): readonly ReleasedCandidate[] {
    return this.#state.guard.released;
  }

  /** Returns true if this text, fed now, would be one event with the same text. False if the parser must read it. */
  isPlainText(text: string): boolean {
    return text.length <= MOST_WORDS && this.#channels.isPlainText(text);
  }

  feed(text: string): readonly ParserEvent[] {
    return this.#readAllSlices(this.feedSlice(text));
  }

  /** `finishReason` is the upstream's; `length` and `null` (a dead upstream) mean that the text was cut. */
  finish(finishReason: string | null): readonly ParserEvent[] {
    return this.#readAllSlices(this.finishSlice(finishReason));
  }

  feedSlice(text: string): Slice {
    if (text === "") return NOTHING;
    this.#source.append(text);
    return this.nextSlice();
  }

  finishSlice(finishReason: string | null): Slice {
    this.#state.setFinish(finishReason);
    this.#source.endText();
    this.#isLast = true;
    return this.nextSlice();
  }

  /** Parses the next slice. Call it if the slice before had `more`. */
  nextSlice(): Slice {
    const { sink } = this.#state;
    if (!sink.hasMoreCalls) {
      this.#source.resume(this.#parser);
      this.#hasMoreText = this.#source.nextSlice();
      if (this.#isLast && !this.#hasMoreText) sink.endText();
    }
    return { events: sink.drain(), more: this.#hasMoreText || sink.hasMoreCalls };
  }

  /** The events of a slice and of all that follow it. */
  #readAllSlices(first: Slice): readonly ParserEvent[] {
    const events = [...first.events];
    for (let slice = first; slice.more; ) {
      slice = this.nextSlice();
      for (const event of slice.events) events.push(event);
    }
    return events;
  }
}

// The chain: model text in any chunking → content, reasoning, calls and issues, in order. What a mark means is data; how a call is
// read is its grammar's matter; this file only decides which grammar's turn it is.
import { ChannelReader } from "./ChannelReader.ts";
import type { ParserEvent, ParserOptions, ReleasedCandidate } from "./ParserEvent.ts";
import { type Reading, Source } from "./Source.ts";
import { TextSink } from "./TextSink.ts";
import { Turn } from "./Turn.ts";

/**
 * One parser reads one attempt. `feed` and `finish` return what has become certain; after `finish` nothing may be fed.
 * Neither throws on any text.
 */
export class MultiFormatOutputParser {
  readonly #source = new Source();
  readonly #sink = new TextSink();
  readonly #turn: Turn;
  readonly #reading: Reading<void>;

  constructor(options: ParserOptions) {
    this.#turn = new Turn(this.#source, this.#sink, options);
    this.#reading = new ChannelReader(this.#turn).read();
  }

  /** Characters looked at or handed to decoders so far: what tests of linear time count. */
  get inspected(): number {
    return this.#source.inspected;
  }

  /** What looked like a call and was text after all, in order of the text: for explanations. */
  get released(): readonly ReleasedCandidate[] {
    return this.#turn.released;
  }

  feed(text: string): ParserEvent[] {
    if (text === "") return [];
    this.#source.append(text);
    if (this.#source.doze()) return [];
    this.#reading.next();
    return this.#sink.drain();
  }

  /** `finishReason` is the upstream's; `length` and `null` (a dead upstream) mean that the text was cut. */
  finish(finishReason: string | null): ParserEvent[] {
    this.#turn.finish = finishReason === "length" || finishReason === null ? "cut" : "normal";
    this.#source.end();
    this.#reading.next();
    this.#turn.leave();
    this.#sink.end();
    return this.#sink.drain();
  }
}

// Sends the words of a streamed answer before their events have come, and leaves them out when those come. Knows no wire and no upstream.
import type { RunEvent } from "../core/events.ts";
import type { WordsAhead } from "../core/WordsAhead.ts";
import type { SseStream } from "./SseStream.ts";
import type { StreamEncoder } from "./wires/Wire.ts";

export class AheadWriter {
  readonly #encoder: Pick<StreamEncoder, "words">;
  readonly #sse: Pick<SseStream, "sendNow">;
  /** Characters that have left and whose events are still to come. */
  #left = 0;
  /** True where words came last: what follows them in the answer leaves as they did. */
  #flows = false;

  constructor(ahead: WordsAhead, encoder: Pick<StreamEncoder, "words">, sse: Pick<SseStream, "sendNow">) {
    this.#encoder = encoder;
    this.#sse = sse;
    ahead.sends = (words) => this.#send(words);
  }

  /** These events, but for the words that have left. */
  rest(events: readonly RunEvent[]): readonly RunEvent[] {
    this.#flows = events.at(-1)?.type === "text-delta";
    return this.#left === 0 ? events : events.filter((event) => !this.#hasLeft(event));
  }

  #send(words: readonly string[]): boolean {
    const text = this.#flows ? this.#encoder.words?.(words) : undefined;
    if (text === undefined || !this.#sse.sendNow(text)) return false;
    for (const { length } of words) this.#left += length;
    return true;
  }

  #hasLeft(event: RunEvent): boolean {
    if (event.type !== "text-delta" || event.text === "" || event.text.length > this.#left) return false;
    this.#left -= event.text.length;
    return true;
  }
}

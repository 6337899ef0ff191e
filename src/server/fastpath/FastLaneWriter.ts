// Sends the words of a streamed answer before their events have come, and leaves them out when those come. Knows no wire and no upstream.
import type { RunEvent } from "../../core/events/events.ts";
import type { FastLaneSink, TextFastLane, TextKind } from "../../core/events/TextFastLane.ts";
import type { StreamEncoder } from "../apis/FrontApi.ts";
import type { SseStream } from "../http/SseStream.ts";

export class FastLaneWriter implements FastLaneSink {
  readonly #encoder: Pick<StreamEncoder, "words">;
  readonly #sse: Pick<SseStream, "sendNow">;
  /** Characters that have left and whose events are still to come. */
  #left = 0;
  /** What words came last, where words did: such as follow them leave as they did. */
  #flows: TextKind | undefined;

  constructor(ahead: TextFastLane, encoder: Pick<StreamEncoder, "words">, sse: Pick<SseStream, "sendNow">) {
    this.#encoder = encoder;
    this.#sse = sse;
    ahead.writer = this;
  }

  /** These events are written: words like the last of them may leave. */
  follow(events: readonly RunEvent[]): void {
    this.#flows = getTextKind(events.at(-1));
  }

  /** These events, but for the words that have left. */
  rest(events: readonly RunEvent[]): readonly RunEvent[] {
    this.follow(events);
    return this.#left === 0 ? events : events.filter((event) => !this.#hasLeft(event));
  }

  send(kind: TextKind, words: readonly string[]): boolean {
    const text = this.#flows === kind ? this.#encoder.words?.(kind, words) : undefined;
    if (text === undefined || !this.#sse.sendNow(text)) return false;
    for (const { length } of words) this.#left += length;
    return true;
  }

  /** What left last is told before anything else is, so it is of the kind that left. */
  #hasLeft(event: RunEvent): boolean {
    if (event.type !== "text-delta" && event.type !== "reasoning-delta") return false;
    const { length } = event.text;
    if (length === 0 || length > this.#left) return false;
    this.#left -= length;
    return true;
  }
}

function getTextKind(event: RunEvent | undefined): TextKind | undefined {
  switch (event?.type) {
    case "text-delta":
      return "text";
    case "reasoning-delta":
      return "reasoning";
    default:
      return undefined;
  }
}

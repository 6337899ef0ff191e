// Sends text of a streamed answer before its events arrive, and skips that text when they do (fast path).
import type { RunEvent } from "../../core/events/events.ts";
import type { FastLaneSink, TextFastLane, TextKind } from "../../core/events/TextFastLane.ts";
import type { StreamEncoder } from "../apis/FrontApi.ts";
import type { SseStream } from "../http/SseStream.ts";

export class FastLaneWriter implements FastLaneSink {
  readonly #encoder: Pick<StreamEncoder, "frameTexts">;
  readonly #sse: Pick<SseStream, "sendNow">;
  /** Number of characters that were sent and whose events are still to come. */
  #remaining = 0;
  /** Kind of the text that was sent last, if it was text; more text of this kind may use the fast path. */
  #flows: TextKind | undefined;

  constructor(fastLane: TextFastLane, encoder: Pick<StreamEncoder, "frameTexts">, sse: Pick<SseStream, "sendNow">) {
    this.#encoder = encoder;
    this.#sse = sse;
    fastLane.writer = this;
  }

  /** Notes that these events are written: text of the same kind as the last may use the fast path. */
  addSent(events: readonly RunEvent[]): void {
    this.#flows = getTextKind(events.at(-1));
  }

  /** Returns the events without the text that was already sent. */
  removeSent(events: readonly RunEvent[]): readonly RunEvent[] {
    this.addSent(events);
    return this.#remaining === 0 ? events : events.filter((event) => !this.#hasLeft(event));
  }

  send(kind: TextKind, words: readonly string[]): boolean {
    const text = this.#flows === kind ? this.#encoder.frameTexts?.(kind, words) : undefined;
    if (text === undefined || !this.#sse.sendNow(text)) return false;
    for (const { length } of words) this.#remaining += length;
    return true;
  }

  /** Text that was sent early is always reported before any other event, so its kind is the one that was sent. */
  #hasLeft(event: RunEvent): boolean {
    if (event.type !== "text-delta" && event.type !== "reasoning-delta") return false;
    const { length } = event.text;
    if (length === 0 || length > this.#remaining) return false;
    this.#remaining -= length;
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

// Fast path: reads the text of new events so that it can leave at once. The text is later reported as one event.
import type { ModelEvent } from "../../core/events/events.ts";
import type { TextFastLane, TextKind } from "../../core/events/TextFastLane.ts";
import type { ChatStreamState } from "./ChatStreamState.ts";
import type { EventTimeout } from "./EventTimeout.ts";
import type { ResponseLimits } from "./ResponseLimits.ts";

/** Events of one read: of more, reading them together costs less than looking at each. */
const MOST_EVENTS = 16;
const MOST_BYTES = 8_192;
/** Maximum characters that may have left without a reported event. */
const MAX_PENDING = 2_048;

/** Start and end of an event that has only data. */
const BEGINNING = "data: ";
const END = "\n\n";

/** Each read stands between two ends of events, so no character is parted. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The fast path of one answer, the reader of its chunks' text, and its meter. */
export interface FastLaneContext {
  readonly ahead: TextFastLane;
  readonly exchange: Pick<ChatStreamState, "wordsKind" | "extractText">;
  readonly meter: Pick<ResponseLimits, "tryAccept" | "addUnread">;
}

export class FastLaneReader {
  readonly #lane: FastLaneContext;
  readonly #deadline: Pick<EventTimeout, "restart">;
  #isAtEvent = false;
  #pendingText = "";
  #kind: TextKind = "text";

  /** @param deadline restarted when text has left: the answer progresses. */
  constructor(lane: FastLaneContext, deadline: Pick<EventTimeout, "restart">) {
    this.#lane = lane;
    this.#deadline = deadline;
  }

  /** Further data is awaited after this piece of the stream; absent: from now on nothing leaves before it is parsed. */
  resetPending(piece?: string): void {
    this.#isAtEvent = piece?.endsWith(END) ?? false;
  }

  /** Returns the text that left since the last call, for the consumer of the events. */
  takePending(): readonly ModelEvent[] {
    const text = this.#pendingText;
    this.#pendingText = "";
    return text === "" ? NOTHING : [{ type: this.#kind, text }];
  }

  /** Returns true if all content of these bytes has left. */
  readonly read = (bytes: Uint8Array): boolean => {
    if (!this.#isAtEvent || bytes.length > MOST_BYTES || this.#pendingText.length > MAX_PENDING) return false;
    const { ahead: fastLane, exchange, meter } = this.#lane;
    const kind = exchange.wordsKind;
    if (!kind || (this.#pendingText !== "" && kind !== this.#kind)) return false;
    const text = UTF8.decode(bytes);
    const words: string[] = [];
    let events = "";
    for (let at = 0; at < text.length; ) {
      const data = at + BEGINNING.length;
      const end = text.indexOf(END, data);
      if (end === -1 || words.length === MOST_EVENTS || text.slice(at, data) !== BEGINNING) return false;
      const one = exchange.extractText(text, data, end);
      if (one === undefined) return false;
      words.push(one);
      events += one;
      at = end + END.length;
    }
    // The regular reader refuses what exceeds the limits.
    if (!meter.tryAccept(text.length, words.length, events.length) || !fastLane.trySend(kind, words)) return false;
    meter.addUnread(text, words.length, events.length);
    this.#kind = kind;
    this.#pendingText += events;
    this.#deadline.restart();
    return true;
  };
}

const NOTHING: readonly ModelEvent[] = [];

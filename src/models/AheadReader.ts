// Reads the words off events that have just come, so that they can leave at once; what has left is told in one piece. Reads nothing but words.
import type { ModelEvent } from "../core/events.ts";
import type { WordsAhead, WordsKind } from "../core/WordsAhead.ts";
import type { AnswerMeter } from "./AnswerMeter.ts";
import type { ChatExchange } from "./ChatExchange.ts";
import type { EventDeadline } from "./EventDeadline.ts";

/** Bytes of a read that is looked at before it is read. */
const MOST_BYTES = 8_192;
/** Events that leave at once. */
const MOST_EVENTS = 256;
/** Events that are read before those behind them may leave: the role, and a word that others can be like. */
const PART_EVENTS = 2;
/** Characters that may have left and not been told, and what of one read is beyond. */
const MOST_UNTOLD = 2_048;

/** How an event begins that is nothing but its data, and how it ends. */
const BEGINNING = "data: ";
const END = "\n\n";

/** Each read stands between two ends of events, so no character is parted. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** One answer's lane, what knows the words of its chunks, and what counts them. */
export interface Lane {
  readonly ahead: WordsAhead;
  readonly exchange: Pick<ChatExchange, "wordsKind" | "wordsIn">;
  readonly meter: Pick<AnswerMeter, "takes" | "left">;
}

export class AheadReader {
  readonly #lane: Lane;
  readonly #deadline: Pick<EventDeadline, "again">;
  /** True while more of the stream is waited for: only then does anything leave of what comes. */
  waits = false;
  /** The piece of the stream that is being read, in parts, and where the part that comes next begins. */
  #piece = "";
  #at = 0;
  /** True where the piece that came last ended an event. */
  #isAtEvent = false;
  #untold = "";
  #kind: WordsKind = "text";
  #partEvents = PART_EVENTS;

  /** @param deadline told when words have left: the answer gets on. */
  constructor(lane: Lane, deadline: Pick<EventDeadline, "again">) {
    this.#lane = lane;
    this.#deadline = deadline;
  }

  /** What has left since it was asked last, for whoever takes the events. */
  told(): readonly ModelEvent[] {
    const text = this.#untold;
    this.#untold = "";
    return text === "" ? NOTHING : [{ type: this.#kind, text }];
  }

  /** True where all that these bytes say has left. */
  readonly read = (bytes: Uint8Array): boolean => {
    if (!this.waits || !this.#isAtEvent || bytes.length > MOST_BYTES) return false;
    const text = UTF8.decode(bytes);
    return this.#leave(text, 0, true) === text.length;
  };

  /** A piece that has come is read in parts, of which this is the first. */
  firstOf(piece: string): string {
    this.#isAtEvent = piece.endsWith(END);
    this.#piece = piece;
    this.#at = 0;
    return this.#part();
  }

  /** Lets the words leave with which the piece goes on, and gives what is to be read of it then; undefined where nothing is. */
  next(): string | undefined {
    if (this.#piece === "") return undefined;
    const at = this.#leave(this.#piece, this.#at, false);
    this.#partEvents = at > this.#at ? PART_EVENTS : this.#partEvents * 2;
    this.#at = at;
    if (at < this.#piece.length) return this.#part();
    this.#piece = "";
    return undefined;
  }

  /** Few events, and more each time that nothing has left before them. */
  #part(): string {
    const piece = this.#piece;
    const from = this.#at;
    this.#at = behindEvents(piece, from, this.#partEvents);
    if (this.#at < piece.length) return piece.slice(from, this.#at);
    this.#piece = "";
    return from === 0 ? piece : piece.slice(from);
  }

  #leave(text: string, from: number, all: boolean): number {
    const { exchange, meter } = this.#lane;
    const kind = exchange.wordsKind;
    if (!kind || this.#untold.length > MOST_UNTOLD || (this.#untold !== "" && kind !== this.#kind)) return from;
    const words: string[] = [];
    let said = "";
    let to = from;
    while (to < text.length && words.length < MOST_EVENTS) {
      const end = text.indexOf(END, to);
      const data = to + BEGINNING.length;
      const isWhole = end !== -1 && text.slice(to, data) === BEGINNING;
      const one = isWhole ? exchange.wordsIn(text, data, end) : undefined;
      if (one === undefined) break;
      words.push(one);
      said += one;
      to = end + END.length;
    }
    if (words.length === 0 || (all && to < text.length)) return from;
    // Whoever reads it is to refuse what is too much.
    if (!meter.takes(to - from, words.length, said.length)) return from;
    const left = this.#offer(kind, words, all);
    if (left === 0) return from;
    if (left < words.length) {
      said = words.slice(0, left).join("");
      to = behindEvents(text, from, left);
    }
    meter.left(text.slice(from, to), left, said.length);
    this.#kind = kind;
    this.#untold += said;
    this.#deadline.again();
    return to;
  }

  /** How many of the words have left: those before the first that does not pass. */
  #offer(kind: WordsKind, words: readonly string[], all: boolean): number {
    const { ahead } = this.#lane;
    if (ahead.offer(kind, words)) return words.length;
    if (all) return 0;
    const passing = ahead.passing(kind, words);
    const some = passing > 0 && passing < words.length && ahead.offer(kind, words.slice(0, passing));
    return some ? passing : 0;
  }
}

/** Where so many events of a text end from `from` on; where it has fewer, its own end. */
function behindEvents(text: string, from: number, events: number): number {
  let to = from;
  for (let event = 0; event < events; event += 1) {
    const end = text.indexOf(END, to);
    if (end === -1) return text.length;
    to = end + END.length;
  }
  return to;
}

const NOTHING: readonly ModelEvent[] = [];

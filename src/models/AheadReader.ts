// Reads the words off events that have just come, so that they can leave at once; what has left is told in one piece. Reads nothing but words.
import type { ModelEvent } from "../core/events.ts";
import type { WordsAhead, WordsKind } from "../core/WordsAhead.ts";
import type { AnswerMeter } from "./AnswerMeter.ts";
import type { Words } from "./ChatExchange.ts";

/** Events of one read: of more, reading them together costs less than looking at each. */
const MOST_EVENTS = 16;
const MOST_BYTES = 8_192;
/** Characters that may have left and not been told. */
const MOST_UNTOLD = 2_048;

/** How an event begins that is nothing but its data, and how it ends. */
const BEGINNING = "data: ";
const END = "\n\n";

/** Each read stands between two ends of events, so no character is parted. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** One answer's lane, and what knows the words of its chunks. */
export interface Lane {
  readonly ahead: WordsAhead;
  /** The words of a chunk that says nothing else; undefined where it has to be read. */
  wordsIn(data: string): Words | undefined;
  readonly meter: Pick<AnswerMeter, "takes" | "readText" | "readEvents" | "said">;
}

export class AheadReader {
  readonly #lane: Lane;
  readonly #onWords: () => void;
  #isAtEvent = false;
  #untold = "";
  #kind: WordsKind = "text";

  /** @param onWords told when words have left: the answer gets on. */
  constructor(lane: Lane, onWords: () => void) {
    this.#lane = lane;
    this.#onWords = onWords;
  }

  /** More is waited for behind this piece of the stream; absent: from now on nothing leaves before it is read. */
  waitBehind(piece?: string): void {
    this.#isAtEvent = piece?.endsWith(END) ?? false;
  }

  /** What has left since it was asked last, for whoever takes the events. */
  told(): readonly ModelEvent[] {
    const text = this.#untold;
    this.#untold = "";
    return text === "" ? NOTHING : [{ type: this.#kind, text }];
  }

  /** True where all that these bytes say has left. */
  readonly read = (bytes: Uint8Array): boolean => {
    if (!this.#isAtEvent || bytes.length > MOST_BYTES || this.#untold.length > MOST_UNTOLD) return false;
    const text = UTF8.decode(bytes);
    const said = this.#saidIn(text);
    const kind = said?.[0]?.type;
    if (!said || !kind || (this.#untold !== "" && kind !== this.#kind)) return false;
    const words = said.map((one) => one.text);
    if (!this.#fits(text, words) || !this.#lane.ahead.offer(kind, words)) return false;
    this.#count(text, said);
    this.#kind = kind;
    this.#untold += words.join("");
    this.#onWords();
    return true;
  };

  /** The words of each event; undefined where one of them says anything else or something of another kind, or is not whole. */
  #saidIn(text: string): readonly Words[] | undefined {
    const said: Words[] = [];
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf(END, at);
      if (end === -1 || said.length === MOST_EVENTS || !text.startsWith(BEGINNING, at)) return undefined;
      const data = text.slice(at + BEGINNING.length, end);
      const words = data.includes("\n") ? undefined : this.#lane.wordsIn(data);
      if (!words || (said[0] && said[0].type !== words.type)) return undefined;
      said.push(words);
      at = end + END.length;
    }
    return said;
  }

  /** Whoever reads it is to refuse what is too much. */
  #fits(text: string, words: readonly string[]): boolean {
    const said = words.reduce((sum, { length }) => sum + length, 0);
    return this.#lane.meter.takes({ read: text.length, events: words.length, said });
  }

  #count(text: string, said: readonly Words[]): void {
    const { meter } = this.#lane;
    meter.readText(text);
    meter.readEvents(said.length);
    for (const one of said) meter.said(one);
  }
}

const NOTHING: readonly ModelEvent[] = [];

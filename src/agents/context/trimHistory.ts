// Makes a history fit: old results are shortened first, then what belongs together is left out, the oldest first. Pure; knows no model.
import { joinText, type Message } from "../../core/messages.ts";
import { formatContinuationHint } from "../../tools/execution/ResultTruncator.ts";
import { measureMessage } from "./estimateTokens.ts";
import { findLastTurn, groupMessages, isInstruction } from "./messageGroups.ts";

export interface TokenBudget {
  /** Characters of all messages that are aimed at. */
  readonly chars: number;
  /** Messages beside instructions; absent: any number. */
  readonly messages?: number | undefined;
}

export interface Trimmed {
  readonly messages: readonly Message[];
  /** How many were left out. */
  readonly left: number;
  /** The calls whose results were shortened. */
  readonly shortened: readonly string[];
}

/** What can be read on in: whole results by the ids of their calls. */
type Wholes = ReadonlyMap<string, string>;
const NOTHING_KEPT: Wholes = new Map();

/** What stays of an old result. */
const OLD_CHARS = 400;
/** What stays of a result of the last turn, at the least. */
const LEAST_CHARS = 200;
/** A single result may take so much of the room before anything else has to give way to it. */
const SHARE_OF_ONE = 0.5;

/** The same messages where they fit. What cannot be made to fit is as small as it gets. */
export function trimHistory(messages: readonly Message[], room: TokenBudget, wholes = NOTHING_KEPT): Trimmed {
  return new Trimming(messages, room, wholes).trimmed();
}

class Trimming {
  readonly #messages: (Message | undefined)[];
  readonly #given: readonly Message[];
  readonly #room: TokenBudget;
  readonly #wholes: Wholes;
  readonly #last: number;
  readonly #shortened = new Set<number>();
  #chars: number;
  #count: number;

  constructor(messages: readonly Message[], room: TokenBudget, wholes: Wholes) {
    this.#wholes = wholes;
    this.#given = messages;
    this.#messages = [...messages];
    this.#room = room;
    this.#last = findLastTurn(messages);
    this.#chars = messages.reduce((sum, message) => sum + measureMessage(message), 0);
    this.#count = messages.filter((message) => !isInstruction(message)).length;
  }

  trimmed(): Trimmed {
    if (!this.#fits) this.#shortenAll(Math.max(LEAST_CHARS, Math.floor(this.#room.chars * SHARE_OF_ONE)), 0);
    this.#shortenAll(OLD_CHARS, 0, this.#last);
    this.#leaveOut();
    this.#shortenLast();
    const messages = this.#messages.filter((message) => message !== undefined);
    const left = this.#given.length - messages.length;
    const isSame = left === 0 && this.#shortened.size === 0;
    const shortened = [...this.#shortened].flatMap((at) => this.#messages[at]?.toolCallId ?? []);
    return { messages: isSame ? this.#given : messages, left, shortened };
  }

  get #fits(): boolean {
    return this.#chars <= this.#room.chars;
  }

  /** Until all fit. */
  #shortenAll(most: number, from: number, to = this.#messages.length): void {
    for (let at = from; at < to && !this.#fits; at += 1) this.#shorten(at, most);
  }

  #shorten(at: number, most: number): void {
    const message = this.#messages[at];
    if (message?.role !== "tool") return;
    const { toolCallId: callId = "" } = message;
    const content = shortenedResult(joinText(message.content), most, { callId, whole: this.#wholes.get(callId) });
    if (content === undefined) return;
    const shorter = { ...message, content };
    this.#chars += measureMessage(shorter) - measureMessage(message);
    this.#messages[at] = shorter;
    this.#shortened.add(at);
  }

  #leaveOut(): void {
    const { messages: most = Number.POSITIVE_INFINITY } = this.#room;
    for (const { from, to, is } of groupMessages(this.#given)) {
      if (this.#fits && this.#count <= most) return;
      if (is !== "old") continue;
      for (let at = from; at < to; at += 1) {
        this.#chars -= measureMessage(this.#messages[at] as Message);
        this.#messages[at] = undefined;
      }
      this.#count -= to - from;
    }
  }

  /** The longest first, so that what is short stays whole. */
  #shortenLast(): void {
    if (this.#fits) return;
    const results = [...this.#messages.entries()].flatMap(([at, message]) =>
      at >= this.#last && message?.role === "tool" ? [{ at, chars: measureMessage(message) }] : [],
    );
    for (const { at, chars } of results.toSorted((a, b) => b.chars - a.chars)) {
      const over = this.#chars - this.#room.chars;
      if (over <= 0) return;
      this.#shorten(at, Math.max(LEAST_CHARS, chars - over - NOTE_CHARS));
    }
  }
}

/** More than the note behind a shortened result has. */
const NOTE_CHARS = 200;
/** Behind a result that was cut, by this or when it came. */
const NOTE = /\n\.\.\. \(truncated (\d+) characters\)(?:\n[^\n]*)?$/;

interface Origin {
  readonly callId: string;
  readonly whole: string | undefined;
}

/** Its beginning, how much is missing, and how to read it; undefined where that would not be shorter. */
function shortenedResult(text: string, most: number, { callId, whole }: Origin): string | undefined {
  const before = NOTE.exec(text);
  const said = before ? text.slice(0, before.index) : text;
  // What was not cut before gets a note, which would be longer than what it stands for.
  if (said.length <= most + (before ? 0 : NOTE_CHARS)) return undefined;
  // Half of a surrogate pair is no character.
  const head = (whole ?? said).slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
  const missing = whole === undefined ? said.length + Number(before?.[1] ?? 0) : whole.length;
  const how = whole === undefined ? "" : `\n${formatContinuationHint(callId, head.length)}`;
  return `${head}\n... (truncated ${missing - head.length} characters)${how}`;
}

// Trims a history to a budget: shortens old results first, then drops the oldest message groups. Pure.
import { isInstruction, joinText, type Message } from "../../core/messages.ts";
import { formatContinuationHint } from "../../tools/execution/ResultTruncator.ts";
import { measureMessage } from "./estimateTokens.ts";
import { findLastTurn, groupMessages } from "./messageGroups.ts";

export interface TokenBudget {
  /** Target number of characters of all messages. */
  readonly chars: number;
  /** Maximum number of messages without instructions; absent: unlimited. */
  readonly messages?: number | undefined;
}

export interface Trimmed {
  readonly messages: readonly Message[];
  /** Number of dropped messages. */
  readonly droppedCount: number;
  /** Ids of the calls whose results were shortened. */
  readonly shortened: readonly string[];
}

/** Complete results by call id, which the model can still read. */
type Wholes = ReadonlyMap<string, string>;
const NOTHING_KEPT: Wholes = new Map();

/** Characters that remain of an old result. */
const OLD_CHARS = 400;
/** Minimum number of characters that remain of a result of the last turn. */
const LEAST_CHARS = 200;
/** Maximum share of the budget for a single result, before other messages are shortened. */
const SHARE_OF_ONE = 0.5;

/** Returns the same array if the messages fit. A history that cannot fit is shrunk as far as possible. */
export function trimHistory(messages: readonly Message[], budget: TokenBudget, wholes = NOTHING_KEPT): Trimmed {
  return new Trimming(messages, budget, wholes).trimmed();
}

class Trimming {
  readonly #messages: (Message | undefined)[];
  readonly #originals: readonly Message[];
  readonly #budget: TokenBudget;
  readonly #wholes: Wholes;
  readonly #last: number;
  readonly #shortened = new Set<number>();
  #chars: number;
  #count: number;

  constructor(messages: readonly Message[], budget: TokenBudget, wholes: Wholes) {
    this.#wholes = wholes;
    this.#originals = messages;
    this.#messages = [...messages];
    this.#budget = budget;
    this.#last = findLastTurn(messages);
    this.#chars = messages.reduce((sum, message) => sum + measureMessage(message), 0);
    this.#count = messages.filter((message) => !isInstruction(message)).length;
  }

  trimmed(): Trimmed {
    if (!this.#fits) this.#shortenAll(Math.max(LEAST_CHARS, Math.floor(this.#budget.chars * SHARE_OF_ONE)), 0);
    this.#shortenAll(OLD_CHARS, 0, this.#last);
    this.#leaveOut();
    this.#shortenLast();
    const messages = this.#messages.filter((message) => message !== undefined);
    const droppedCount = this.#originals.length - messages.length;
    const isSame = droppedCount === 0 && this.#shortened.size === 0;
    const shortened = [...this.#shortened].flatMap((at) => this.#messages[at]?.toolCallId ?? []);
    return { messages: isSame ? this.#originals : messages, droppedCount, shortened };
  }

  get #fits(): boolean {
    return this.#chars <= this.#budget.chars;
  }

  /** Shortens results until all messages fit. */
  #shortenAll(limit: number, from: number, to = this.#messages.length): void {
    for (let at = from; at < to && !this.#fits; at += 1) this.#shorten(at, limit);
  }

  #shorten(at: number, limit: number): void {
    const message = this.#messages[at];
    if (message?.role !== "tool") return;
    const { toolCallId: callId = "" } = message;
    const content = shortenedResult(joinText(message.content), limit, { callId, whole: this.#wholes.get(callId) });
    if (content === undefined) return;
    const shorter = { ...message, content };
    this.#chars += measureMessage(shorter) - measureMessage(message);
    this.#messages[at] = shorter;
    this.#shortened.add(at);
  }

  #leaveOut(): void {
    const { messages: limit = Number.POSITIVE_INFINITY } = this.#budget;
    for (const { from, to, is } of groupMessages(this.#originals)) {
      if (this.#fits && this.#count <= limit) return;
      if (is !== "old") continue;
      for (let at = from; at < to; at += 1) {
        this.#chars -= measureMessage(this.#messages[at] as Message);
        this.#messages[at] = undefined;
      }
      this.#count -= to - from;
    }
  }

  /** Shortens the longest results first, so that short results stay complete. */
  #shortenLast(): void {
    if (this.#fits) return;
    const results = [...this.#messages.entries()].flatMap(([at, message]) =>
      at >= this.#last && message?.role === "tool" ? [{ at, chars: measureMessage(message) }] : [],
    );
    for (const { at, chars } of results.toSorted((a, b) => b.chars - a.chars)) {
      const excess = this.#chars - this.#budget.chars;
      if (excess <= 0) return;
      this.#shorten(at, Math.max(LEAST_CHARS, chars - excess - NOTE_CHARS));
    }
  }
}

/** More characters than the note after a shortened result has. */
const NOTE_CHARS = 200;
/** Note after a result that was cut, here or when it arrived. */
const NOTE = /\n\.\.\. \(truncated (\d+) characters\)(?:\n[^\n]*)?$/;

interface Origin {
  readonly callId: string;
  readonly whole: string | undefined;
}

/** Beginning of the result, number of missing characters, and how to read them; undefined if that is not shorter. */
function shortenedResult(text: string, limit: number, { callId, whole }: Origin): string | undefined {
  const before = NOTE.exec(text);
  const said = before ? text.slice(0, before.index) : text;
  // A result that was not cut before gets a note, which must not be longer than the text it replaces.
  if (said.length <= limit + (before ? 0 : NOTE_CHARS)) return undefined;
  // Never splits a surrogate pair.
  const head = (whole ?? said).slice(0, limit).replace(/[\uD800-\uDBFF]$/, "");
  const missing = whole === undefined ? said.length + Number(before?.[1] ?? 0) : whole.length;
  const hint = whole === undefined ? "" : `\n${formatContinuationHint(callId, head.length)}`;
  return `${head}\n... (truncated ${missing - head.length} characters)${hint}`;
}

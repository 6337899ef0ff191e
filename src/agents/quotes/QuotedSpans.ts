// Finds a span, without white space and invisible characters, in the texts that a model may quote from. The cost is linear in the length of texts and spans.
import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import type { SourceText } from "./conversationTimeline.ts";
import { collectDecodedForms } from "./decodeText.ts";

/** Length of the prefix with which candidate offsets are found. */
const PREFIX = 8;
/** Length of the prefix with which candidate offsets are told apart before they are compared. */
const WINDOW = 128;
/** Characters that are processed in one slice. */
const SLICE = 131_072;
/** Budget per character of texts and spans, in the cost of reading one character. If it is exceeded, a span counts as found. */
const MOST_LOOKS = 32;
const PLACE_COST = 16;
const WINDOW_COST = 64;
/** Number of characters that are compared or searched for the cost of reading one. */
const PASSED = 16;

/** Spans contain no white space, so no match reaches from one text into the next. */
const BETWEEN = "\n";

export class QuotedSpans {
  readonly #sources: readonly SourceText[];
  readonly #pace = new YieldBudget(SLICE);
  /** All texts in all their decoded forms, without white space; undefined before the first search. */
  #text: string | undefined;
  /** End offset of each form in `#text`, and the time of its text. */
  readonly #ends: { readonly end: number; readonly time: number }[] = [];
  readonly #positions = new Map<string, readonly number[]>();
  /** Offsets of a prefix by the characters that follow it. */
  readonly #windows = new Map<string, ReadonlyMap<string, readonly number[]>>();
  #remainingWork = 0;

  /** @param sources in order of time. */
  constructor(sources: readonly SourceText[]) {
    this.#sources = sources;
  }

  /** Time of the first text that contains the span, plain or decoded; undefined if there is none. */
  *firstTime(span: string): Generator<typeof YIELD, number | undefined> {
    this.#text ??= yield* this.#readConversation();
    const text = this.#text;
    const bare = removeWhitespace(span);
    if (bare === "") return undefined;
    this.#remainingWork += bare.length * MOST_LOOKS;
    const size = Math.min(bare.length, WINDOW);
    const positions = (yield* this.#findWindows(text, bare.slice(0, PREFIX), size)).get(bare.slice(0, size)) ?? [];
    for (const position of positions) {
      yield* this.#spendWork(WINDOW_COST + bare.length / PASSED);
      // A wrong call is worse than a missed call.
      if (this.#remainingWork < 0) return this.#getTime(position);
      if (text.startsWith(bare, position)) return this.#getTime(position);
    }
    return this.#remainingWork < 0 ? 0 : undefined;
  }

  *#readConversation(): Generator<typeof YIELD, string> {
    const parts: string[] = [];
    let length = 0;
    for (const { time, text } of this.#sources) {
      for (const form of yield* collectDecodedForms(text)) {
        for (let at = 0; at < form.length; at += SLICE) {
          const part = removeWhitespace(form.slice(at, at + SLICE));
          yield* this.#spendWork(SLICE);
          parts.push(part);
          length += part.length;
        }
        parts.push(BETWEEN);
        length += BETWEEN.length;
        this.#ends.push({ end: length, time });
      }
    }
    this.#remainingWork = (length + SLICE) * MOST_LOOKS;
    return parts.join("");
  }

  *#findWindows(
    text: string,
    prefix: string,
    size: number,
  ): Generator<typeof YIELD, ReadonlyMap<string, readonly number[]>> {
    const key = `${size} ${prefix}`;
    const known = this.#windows.get(key);
    if (known) return known;
    const windows = new Map<string, number[]>();
    for (const position of yield* this.#findPositions(text, prefix)) {
      yield* this.#spendWork(WINDOW_COST);
      // An incomplete index is not cached.
      if (this.#remainingWork < 0) return windows;
      const window = text.slice(position, position + size);
      const same = windows.get(window);
      if (same) same.push(position);
      else windows.set(window, [position]);
    }
    this.#windows.set(key, windows);
    return windows;
  }

  *#findPositions(text: string, prefix: string): Generator<typeof YIELD, readonly number[]> {
    const known = this.#positions.get(prefix);
    if (known) return known;
    const positions: number[] = [];
    let from = 0;
    for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
      yield* this.#spendWork(PLACE_COST + (at - from) / PASSED);
      positions.push(at);
      from = at;
    }
    yield* this.#spendWork((text.length - from) / PASSED);
    this.#positions.set(prefix, positions);
    return positions;
  }

  /** Charges the budget, and yields if an event-loop tick is due. */
  *#spendWork(cost: number): Generator<typeof YIELD, void> {
    this.#remainingWork -= cost;
    if (this.#pace.isDue(cost)) yield YIELD;
  }

  #getTime(position: number): number {
    let low = 0;
    for (let high = this.#ends.length - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if (position < (this.#ends[middle]?.end ?? 0)) high = middle;
      else low = middle + 1;
    }
    return this.#ends[low]?.time ?? 0;
  }
}

/** Removes white space and invisible characters, which a model may skip. */
function removeWhitespace(text: string): string {
  return text.replaceAll(/[\s\p{Default_Ignorable_Code_Point}]+/gu, "");
}

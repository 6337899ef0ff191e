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
  readonly #places = new Map<string, readonly number[]>();
  /** Offsets of a prefix by the characters that follow it. */
  readonly #windows = new Map<string, ReadonlyMap<string, readonly number[]>>();
  #looksLeft = 0;

  /** @param sources in order of time. */
  constructor(sources: readonly SourceText[]) {
    this.#sources = sources;
  }

  /** Time of the first text that contains the span, plain or decoded; undefined if there is none. */
  *firstTime(span: string): Generator<typeof YIELD, number | undefined> {
    this.#text ??= yield* this.#read();
    const text = this.#text;
    const bare = withoutSpace(span);
    if (bare === "") return undefined;
    this.#looksLeft += bare.length * MOST_LOOKS;
    const size = Math.min(bare.length, WINDOW);
    const places = (yield* this.#windowsOf(text, bare.slice(0, PREFIX), size)).get(bare.slice(0, size)) ?? [];
    for (const place of places) {
      yield* this.#look(WINDOW_COST + bare.length / PASSED);
      // A wrong call is worse than a missed call.
      if (this.#looksLeft < 0) return this.#timeAt(place);
      if (text.startsWith(bare, place)) return this.#timeAt(place);
    }
    return this.#looksLeft < 0 ? 0 : undefined;
  }

  *#read(): Generator<typeof YIELD, string> {
    const parts: string[] = [];
    let length = 0;
    for (const { time, text } of this.#sources) {
      for (const form of yield* collectDecodedForms(text)) {
        for (let at = 0; at < form.length; at += SLICE) {
          const part = withoutSpace(form.slice(at, at + SLICE));
          yield* this.#look(SLICE);
          parts.push(part);
          length += part.length;
        }
        parts.push(BETWEEN);
        length += BETWEEN.length;
        this.#ends.push({ end: length, time });
      }
    }
    this.#looksLeft = (length + SLICE) * MOST_LOOKS;
    return parts.join("");
  }

  *#windowsOf(
    text: string,
    prefix: string,
    size: number,
  ): Generator<typeof YIELD, ReadonlyMap<string, readonly number[]>> {
    const key = `${size} ${prefix}`;
    const known = this.#windows.get(key);
    if (known) return known;
    const windows = new Map<string, number[]>();
    for (const place of yield* this.#placesOf(text, prefix)) {
      yield* this.#look(WINDOW_COST);
      // An incomplete index is not cached.
      if (this.#looksLeft < 0) return windows;
      const window = text.slice(place, place + size);
      const same = windows.get(window);
      if (same) same.push(place);
      else windows.set(window, [place]);
    }
    this.#windows.set(key, windows);
    return windows;
  }

  *#placesOf(text: string, prefix: string): Generator<typeof YIELD, readonly number[]> {
    const known = this.#places.get(prefix);
    if (known) return known;
    const places: number[] = [];
    let from = 0;
    for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
      yield* this.#look(PLACE_COST + (at - from) / PASSED);
      places.push(at);
      from = at;
    }
    yield* this.#look((text.length - from) / PASSED);
    this.#places.set(prefix, places);
    return places;
  }

  /** Charges the budget, and yields if an event-loop tick is due. */
  *#look(cost: number): Generator<typeof YIELD, void> {
    this.#looksLeft -= cost;
    if (this.#pace.isDue(cost)) yield YIELD;
  }

  #timeAt(place: number): number {
    let low = 0;
    for (let high = this.#ends.length - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if (place < (this.#ends[middle]?.end ?? 0)) high = middle;
      else low = middle + 1;
    }
    return this.#ends[low]?.time ?? 0;
  }
}

/** Removes white space and invisible characters, which a model may skip. */
function withoutSpace(text: string): string {
  return text.replaceAll(/[\s\p{Default_Ignorable_Code_Point}]+/gu, "");
}

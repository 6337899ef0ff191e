// Finds a span, white space and signs that nobody sees aside, in the texts that a model may quote from. Its work is linear in the length of texts and spans.
import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import type { SourceText } from "./conversationTimeline.ts";
import { collectDecodedForms } from "./decodeText.ts";

/** Characters by which the places are found at which a span may begin. */
const PREFIX = 8;
/** Characters by which places are told apart before they are compared one by one. */
const WINDOW = 128;
/** Characters that are looked at in one go. */
const SLICE = 131_072;
/** What may be spent on each character of texts and spans, in the cost of reading one; beyond that a span counts as found. */
const MOST_LOOKS = 32;
const PLACE_COST = 16;
const WINDOW_COST = 64;
/** Characters that are compared, or passed in a search, for what it costs to read one. */
const PASSED = 16;

/** White space stands in no span any more, so that none reaches from one text into the next. */
const BETWEEN = "\n";

export class QuotedSpans {
  readonly #sources: readonly SourceText[];
  readonly #pace = new YieldBudget(SLICE);
  /** All texts in all their forms, without white space; undefined before the first look. */
  #text: string | undefined;
  /** Where each form ends in it, and the time of its text. */
  readonly #ends: { readonly end: number; readonly time: number }[] = [];
  readonly #places = new Map<string, readonly number[]>();
  /** The places of a prefix by the characters that follow there. */
  readonly #windows = new Map<string, ReadonlyMap<string, readonly number[]>>();
  #looksLeft = 0;

  /** @param sources in the order of their times. */
  constructor(sources: readonly SourceText[]) {
    this.#sources = sources;
  }

  /** The time of the first text that holds the span, as it is or decoded; undefined where none does. */
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
      // A wrong call is worse than one that is not made.
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
      // What is not complete is not kept.
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

  /** Counts what work costs, with a turn of the event loop where one is due. */
  *#look(cost: number): Generator<typeof YIELD, void> {
    this.#looksLeft -= cost;
    if (this.#pace.due(cost)) yield YIELD;
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

/** Signs that nobody sees are left out with the white space: a model may read over them. */
function withoutSpace(text: string): string {
  return text.replaceAll(/[\s\p{Default_Ignorable_Code_Point}]+/gu, "");
}

// Serialises large JSON values in slices, and yields to the event loop between them.

import type { JsonValue } from "../messages.ts";
import { runCooperatively, YIELD, YieldBudget, yieldToEventLoop } from "./yieldToEventLoop.ts";

/** Characters of a slice: a few milliseconds even if every character is escaped. */
const SLICE = 262_144;

/**
 * `JSON.stringify` that yields for large values, because ten megabytes take a tenth of a second. Returns a promise only
 * for large values; it rejects with the signal's reason.
 */
export function stringifyCooperatively(value: JsonValue, signal?: AbortSignal): string | Promise<string> {
  return stringifyIfSmall(value) ?? runCooperatively(largeSteps(value), signal);
}

/** Like `stringifyCooperatively`, as a generator. */
export function* iterateJson(value: JsonValue): Generator<typeof YIELD, string> {
  return stringifyIfSmall(value) ?? (yield* largeSteps(value));
}

/** `JSON.stringify` of a value that is small enough for one slice; undefined for a larger one. */
export function stringifyIfSmall(value: JsonValue): string | undefined {
  return countValues(value, SLICE) <= SLICE ? JSON.stringify(value) : undefined;
}

function* largeSteps(value: JsonValue): Generator<typeof YIELD, string> {
  const pieces: string[] = [];
  const yieldBudget = new YieldBudget(SLICE);
  for (const { text, cost } of iteratePieces(value)) {
    if (yieldBudget.isDue(cost)) yield YIELD;
    pieces.push(text);
  }
  return pieces.join("");
}

/** Like `stringifyCooperatively`, as UTF-8 bytes, so that the complete text of a large answer is never in memory. */
export async function encodeJsonCooperatively(value: JsonValue, signal?: AbortSignal): Promise<readonly Buffer[]> {
  const smallText = stringifyIfSmall(value);
  if (smallText !== undefined) return [Buffer.from(smallText)];
  const slices: Buffer[] = [];
  let pieces: string[] = [];
  const yieldBudget = new YieldBudget(SLICE);
  for (const { text, cost } of iteratePieces(value)) {
    if (yieldBudget.isDue(cost)) {
      slices.push(Buffer.from(pieces.join("")));
      pieces = [];
      await yieldToEventLoop(signal);
    }
    pieces.push(text);
  }
  slices.push(Buffer.from(pieces.join("")));
  return slices;
}

/** Cost of a key or a value besides its characters, in characters: reading 50,000 keys of one object takes 12 ms. */
const KEY_COST = 16;

/** The UTF-8 bytes of a text, in slices. Throws the signal's reason. */
export async function* encodeTextCooperatively(
  text: string,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let isFirst = true;
  for (const slice of iterateSlices(text)) {
    if (!isFirst) await yieldToEventLoop(signal);
    isFirst = false;
    yield Buffer.from(slice);
  }
}

/** Approximate number of characters of a value's JSON text. Stops soon after `most`. */
export function countValues(value: JsonValue | undefined, limit: number): number {
  if (typeof value === "string") return value.length + KEY_COST;
  let size = KEY_COST;
  if (typeof value !== "object" || value === null) return size;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && size <= limit; at += 1) size += countValues(value[at], limit - size);
    return size;
  }
  const members = value as Members;
  // No list of keys: building it would cost most.
  for (const key in members) {
    size += KEY_COST + key.length + countValues(members[key], limit - size);
    if (size > limit) break;
  }
  return size;
}

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** A part of the JSON text, and its approximate cost in characters. */
interface Piece {
  readonly text: string;
  readonly cost: number;
}

/** Maximum number of characters of values that are joined in one piece. */
const BATCH = 16_384;

function* iteratePieces(value: JsonValue): Generator<Piece, void, undefined> {
  if (typeof value === "string") {
    yield { text: '"', cost: 0 };
    for (const slice of iterateSlices(value)) yield { text: JSON.stringify(slice).slice(1, -1), cost: slice.length };
    yield { text: '"', cost: 0 };
  } else if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    yield { text: "[", cost: 0 };
    yield* iterateEntries(items.length, (at) => ["", items[at] ?? null]);
    yield { text: "]", cost: 0 };
  } else {
    const members = value as Members;
    const keys = Object.keys(members);
    yield { text: "{", cost: keys.length * KEY_COST };
    yield* iterateEntries(keys.length, (at) => {
      const key = keys[at] ?? "";
      return [`${JSON.stringify(key)}:`, members[key]];
    });
    yield { text: "}", cost: 0 };
  }
}

/** The entries of a list or an object, separated by commas. Short ones are joined, because yielding each would cost most. */
function* iterateEntries(
  count: number,
  entry: (at: number) => readonly [before: string, value: JsonValue | undefined],
): Generator<Piece, void, undefined> {
  let text = "";
  let cost = 0;
  let separator = "";
  for (let at = 0; at < count; at += 1) {
    const [before, value] = entry(at);
    if (value === undefined) continue;
    const size = countValues(value, BATCH);
    text += separator + before;
    separator = ",";
    cost += before.length + size;
    if (size <= BATCH) {
      text += JSON.stringify(value);
      if (cost <= BATCH) continue;
    }
    yield { text, cost };
    text = "";
    cost = 0;
    if (size > BATCH) yield* iteratePieces(value);
  }
  if (text !== "") yield { text, cost };
}

/** Slices that never split a surrogate pair. */
function* iterateSlices(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const end = at + SLICE;
    const cut = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield text.slice(at, cut);
    at = cut;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

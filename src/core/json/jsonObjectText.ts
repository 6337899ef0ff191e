// Texts that are the JSON of an object, plain enough to be read in one go, and the one text of values that are equal. Knows no meaning of their values.
import { isObject, type JsonObject } from "../messages.ts";

/** Commas and opening brackets outside strings: no call has as many, and reading them would hold up everybody else. */
const MOST_VALUES = 50_000;
/** Characters outside strings. */
const MOST_BARE = 1_048_576;
/** Levels: parsers of upstreams recurse, and give up at a thousand. */
const MOST_LEVELS = 256;

/** True for the JSON text of an object that `isPlainJson` lets through. */
export function isObjectText(text: string): boolean {
  return isPlainJson(text) && parseObject(text) !== undefined;
}

/** The object whose JSON the text is; undefined where it is no JSON, or JSON of something else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** False where reading `text` as JSON would take long, right or wrong as it may be. Looks at each character once. */
export function isPlainJson(text: string): boolean {
  if (text.length <= MOST_LEVELS) return true;
  let values = 0;
  let level = 0;
  let bare = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    bare += 1;
    if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) values += 1;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) level += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) level -= 1;
    if (values > MOST_VALUES || level > MOST_LEVELS || bare > MOST_BARE) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/**
 * The place of the quote that ends the string whose opening quote stands at `start`; the text's length where none does. It is found by
 * its quotes: what is between may be a whole file.
 */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** One text for equal JSON values, in whatever order their keys stand. */
export function stringifySorted(value: unknown): string {
  return JSON.stringify(value, sortKeys);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

// Checks and parses JSON texts of objects, and serialises equal values to equal texts.
import { isObject, type JsonObject } from "../messages.ts";

/** Maximum number of commas and opening brackets outside strings. No call has as many, and parsing them would block the event loop. */
const MOST_VALUES = 50_000;
/** Maximum number of characters outside strings. */
const MOST_BARE = 1_048_576;
/** Maximum depth: parsers of upstreams recurse, and fail at a thousand. */
const MOST_LEVELS = 256;

/** Returns true for the JSON text of an object that `isPlainJson` accepts. */
export function isObjectText(text: string): boolean {
  return isPlainJson(text) && parseObject(text) !== undefined;
}

/** The object of a JSON text; undefined if the text is no JSON, or no object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns false if parsing `text` as JSON would take long, valid or not. Reads each character once. */
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
 * Index of the quote that closes the string whose opening quote is at `start`; the text's length if there is none.
 * Searches for quotes only, because the string may be a complete file.
 */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** The same text for equal JSON values, whatever the order of their keys. */
export function stringifySorted(value: unknown): string {
  return JSON.stringify(value, sortKeys);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

// Parses JSON text that may be none.
import type { JsonValue } from "../messages.ts";

/** Parses the text; undefined if it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Parses the text; the text itself if it is not JSON. */
export function parseJsonOrText(text: string): JsonValue {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

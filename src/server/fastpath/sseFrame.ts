// Formats JSON text as a server-sent event, and reuses a frame for chunks that differ in their text only.
import type { JsonObject } from "../../core/messages.ts";

/** Formats the event of one chunk. JSON text contains no raw CR or LF, so no value can forge a second field or event. */
export function formatSseFrame(json: string): string {
  return `data: ${json}\n\n`;
}

/** Formats the chunk event of a text. */
export type WordsFrame = (words: string) => string;

/** @param empty the chunk with an empty text as `field`; no other field of the chunk has this name. */
export function createTextFrame(empty: JsonObject, field: string): WordsFrame {
  const text = formatSseFrame(JSON.stringify(empty));
  // No value of another field can contain this: its quotes would be escaped.
  const emptyField = `"${field}":""`;
  const at = text.lastIndexOf(emptyField) + emptyField.length - 2;
  const before = text.slice(0, at);
  const after = text.slice(at + 2);
  return (text) => before + JSON.stringify(text) + after;
}

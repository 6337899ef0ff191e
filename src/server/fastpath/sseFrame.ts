// JSON text as a server-sent event; and chunks that differ in their words only, made from what stands around those. Knows no event of a run.
import type { JsonObject } from "../../core/messages.ts";

/** The event of one chunk. JSON text holds no raw CR or LF, so no value can forge a second field or event. */
export function formatSseFrame(json: string): string {
  return `data: ${json}\n\n`;
}

/** Words → the event of their chunk. */
export type WordsFrame = (words: string) => string;

/** @param empty the chunk with an empty text as `field`, which no other field of it is called. */
export function createTextFrame(empty: JsonObject, field: string): WordsFrame {
  const text = formatSseFrame(JSON.stringify(empty));
  // No value of another field can hold this: the quotes within it are escaped.
  const place = `"${field}":""`;
  const at = text.lastIndexOf(place) + place.length - 2;
  const before = text.slice(0, at);
  const behind = text.slice(at + 2);
  return (words) => before + JSON.stringify(words) + behind;
}

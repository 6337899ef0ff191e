// The JSON text of a chunk with a gap for the model's text. A chunk that matches the template needs no JSON parser.
import type { ModelEvent } from "../../core/events/events.ts";
import type { TextKind } from "../../core/events/TextFastLane.ts";
import { parseJson } from "../../core/json/parseJson.ts";
import { asObject } from "../looseJson.ts";
import { REASONING_FIELDS, readChunkDelta } from "./ChunkReader.ts";

/** Characters of a chunk that is worth a pattern. */
const MAX_CHARS = 4_096;
/** Test text for the gap, which proves the template. */
const PROOF = "~";
/** Characters that need no escape in a JSON string. */
const PLAIN = /^[^"\\\p{Cc}]*$/u;
/** A JSON string from after its first quote. */
const STRING_BODY = /(?:[^"\\]|\\.)*(?=")/y;
/** Maximum length of a slice that does not reference its source text. A longer one would keep the complete read in memory. */
const OWN_CHARS = 12;
/** Random padding at the end of each of OpenAI's chunks. It has no meaning. */
const PADDING = ',"obfuscation":"';
const PADDING_END = '"}';

/** Text before and after the gap, and the event of the chunk. If the chunk is padded, `behind` ends before the padding. */
interface Parts {
  readonly before: string;
  readonly after: string;
  readonly padded: boolean;
  /** True if it contains no line end. A chunk whose text came in several lines may have one. */
  readonly isLine: boolean;
  readonly event: ModelEvent;
}

export class ChunkTemplate {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Creates the template of a chunk with this event alone; undefined if there is none. A chunk with a test text is parsed to prove that the
   * gap gives the event's text and nothing else.
   */
  static of(data: string, event: ModelEvent): ChunkTemplate | undefined {
    const words = getEventText(event);
    if (!words || words === PROOF || data.length > MAX_CHARS) return undefined;
    const padding = findPadding(data, 0, data.length);
    const padded = padding !== -1;
    const textSpan = findTextSpan(data, event);
    if (!textSpan) return undefined;
    const after = padded ? `${data.slice(textSpan.end, padding)}}` : data.slice(textSpan.end);
    const text = `${data.slice(0, textSpan.start)}${PROOF}${after}`;
    if (!isProof(text)) return undefined;
    return new ChunkTemplate({
      before: text.slice(0, textSpan.start),
      after: text.slice(textSpan.start + PROOF.length, padded ? -1 : undefined),
      padded,
      isLine: !text.includes("\n"),
      event,
    });
  }

  /** Kind of the chunk's text; undefined if it is not text of the answer, or if it may span several lines. */
  get kind(): TextKind | undefined {
    const { event, isLine } = this.#parts;
    return isLine && (event.type === "text" || event.type === "reasoning") ? event.type : undefined;
  }

  /** Returns the event of a chunk; undefined if it does not match the template, or has no text. */
  read(data: string): ModelEvent | undefined {
    const text = this.extractText(data, 0, data.length);
    if (text === undefined) return undefined;
    const { event } = this.#parts;
    switch (event.type) {
      case "text":
      case "reasoning":
        return { type: event.type, text };
      case "call-fragment":
        return { type: event.type, index: event.index, id: event.id, name: event.name, arguments: text };
      default:
        return undefined;
    }
  }

  /** Returns only the text of a chunk that stands in `data` from `from` to `to`. */
  extractText(text: string, from: number, to: number): string | undefined {
    const { before, after: behind, padded } = this.#parts;
    const stop = padded ? findPadding(text, from, to) : to;
    const start = from + before.length;
    const end = stop - behind.length;
    // Two slices compared cost a fifth of `startsWith` and `endsWith`.
    if (end <= start || text.slice(from, start) !== before || text.slice(end, stop) !== behind) return undefined;
    return decodeSpan(text, start, end);
  }
}

/** Returns the text of an event that may repeat in the same form; undefined if it has other content too. */
function getEventText(event: ModelEvent): string | undefined {
  switch (event.type) {
    case "text":
      return event.extra ? undefined : event.text;
    case "reasoning":
      return event.text;
    case "call-fragment":
      return event.extra ? undefined : event.arguments;
    case "opened":
    case "end":
    case "failed":
      return undefined;
    default:
      return event satisfies never;
  }
}

/** Returns true if the only text of the chunk is `PROOF`. */
function isProof(text: string): boolean {
  const chunk = asObject(parseJson(text));
  if (!chunk) return false;
  const { text: events, reasoning, fragments } = readChunkDelta(chunk);
  const all = [events, ...reasoning, ...fragments.map(getEventText)].filter((text) => text !== "");
  return all.length === 1 && all[0] === PROOF;
}

const FIELDS = {
  text: ["content"],
  reasoning: REASONING_FIELDS,
  "call-fragment": ["arguments"],
  opened: [],
  end: [],
  failed: [],
} as const satisfies Record<ModelEvent["type"], readonly string[]>;

/** Returns the range of the event's text in the text of the chunk, or undefined if it is not found. */
function findTextSpan(text: string, event: ModelEvent): { readonly start: number; readonly end: number } | undefined {
  for (const field of FIELDS[event.type]) {
    const name = `"${field}":`;
    const at = text.lastIndexOf(name);
    if (at === -1) continue;
    const quote = text.indexOf('"', at + name.length);
    STRING_BODY.lastIndex = quote + 1;
    const body = STRING_BODY.exec(text);
    if (quote !== -1 && body) return { start: quote + 1, end: STRING_BODY.lastIndex };
  }
  return undefined;
}

/** Returns the offset of the padding at the end of a chunk, or -1 if there is none. */
function findPadding(text: string, from: number, to: number): number {
  const chunk = text.slice(from, to);
  if (!chunk.endsWith(PADDING_END)) return -1;
  const at = chunk.lastIndexOf(PADDING);
  return at !== -1 && PLAIN.test(chunk.slice(at + PADDING.length, -PADDING_END.length)) ? from + at : -1;
}

/** Decodes the text between two quotes; undefined if it is no JSON string. */
function decodeSpan(text: string, start: number, end: number): string | undefined {
  if (end - start <= OWN_CHARS) {
    const body = text.slice(start, end);
    if (PLAIN.test(body)) return body;
  }
  const value = parseJson(text.slice(start - 1, end + 1));
  return typeof value === "string" ? value : undefined;
}

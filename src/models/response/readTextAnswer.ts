// Reads a complete answer in one step if it is a usual document with text alone. `readChatBody` reads all others.

import type { ModelEnd, ModelEvent } from "../../core/events/events.ts";
import { isDeeperThan } from "../../core/json/jsonDepth.ts";
import type { JsonObject } from "../../core/messages.ts";
import { asObject, parseJson } from "../looseJson.ts";
import { ChunkReader } from "./ChunkReader.ts";

/** Content of a text-only answer. */
export interface AnswerText {
  readonly said: Extract<ModelEvent, { type: "text" }>;
  readonly end: ModelEnd;
}

/** Bytes that are read in one step; a longer document takes turns of the event loop. */
const MOST_BYTES = 32_768;
/** Maximum nesting of the other fields. */
const MOST_LEVELS = 32;
/** The characters by which something is metered that is one on the wire, at the most: see `ResponseLimits`. */
const METERED_CHARS = 20;

const DECODER = new TextDecoder();

/**
 * Returns undefined for an answer that may be anything else: an error, reasoning, a call, no text, no finish reason or one for a failure,
 * another type or size, or no answer at all.
 * @param answerChars maximum size of an answer.
 */
export function readTextAnswer(
  bytes: Uint8Array,
  contentType: string | undefined,
  answerChars: number,
): AnswerText | undefined {
  if (bytes.length > MOST_BYTES || bytes.length * METERED_CHARS > answerChars) return undefined;
  if (contentType === undefined || !contentType.startsWith("application/json")) return undefined;
  const text = DECODER.decode(bytes);
  const document = text.charCodeAt(0) === OPEN_BRACE ? asObject(parseJson(text)) : undefined;
  if (!document || document.error || !Array.isArray(document.choices)) return undefined;
  return isDeeperThan(document, MOST_LEVELS) ? undefined : extractText(document);
}

const OPEN_BRACE = 0x7b;

function extractText(document: JsonObject): AnswerText | undefined {
  const reader = new ChunkReader();
  const events = reader.read(document);
  const [said] = events;
  const { usage, finishReason, brokeOff } = reader;
  if (events.length !== 1 || said?.type !== "text" || said.text === "" || finishReason === null || brokeOff)
    return undefined;
  const { end } = reader;
  return { said, end: usage ? { ...end, usage } : end };
}

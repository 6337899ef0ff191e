// What a service answers, read into the value that it stands for. Bounds what is read; knows no action.
import { TextDecoder } from "node:util";
import type { JsonValue } from "../core/messages.ts";
import type { EgressResponse } from "../core/ports.ts";
import { StatusError } from "./errorHint.ts";

/** Bytes of an answer that are read; a longer one is an error, because a cut JSON text means nothing. */
const MOST_BYTES = 2 * 1_024 * 1_024;
/** Bytes of an error's answer that are read, and the characters of it that a model is shown. */
const ERROR_BYTES = 8_192;
const ERROR_CHARS = 500;

/**
 * The JSON value of an answer, its text where it is no JSON, null where there is none.
 * @throws StatusError for a status that is no success; Error in words for a model, for what is too long or no text.
 */
export async function httpAnswer(response: EgressResponse): Promise<JsonValue> {
  const { status, headers } = response;
  if (status < 200 || status > 299) {
    const shown = (await readText(response, ERROR_BYTES)).text.trim().slice(0, ERROR_CHARS);
    throw new StatusError(status, `the service answered with status ${status}${shown && `: ${shown.toWellFormed()}`}`);
  }
  const { text, isWhole } = await readText(response, MOST_BYTES);
  if (!isWhole) throw new Error(`the service's answer is longer than ${MOST_BYTES} bytes.`);
  if (text.includes("\u0000"))
    throw new Error(`the service's answer is no text (its content-type is ${headers["content-type"] ?? "not said"}).`);
  return text.trim() === "" ? null : parse(text);
}

interface ReadText {
  readonly text: string;
  /** False where there was more than was to be read; the connection is closed then. */
  readonly isWhole: boolean;
}

async function readText({ headers, body }: EgressResponse, most: number): Promise<ReadText> {
  const decoder = decoderFor(headers["content-type"] ?? "");
  let text = "";
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > most) return { text: text + decoder.decode(piece.subarray(0, most - bytes)), isWhole: false };
    text += decoder.decode(piece, { stream: true });
  }
  return { text: text + decoder.decode(), isWhole: true };
}

/** UTF-8 where the header names no other coding, or one that nobody knows. */
function decoderFor(contentType: string): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

// Reads the answer of a service as a JSON value, within limits.
import { TextDecoder } from "node:util";
import type { XmlShape } from "../../core/config/xmlShape.ts";
import { type BodyBytes, readBodyBytes } from "../../core/http/responseBody.ts";
import { isDeeperThan, RESULT_LEVELS } from "../../core/json/jsonDepth.ts";
import type { JsonValue } from "../../core/messages.ts";
import type { EgressResponse } from "../../core/ports.ts";
import { StatusError } from "../execution/errorHint.ts";
import { MultipartOutput } from "../Tool.ts";
import { isXmlMediaType, parseXml, XML_CHARS } from "./parseXml.ts";
import { repairJson } from "./repairJson.ts";
import { shapeXmlDocument } from "./shapeXml.ts";

/** Maximum size of an answer in bytes; a longer one is an error, because truncated JSON is meaningless. */
const MOST_BYTES = 2 * 1_024 * 1_024;
/** Bytes of an error answer that are read, and characters of it that a model is shown. */
const ERROR_BYTES = 8_192;
const ERROR_CHARS = 500;

/** Treatment of an answer that is no text: an error, or parts. */
export type NoText = "error" | "parts";

export interface AnswerOptions {
  /** Absent: `error`. */
  readonly noText?: NoText | undefined;
  /** The schema of an XML answer; absent: all of its text stays text. */
  readonly xml?: XmlShape | undefined;
}

export interface ServiceAnswer {
  /** The JSON value of the answer; its text if it is no JSON; null if it is empty. */
  readonly value: JsonValue;
  /** Note for the model and the log if the value differs from the answer as sent. */
  readonly note?: string | undefined;
}

/**
 * @throws StatusError for an error status; AnswerFormatError for malformed XML; Error with a message for the model, for an
 * answer that is too long or no text.
 */
export async function readHttpAnswer(
  response: EgressResponse,
  { noText = "error", xml }: AnswerOptions = {},
): Promise<ServiceAnswer | MultipartOutput> {
  const { status, headers } = response;
  const { "content-type": contentType = "" } = headers;
  if (status < 200 || status > 299) {
    const shown = decodeBody(await readBodyBytes(response, ERROR_BYTES), contentType)
      .trim()
      .slice(0, ERROR_CHARS);
    throw new StatusError(status, `the service answered with status ${status}${shown && `: ${shown.toWellFormed()}`}`);
  }
  const read = await readBodyBytes(response, MOST_BYTES);
  if (!read.isWhole) throw new Error(`the service's answer is longer than ${MOST_BYTES} bytes.`);
  const text = decodeBody(read, contentType);
  if (!text.includes("\u0000")) return text.trim() === "" ? { value: null } : parseAnswer(text, contentType, xml);
  const [mimeType = ""] = contentType.split(";");
  if (noText === "parts")
    return new MultipartOutput([{ type: "media", mimeType, data: Buffer.from(read.bytes).toString("base64") }]);
  throw new Error(`the service's answer is no text (its content-type is ${contentType || "not said"}).`);
}

const REPAIRED = "The service's answer was not valid JSON and was repaired: check a value before you rely on it.";
const UNPARSED = `The service's answer is XML of more than ${XML_CHARS} characters, so it is given as text.`;

async function parseAnswer(text: string, contentType: string, xml?: XmlShape): Promise<ServiceAnswer> {
  if (isXmlMediaType(contentType)) {
    if (text.length > XML_CHARS) return { value: text, note: UNPARSED };
    const document = await parseXml(text);
    return { value: xml ? shapeXmlDocument(document, xml) : document };
  }
  const value = parseJson(text);
  if (value !== undefined) return { value };
  const repaired = isJsonMediaType(contentType) ? await repairJson(text) : undefined;
  return repaired === undefined ? { value: text } : { value: repaired, note: REPAIRED };
}

function isJsonMediaType(contentType: string): boolean {
  return /^\s*[\w.+-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType);
}

/** A character that was truncated at the end is dropped. */
function decodeBody({ bytes, isWhole }: BodyBytes, contentType: string): string {
  return createDecoder(contentType).decode(bytes, { stream: !isWhole });
}

/** UTF-8 if the header names no charset or an unknown one. */
function createDecoder(contentType: string): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** JSON that nests too deep stays text; undefined if the text is no JSON. */
function parseJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (text.length <= 2 * RESULT_LEVELS) return value;
    return isDeeperThan(value, RESULT_LEVELS) ? text : value;
  } catch {
    return undefined;
  }
}

// Why a Gemini answer ended, in the words of the chat wire. Knows no text.
import type { FinishReason } from "@google/genai";

/** `malformed`: the model wrote a call that the API could not read, or that it did not expect. */
type Ending = "stop" | "length" | "content_filter" | "malformed";

/** Every reason of the API's own list; one that is left out here is handed on as it came. */
const ENDINGS: { readonly [Reason in `${FinishReason}`]: Ending | undefined } = {
  FINISH_REASON_UNSPECIFIED: undefined,
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  LANGUAGE: undefined,
  OTHER: undefined,
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  MALFORMED_FUNCTION_CALL: "malformed",
  IMAGE_SAFETY: "content_filter",
  UNEXPECTED_TOOL_CALL: "malformed",
  TOO_MANY_TOOL_CALLS: undefined,
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  NO_IMAGE: undefined,
  IMAGE_RECITATION: "content_filter",
  IMAGE_OTHER: undefined,
  CONTINUATION: "length",
  MALFORMED_RESPONSE: undefined,
};

const BY_REASON: ReadonlyMap<string, Ending | undefined> = new Map(Object.entries(ENDINGS));

/** True for an end at which the model's call stands in the words of `finishMessage`. */
export function isMalformedCall(reason: string): boolean {
  return BY_REASON.get(reason) === "malformed";
}

/** A malformed call is an end like any other: what it said is read as text. */
export function chatFinishReason(reason: string): string {
  const ending = BY_REASON.get(reason) ?? reason;
  return ending === "malformed" ? "stop" : ending;
}

/**
 * The call that the API could not read, as the model would have leaked it: `Malformed function call: print(default_api.f(…))` is
 * Python, which models of Gemini write into a fence of their own, `call:f{…}` stands for itself. Undefined where the API keeps it.
 */
export function malformedCall(message: string | undefined): string | undefined {
  const call = message?.replace(/^\s*(malformed|unexpected)[^:\n]{0,40}:/i, "").trim();
  if (!call) return undefined;
  return /^(call:|```)/.test(call) ? call : `\`\`\`tool_code\n${call}\n\`\`\``;
}

// Maps Gemini's finish reasons to those of the gateway.
import type { FinishReason } from "@google/genai";

/** `own`: handed on as it came, so that the caller reads which filter it was. `malformed`: the API could not read, or did not expect, the model's call. */
type Ending = "stop" | "length" | "own" | "malformed";

/** Every reason of the API's own list. */
const ENDINGS: { readonly [Reason in `${FinishReason}`]: Ending } = {
  FINISH_REASON_UNSPECIFIED: "own",
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "own",
  RECITATION: "own",
  LANGUAGE: "own",
  OTHER: "own",
  BLOCKLIST: "own",
  PROHIBITED_CONTENT: "own",
  SPII: "own",
  MALFORMED_FUNCTION_CALL: "malformed",
  IMAGE_SAFETY: "own",
  UNEXPECTED_TOOL_CALL: "malformed",
  TOO_MANY_TOOL_CALLS: "own",
  IMAGE_PROHIBITED_CONTENT: "own",
  NO_IMAGE: "own",
  IMAGE_RECITATION: "own",
  IMAGE_OTHER: "own",
  CONTINUATION: "length",
  MALFORMED_RESPONSE: "own",
};

const BY_REASON: ReadonlyMap<string, Ending> = new Map(Object.entries(ENDINGS));

/** A malformed call is a normal end: the text from `describeMalformedCall` is parsed. */
export function toChatFinishReason(reason: string): string {
  switch (BY_REASON.get(reason)) {
    case "length":
      return "length";
    case "stop":
    case "malformed":
      return "stop";
    default:
      return reason;
  }
}

/**
 * Returns the call that the API could not read in the form of a leaked call: `Malformed function call: print(default_api.f(…))` is
 * Python, which Gemini models write into a fence of their own; `call:f{…}` stays as it is. Undefined for another end, and
 * if the API does not return the call.
 */
export function describeMalformedCall(reason: string, message: string | undefined): string | undefined {
  if (BY_REASON.get(reason) !== "malformed") return undefined;
  const call = message?.replace(/^\s*(malformed|unexpected)[^:\n]{0,40}:/i, "").trim();
  if (!call) return undefined;
  return /^(call:|```)/.test(call) ? call : `\`\`\`tool_code\n${call}\n\`\`\``;
}

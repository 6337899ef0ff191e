// Why a call of a server's tool brought no result, in words for a model, and whether it may be made again. Makes none.
import { PostelError } from "../../core/failures.ts";
import { isObject } from "../../core/messages.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import { StatusError, ToolTimeoutError } from "../execution/errorHint.ts";
import { LOST, LOST_WORDS } from "./DedupingTransport.ts";
import type { Sdk } from "./sdk.ts";

export interface CallFailure {
  readonly error: Error;
  /**
   * `unsent`: the server has not begun with it, since it forgot the session; `closed`: it ended meanwhile; `broken`: the connection of
   * this call alone did; `final`: it was answered, or given up.
   */
  readonly kind: "unsent" | "closed" | "broken" | "final";
}

/** Characters of what a server says of a failure. */
const LONGEST = 2_000;

const UNKNOWN = "whether the call had an effect is not known.";

/** @param thrown what the call was rejected with. */
export function callFailure(
  thrown: unknown,
  { server, timeoutMs }: { readonly server: string; readonly timeoutMs: number },
  { SdkError, SdkErrorCode, SdkHttpError, ProtocolError }: Sdk,
): CallFailure {
  const closed: CallFailure = {
    kind: "closed",
    error: new Error(`the server \`${server}\` ended meanwhile; ${UNKNOWN}`),
  };
  if (thrown instanceof SdkHttpError) return refusedOverHttp(thrown.status, sanitizeToolText(thrown.message, LONGEST));
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.RequestTimeout)
      return {
        kind: "final",
        error: new ToolTimeoutError(`the server \`${server}\` said nothing for ${timeoutMs} ms; ${UNKNOWN}`),
      };
    if (thrown.code === SdkErrorCode.ConnectionClosed || thrown.code === SdkErrorCode.NotConnected) return closed;
  }
  if (thrown instanceof ProtocolError) {
    if (thrown.code === LOST && thrown.message.includes(LOST_WORDS)) return { ...closed, kind: "broken" };
    return { kind: "final", error: new Error(sanitizeToolText(thrown.message, LONGEST) + wantsBrowser(thrown.data)) };
  }
  if (thrown instanceof PostelError) return { kind: "final", error: thrown };
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    kind: "final",
    error: new Error(`the server \`${server}\` could not be asked: ${sanitizeToolText(words, LONGEST)}`),
  };
}

/** A server may want somebody to open an address first; a person can, the gateway does not. */
function wantsBrowser(data: unknown): string {
  const [asked] = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  if (!isObject(asked) || typeof asked.url !== "string") return "";
  return ` The server wants somebody to open ${sanitizeToolText(asked.url, LONGEST)} in a browser first. The gateway opens nothing: tell the user, who may do so, and call again afterwards.`;
}

function refusedOverHttp(status: number | undefined, words: string): CallFailure {
  const forgotten = status === 404 || (status === 400 && /session/i.test(words));
  const error = new StatusError(status ?? 0, `the server answered with the status ${status}: ${words}`);
  return { kind: forgotten ? "unsent" : "final", error };
}

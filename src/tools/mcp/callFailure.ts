// Explains to a model why an MCP call has no result, and if it may be repeated.
import { PostelError } from "../../core/failures.ts";
import { isObject } from "../../core/messages.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import { StatusError, ToolTimeoutError } from "../execution/errorHint.ts";
import { LOST, LOST_WORDS } from "./DedupingTransport.ts";
import type { Sdk } from "./sdk.ts";

export interface CallFailure {
  readonly error: Error;
  /**
   * `unsent`: the server did not start it, since it lost the session. `closed`: the server ended meanwhile. `broken`: only
   * this call's connection ended. `final`: the call was answered or given up.
   */
  readonly kind: "unsent" | "closed" | "broken" | "final";
}

/** Maximum number of characters of a server's message. */
const LONGEST = 2_000;

const UNKNOWN = "whether the call had an effect is not known.";

/** @param thrown the error of the call. */
export function callFailure(
  thrown: unknown,
  { server, timeoutMs }: { readonly server: string; readonly timeoutMs: number },
  { SdkError, SdkErrorCode, SdkHttpError, ProtocolError }: Sdk,
): CallFailure {
  const closedFailure: CallFailure = {
    kind: "closed",
    error: new Error(`the server \`${server}\` ended meanwhile; ${UNKNOWN}`),
  };
  if (thrown instanceof SdkHttpError)
    return createHttpFailure(thrown.status, sanitizeToolText(thrown.message, LONGEST));
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.RequestTimeout)
      return {
        kind: "final",
        error: new ToolTimeoutError(`the server \`${server}\` said nothing for ${timeoutMs} ms; ${UNKNOWN}`),
      };
    if (thrown.code === SdkErrorCode.ConnectionClosed || thrown.code === SdkErrorCode.NotConnected)
      return closedFailure;
  }
  if (thrown instanceof ProtocolError) {
    if (thrown.code === LOST && thrown.message.includes(LOST_WORDS)) return { ...closedFailure, kind: "broken" };
    return { kind: "final", error: new Error(sanitizeToolText(thrown.message, LONGEST) + wantsBrowser(thrown.data)) };
  }
  if (thrown instanceof PostelError) return { kind: "final", error: thrown };
  const errorText = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    kind: "final",
    error: new Error(`the server \`${server}\` could not be asked: ${sanitizeToolText(errorText, LONGEST)}`),
  };
}

/** A server may require that an address is opened first; the user can do that, the gateway does not. */
function wantsBrowser(data: unknown): string {
  const [elicitation] = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  if (!isObject(elicitation) || typeof elicitation.url !== "string") return "";
  return ` The server wants somebody to open ${sanitizeToolText(elicitation.url, LONGEST)} in a browser first. The gateway opens nothing: tell the user, who may do so, and call again afterwards.`;
}

function createHttpFailure(status: number | undefined, errorText: string): CallFailure {
  const forgotten = status === 404 || (status === 400 && /session/i.test(errorText));
  const error = new StatusError(status ?? 0, `the server answered with the status ${status}: ${errorText}`);
  return { kind: forgotten ? "unsent" : "final", error };
}

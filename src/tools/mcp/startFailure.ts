// Explains to the operator how a server ended, or why it did not start.
import { PostelError } from "../../core/failures.ts";
import type { ProgramEnd } from "../../core/ports.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import type { Sdk } from "./sdk.ts";

/** Maximum number of characters of a server's message. */
const LONGEST = 500;

/**
 * @param thrown error of the handshake or the first list; undefined if both succeeded. @param programEnd end of the server's
 * program, if it is one.
 */
export function startFailure(
  thrown: unknown,
  programEnd: ProgramEnd | undefined,
  { startTimeoutMs, sdk }: { readonly startTimeoutMs: number; readonly sdk: Sdk },
): ProgramEnd {
  const { stderr = "" } = programEnd ?? {};
  const ownReason = describeReason(thrown, startTimeoutMs, sdk) ?? (programEnd ? undefined : getErrorText(thrown));
  return { reason: ownReason ?? programEnd?.reason ?? "the connection was closed.", stderr };
}

/** Returns undefined if the end of the connection explains everything. */
function describeReason(
  thrown: unknown,
  startTimeoutMs: number,
  { SdkError, SdkErrorCode, SdkHttpError, ProtocolError, UnsupportedProtocolVersionError }: Sdk,
): string | undefined {
  if (thrown instanceof SdkHttpError)
    return `it answered with the status ${thrown.status}: ${sanitizeToolText(thrown.message, LONGEST)}.`;
  if (thrown instanceof UnsupportedProtocolVersionError)
    return `it speaks only revisions of the protocol that the gateway does not: ${sanitizeToolText(thrown.supported.join(", "), LONGEST)}.`;
  if (thrown instanceof ProtocolError) return `it refused: ${sanitizeToolText(thrown.message, LONGEST)}.`;
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout)
    return `it did not answer within ${startTimeoutMs} ms.`;
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed) return undefined;
  if (thrown instanceof PostelError) return thrown.message;
  return undefined;
}

/** Fallback for a program whose end says more than the failed write. */
function getErrorText(thrown: unknown): string | undefined {
  return thrown instanceof Error
    ? `it could not be spoken with: ${sanitizeToolText(thrown.message, LONGEST)}.`
    : undefined;
}

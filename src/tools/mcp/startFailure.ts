// How a server came to its end, or why it could not be begun with, as a sentence for whoever looks after it. Starts nothing.
import { PostelError } from "../../core/failures.ts";
import type { ProgramEnd } from "../../core/ports.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import type { Sdk } from "./sdk.ts";

/** Characters of what a server says of a failure. */
const LONGEST = 500;

/**
 * @param thrown what the greeting or the first list was rejected with; undefined where both went well.
 * @param ended how its program ended, where it is one.
 */
export function startFailure(
  thrown: unknown,
  ended: ProgramEnd | undefined,
  { startTimeoutMs, sdk }: { readonly startTimeoutMs: number; readonly sdk: Sdk },
): ProgramEnd {
  const { stderr = "" } = ended ?? {};
  const own = describeReason(thrown, startTimeoutMs, sdk) ?? (ended ? undefined : getErrorText(thrown));
  return { reason: own ?? ended?.reason ?? "the connection was closed.", stderr };
}

/** Undefined where the connection's end says all. */
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

/** Of a program that could not be written to its end says more. */
function getErrorText(thrown: unknown): string | undefined {
  return thrown instanceof Error
    ? `it could not be spoken with: ${sanitizeToolText(thrown.message, LONGEST)}.`
    : undefined;
}

// Detects that a server refused the handshake because it supports only the newer revision.

import { parseObject } from "../../core/json/jsonObjectText.ts";
import { isObject } from "../../core/messages.ts";
import type { Sdk } from "./sdk.ts";

/**
 * Error codes of such servers: unknown method, missing revision, missing header, unknown revision (JSON-RPC 2.0, 5.1, and the
 * errors of the revision 2026-07-28).
 */
const REFUSALS: ReadonlySet<unknown> = new Set([-32_601, -32_602, -32_020, -32_022]);

/** @param thrown the error of the handshake. */
export function needsNewerRevision(thrown: unknown, { ProtocolError, SdkHttpError }: Sdk): boolean {
  if (thrown instanceof ProtocolError) return REFUSALS.has(thrown.code);
  return thrown instanceof SdkHttpError && REFUSALS.has(getErrorCode(thrown.data.text));
}

/** Error code in the body of an HTTP error. */
function getErrorCode(body: unknown): unknown {
  const error = typeof body === "string" ? parseObject(body)?.error : undefined;
  return isObject(error) ? error.code : undefined;
}

// Whether a server has refused the greeting since it knows none, as those of the newer revision alone do. Asks nobody.

import { parseObject } from "../../core/json/jsonObjectText.ts";
import { isObject } from "../../core/messages.ts";
import type { Sdk } from "./sdk.ts";

/**
 * What such servers say of it: no such method, params without the revision, a header that is missing, no such revision (JSON-RPC 2.0, 5.1, and
 * the errors of the revision 2026-07-28).
 */
const REFUSALS: ReadonlySet<unknown> = new Set([-32_601, -32_602, -32_020, -32_022]);

/** @param thrown what the greeting was rejected with. */
export function needsNewerRevision(thrown: unknown, { ProtocolError, SdkHttpError }: Sdk): boolean {
  if (thrown instanceof ProtocolError) return REFUSALS.has(thrown.code);
  return thrown instanceof SdkHttpError && REFUSALS.has(getErrorCode(thrown.data.text));
}

/** Of an error that came with a status. */
function getErrorCode(body: unknown): unknown {
  const error = typeof body === "string" ? parseObject(body)?.error : undefined;
  return isObject(error) ? error.code : undefined;
}

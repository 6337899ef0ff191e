// Whether a server has refused the greeting since it knows none, as those of the newer revision alone do. Asks nobody.
import { isObject } from "../../core/messages.ts";
import { objectOf } from "../../core/objectText.ts";
import type { Sdk } from "./sdk.ts";

/**
 * What such servers say of it: no such method, params without the revision, a header that is missing, no such revision (JSON-RPC 2.0, 5.1, and
 * the errors of the revision 2026-07-28).
 */
const REFUSALS: ReadonlySet<unknown> = new Set([-32_601, -32_602, -32_020, -32_022]);

/** @param thrown what the greeting was rejected with. */
export function wantsNewer(thrown: unknown, { ProtocolError, SdkHttpError }: Sdk): boolean {
  if (thrown instanceof ProtocolError) return REFUSALS.has(thrown.code);
  return thrown instanceof SdkHttpError && REFUSALS.has(codeIn(thrown.data.text));
}

/** Of an error that came with a status. */
function codeIn(body: unknown): unknown {
  const error = typeof body === "string" ? objectOf(body)?.error : undefined;
  return isObject(error) ? error.code : undefined;
}

// Builds the egress request of an exchange with an upstream. Sends nothing.
import type { EgressRequest, RequestPurpose } from "../../core/ports.ts";
import type { RequestHead } from "./RequestHeadCache.ts";

type Timers = RequestPurpose["timers"];

/** Purpose of an upstream request. Every member is set. */
export interface Purpose extends Pick<RequestPurpose, "kind" | "key" | "run" | "repeatable"> {
  readonly timers: { readonly [Member in keyof Required<Timers>]: Timers[Member] };
  readonly onRetry: RequestPurpose["onRetry"];
  readonly isRefusal: RequestPurpose["isRefusal"];
}

/**
 * Sets every member, including absent ones: one request of another shape makes V8 compile the egress path again
 * (decisions/0104).
 */
export function createEgressRequest(
  { method, url, headers }: RequestHead,
  body: string | undefined,
  purpose: Purpose,
): EgressRequest {
  return { method, url, headers, body, purpose };
}

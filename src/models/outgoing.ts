// An exchange with an upstream as the egress is given it. Sends nothing.
import type { EgressRequest, ExchangePurpose } from "../core/ports.ts";
import type { RequestHead } from "./RequestHeads.ts";

type Timers = ExchangePurpose["timers"];

/** Why an upstream is asked, with all that may be said of it. */
export interface Purpose extends Pick<ExchangePurpose, "kind" | "key" | "run" | "repeatable"> {
  readonly timers: { readonly [Member in keyof Required<Timers>]: Timers[Member] };
  readonly onRetry: ExchangePurpose["onRetry"];
}

/**
 * Written out, what is absent too: a request of another shape, were it only one, has V8 compile the way out of the house anew
 * (decisions/0104).
 */
export function outgoing(
  { method, url, headers }: RequestHead,
  body: string | undefined,
  purpose: Purpose,
): EgressRequest {
  return { method, url, headers, body, purpose };
}

// A `fetch` for the SDK over the Egress port. Owns what is sent; refuses to read what comes back.
import type { Egress, EgressResponse, ExchangePurpose } from "../core/ports.ts";

/** What one SDK call sends along to its fetch, and what the fetch leaves for whoever made the call. */
export interface Exchange {
  readonly purpose: ExchangePurpose;
  readonly signal: AbortSignal;
  response?: EgressResponse | undefined;
}

/** The SDK copies unknown `fetchOptions` into the `init` of its fetch: that is how an exchange reaches it. */
export interface ExchangeInit {
  readonly exchange: Exchange;
}

/**
 * The fetch of one upstream. The SDK is told only that an answer came: its own reader would parse an event stream a second
 * time with no bound on a line, end quietly on an abort, and keep nothing of an error body but `error`. The answer is left
 * in the exchange. Rejections are the egress's own, which the SDK wraps as `cause`.
 * @param sent lower-case names of the headers that may leave; the SDK's own (`user-agent`, `x-stainless-*`, what
 * OPENAI_CUSTOM_HEADERS adds) are not the upstream's business.
 */
export function egressFetch(egress: Egress, sent: ReadonlySet<string>): typeof fetch {
  return async (input, init) => {
    const exchange = exchangeOf(init);
    const headers: Record<string, string> = {};
    for (const [name, value] of new Headers(init?.headers)) {
      if (sent.has(name)) headers[name] = value;
    }
    exchange.response = await egress.send(
      {
        method: init?.method ?? "GET",
        url: input instanceof Request ? input.url : String(input),
        headers,
        ...(typeof init?.body === "string" && { body: init.body }),
        purpose: exchange.purpose,
      },
      exchange.signal,
    );
    return new Response(null, { status: 200 });
  };
}

function exchangeOf(init: RequestInit | undefined): Exchange {
  if (init && "exchange" in init) return (init as RequestInit & ExchangeInit).exchange;
  throw new TypeError("egressFetch serves only calls that bring their exchange in fetchOptions.");
}

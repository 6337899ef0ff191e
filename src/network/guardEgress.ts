// The origin policy of everything that leaves the house. Does not know what an exchange is for: models and tools are held to the same list.
import { failure, PostelError } from "../core/failures.ts";
import type { Egress } from "../core/ports.ts";
import { addressOf } from "./addressOf.ts";

/**
 * Lets an exchange pass only if its origin (scheme, host, port) is one that the operator wrote in the configuration.
 * The URL is parsed and the parsed origin is compared, so that no spelling of a host and no path trick matters.
 * Addresses are not classified: every origin comes from the operator, who may well mean a private one; a caller or a
 * model can never name a host, since redirects are off and templates fill only paths and queries.
 * @param origins URLs or origins; only their origin counts.
 */
export function guardEgress(inner: Egress, origins: readonly string[]): Egress {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));
  return {
    send(request, signal) {
      const refusal = refusalOf(request.url, allowed);
      if (refusal === undefined) return inner.send(request, signal);
      return Promise.reject(new PostelError(failure("egress_refused", refusal, { key: request.purpose.key })));
    },
  };
}

function refusalOf(url: string, allowed: ReadonlySet<string>): string | undefined {
  const address = addressOf(url);
  if (!address) return "The address of an exchange is not a URL.";
  const { origin, protocol, host, holdsCredentials } = address;
  if (protocol !== "http:" && protocol !== "https:") {
    return `Only http and https may be dialled, not ${protocol}//${host}.`;
  }
  if (holdsCredentials) return `The URL of ${host} holds credentials; configure them as a header.`;
  if (!allowed.has(origin)) return `${origin} is no origin of the configuration, so it is not dialled.`;
  return undefined;
}

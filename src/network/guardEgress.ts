// The origin policy of everything that leaves the house. Does not know what an exchange is for: models and tools are held to the same list.
import { failure, PostelError } from "../core/failures.ts";
import type { Egress } from "../core/ports.ts";

/**
 * Lets an exchange pass only if its origin (scheme, host, port) is one that the operator wrote in the configuration.
 * The URL is parsed once and the parsed origin is compared, so that no spelling of a host and no path trick matters.
 * Addresses are not classified: every origin comes from the operator, who may well mean a private one; a caller or a
 * model can never name a host, since redirects are off and templates fill only paths and queries.
 * @param origins URLs or origins; only their origin counts.
 */
export function guardEgress(inner: Egress, origins: readonly string[]): Egress {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));
  return {
    async send(request, signal) {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
      if (!url) throw refused("The address of an exchange is not a URL.", request.purpose.key);
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw refused(`Only http and https may be dialled, not ${url.protocol}//${url.host}.`, request.purpose.key);
      }
      if (url.username !== "" || url.password !== "") {
        throw refused(`The URL of ${url.host} holds credentials; configure them as a header.`, request.purpose.key);
      }
      if (!allowed.has(url.origin)) {
        throw refused(`${url.origin} is no origin of the configuration, so it is not dialled.`, request.purpose.key);
      }
      return inner.send(request, signal);
    },
  };
}

function refused(message: string, key: string): PostelError {
  return new PostelError(failure("egress_refused", message, { key }));
}

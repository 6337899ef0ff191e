// The origin policy of everything that leaves the house. Does not know what an exchange is for: models and tools are held to the same list.
import { failure, PostelError } from "../core/failures.ts";
import type { Egress } from "../core/ports.ts";
import { addressOf } from "./addressOf.ts";
import { type HostPolicy, hostPolicy } from "./hostPolicy.ts";

/**
 * Lets an exchange pass only if its origin (scheme, host, port) is one that the operator wrote in the configuration.
 * The URL is parsed and the parsed origin is compared, so that no spelling of a host and no path trick matters. An address that is
 * written may be a private one; where a written name leads is looked at when it is dialled, by `checkedLookup`.
 * @param origins URLs or origins; only their origin counts.
 */
export function guardEgress(inner: Egress, origins: readonly string[], hosts: HostPolicy = hostPolicy([])): Egress {
  const written = new Map(origins.map((text) => [new URL(text).origin, hosts.writtenFault(new URL(text).hostname)]));
  return {
    send(request, signal) {
      const refusal = refusalOf(request.url, written);
      if (refusal === undefined) return inner.send(request, signal);
      return Promise.reject(new PostelError(failure("egress_refused", refusal, { key: request.purpose.key })));
    },
  };
}

/** @param written the origins that the operator wrote, each with why it must not be dialled all the same, if so. */
function refusalOf(url: string, written: ReadonlyMap<string, string | undefined>): string | undefined {
  const address = addressOf(url);
  if (!address) return "The address of an exchange is not a URL.";
  const { origin, protocol, host, holdsCredentials } = address;
  if (protocol !== "http:" && protocol !== "https:") {
    return `Only http and https may be dialled, not ${protocol}//${host}.`;
  }
  if (holdsCredentials) return `The URL of ${host} holds credentials; configure them as a header.`;
  if (!written.has(origin)) return `${origin} is no origin of the configuration, so it is not dialled.`;
  return written.get(origin);
}

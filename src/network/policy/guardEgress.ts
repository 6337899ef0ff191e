// Enforces the origin policy for all outbound requests. Models and tools have the same list.
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Egress } from "../../core/ports.ts";
import { type Address, parseAddress } from "../parseUrl.ts";
import { createHostPolicy, type HostPolicy } from "./hostPolicy.ts";

interface Written {
  /** URLs or origins; only their origin counts. */
  readonly origins: readonly string[];
  /** True for an origin of which only a pattern is written. */
  readonly isPattern?: (origin: string) => boolean;
}

/**
 * Lets an exchange pass only if the configuration has its origin (scheme, host, port).
 * The parsed origin is compared, so that no spelling of a host and no path trick matters. A configured
 * address may be private. `checkedLookup` checks the addresses of a configured name at connection.
 */
export function guardEgress(
  inner: Egress,
  { origins, isPattern = () => false }: Written,
  hosts: HostPolicy = createHostPolicy([]),
): Egress {
  const written = new Map(origins.map((text) => [new URL(text).origin, hosts.writtenFault(new URL(text).hostname)]));
  return guarded(inner, ({ origin }) => {
    if (written.has(origin)) return written.get(origin);
    if (isPattern(origin)) return hosts.writtenFault(new URL(origin).hostname);
    return `${origin} is no origin of the configuration, so it is not dialled.`;
  });
}

/** Lets an exchange pass to any origin whose host the policy allows: for pages, whose addresses the operator did not write. */
export function guardHosts(inner: Egress, hosts: HostPolicy): Egress {
  return guarded(inner, ({ host }) => hosts.writtenFault(new URL(`http://${host}`).hostname));
}

/** @param faultOf why an address must not be dialled, if so. */
function guarded(inner: Egress, faultOf: (address: Address) => string | undefined): Egress {
  return {
    send(request, signal) {
      const refusal = findRefusal(request.url, faultOf);
      if (refusal === undefined) return inner.send(request, signal);
      return Promise.reject(new PostelError(createFailure("egress_refused", refusal, { key: request.purpose.key })));
    },
  };
}

function findRefusal(url: string, faultOf: (address: Address) => string | undefined): string | undefined {
  const address = parseAddress(url);
  if (!address) return "The address of an exchange is not a URL.";
  const { protocol, host, holdsCredentials } = address;
  if (protocol !== "http:" && protocol !== "https:") {
    return `Only http and https may be dialled, not ${protocol}//${host}.`;
  }
  if (holdsCredentials) return `The URL of ${host} holds credentials; configure them as a header.`;
  return faultOf(address);
}

// Resolves the name of a new connection and returns only addresses that the policy allows. Opens no connection.
import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { HostPolicy } from "./hostPolicy.ts";

type Found = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** Resolves all addresses of a name. */
export type Resolve = (name: string, options: LookupOptions & { readonly all: true }, found: Found) => void;

/**
 * Lookup for the connector of sockets, which dials only the returned addresses. No second lookup takes place between the check
 * and the connection, so its answer cannot differ. A refusal reaches the socket as a PostelError `egress_refused`.
 */
export function createCheckedLookup(hosts: HostPolicy, resolve: Resolve = lookup): LookupFunction {
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const fault = hosts.resolvedFault(
        name,
        addresses.map(({ address }) => address),
      );
      if (fault !== undefined) return callback(new PostelError(createFailure("egress_refused", fault)), []);
      const [first] = addresses;
      if (options.all || !first) return callback(null, [...addresses]);
      callback(null, first.address, first.family);
    });
  };
}

// Decides which hosts and addresses the gateway may contact. Resolves no names.
import {
  classifyAddress,
  detectAddressKind,
  isInNetwork,
  type Network,
  readAddress,
  readNetwork,
} from "./addressKind.ts";

export interface HostPolicy {
  /**
   * Returns the reason why the written host must not be dialled, or undefined if it may be. Names pass here; their addresses are checked later.
   * @param host as a URL has it, an IPv6 address in brackets.
   */
  writtenFault(host: string): string | undefined;
  /** Returns the reason why a name with these addresses must not be dialled, or undefined if it may be. One bad address refuses them all. */
  resolvedFault(name: string, addresses: readonly string[]): string | undefined;
}

/**
 * Public addresses may be dialled under any name. Private ones only if the address itself is configured, if the name is
 * one of a private network, or if `allow` has the name or the address. Platform addresses only if `allow` has
 * the address, or a network within the platform's: a larger network that contains them does not suffice.
 * @param allow host names, addresses and networks: the entries that `isAllowEntry` accepts.
 */
export function createHostPolicy(allow: readonly string[]): HostPolicy {
  const networks = allow.flatMap((entry) => [readNetwork(entry) ?? []].filter(isNetwork));
  const names = new Set(allow.map(plainName));
  const isAllowed = (text: string): boolean => {
    const address = readAddress(text);
    if (!address) return false;
    const isPlatform = classifyAddress(address) === "platform";
    return networks.some(
      (network) => isInNetwork(address, network) && (!isPlatform || classifyAddress(network[0]) === "platform"),
    );
  };
  return {
    writtenFault(host) {
      const address = host.replace(/^\[|\]$/g, "");
      if (!readAddress(address) || detectAddressKind(address) !== "platform" || isAllowed(address)) return undefined;
      return `${host} is an address of the machine's own link or of its cloud, where credentials may be had; if it is meant, write it into egress.allow`;
    },
    resolvedFault(written, addresses) {
      const name = plainName(written);
      const mayBePrivate = names.has(name) || saysPrivate(name);
      const bad = addresses.find((text) => {
        const kind = detectAddressKind(text);
        return kind !== "public" && !(kind === "private" && mayBePrivate) && !isAllowed(text);
      });
      if (bad === undefined) return undefined;
      return detectAddressKind(bad) === "platform"
        ? `${name} leads to an address of the machine's own link or of its cloud, so it is not dialled. If that is meant, write the address into egress.allow.`
        : `${name} leads to an address that is not public, and neither its name nor egress.allow says so, so it is not dialled. If that is meant, write the name or its network into egress.allow.`;
    },
  };
}

/**
 * For addresses that the operator did not write, such as those of pages. Hosts in `named` follow the operator's policy; every other must
 * be public.
 * @param named hosts as a URL has them.
 */
export function createPublicPolicy(named: readonly string[], operators: HostPolicy): HostPolicy {
  const written = new Set(named.map(plainName));
  const unnamed = "and is not among the `hosts` of the component, so it is not dialled.";
  return {
    writtenFault(host) {
      if (written.has(plainName(host))) return operators.writtenFault(host);
      const address = host.replace(/^\[|\]$/g, "");
      if (!readAddress(address) || detectAddressKind(address) === "public") return undefined;
      return `${host} is no public address, ${unnamed}`;
    },
    resolvedFault(name, addresses) {
      if (written.has(plainName(name))) return operators.resolvedFault(name, addresses);
      if (addresses.every((address) => detectAddressKind(address) === "public")) return undefined;
      return `${name} leads to an address that is not public, ${unnamed}`;
    },
  };
}

/** Returns true if the text is a valid entry of the allow list: a host name, an address, or a network such as `10.0.0.0/8`. */
export function isAllowEntry(text: string): boolean {
  return (
    readNetwork(text) !== undefined ||
    /^(?!.*\.\d+\.?$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_-]+)*\.?$/i.test(text)
  );
}

function isNetwork(found: Network | readonly never[]): found is Network {
  return found.length > 0;
}

function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** Suffixes that no public name has: RFC 6761, 6762, 8375, ICANN's `internal`, and those of routers and of Kubernetes. */
const PRIVATE_ENDING = /\.(?:localhost|local|internal|lan|svc|home\.arpa)$/;

/** Returns true if the host is public by its spelling alone. The addresses of a name are checked at connection. @param host as a URL has it. */
export function saysPublic(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  return readAddress(address) ? detectAddressKind(address) === "public" : !saysPrivate(plainName(host));
}

function saysPrivate(name: string): boolean {
  return !name.includes(".") || PRIVATE_ENDING.test(name);
}

// Classifies IP addresses by the kind of their network.
import ipaddr from "ipaddr.js";

/**
 * `public`: the internet. `private`: the operator's own machine or networks, and unassigned addresses. `platform`: the
 * machine's own link and the services of its cloud there, some of which give credentials to any caller.
 */
export type AddressKind = "public" | "private" | "platform";

/** A network, as its address and the bits of it that count. */
export type Network = readonly [IpAddress, number];

type IpAddress = ReturnType<typeof ipaddr.parse>;
type Ipv6Address = Exclude<IpAddress, { octets: number[] }>;

/** Classifies an IPv4 or IPv6 address, as resolvers and URLs spell it. Any other text gives `platform`, which is never allowed. */
export function detectAddressKind(text: string): AddressKind {
  const address = readAddress(text);
  return address ? classifyAddress(address) : "platform";
}

/** An address, or undefined for a text that is none; an IPv4 address in IPv6 form is the IPv4 address. */
export function readAddress(text: string): IpAddress | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

/** `10.0.0.0/8`, or one address; undefined for a text that is neither. */
export function readNetwork(text: string): Network | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = readAddress(text);
  return address && [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Returns true if the address lies in the network. */
export function isInNetwork(address: IpAddress, [base, bits]: Network): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

/** The kind of an address that was read. */
export function classifyAddress(address: IpAddress): AddressKind {
  if (PLATFORM.some((network) => isInNetwork(address, network))) return "platform";
  if (!isVersion6(address)) return address.range() === "unicast" ? "public" : "private";
  const inside = EMBEDDING.find(({ network }) => isInNetwork(address, network));
  if (inside) {
    const kind = classifyAddress(inside.of(address.parts));
    return kind === "platform" || inside.isSame ? kind : "private";
  }
  return isInNetwork(address, GLOBAL) && address.range() === "unicast" ? "public" : "private";
}

function isVersion6(address: IpAddress): address is Ipv6Address {
  return address.kind() === "ipv6";
}

/** All that IPv6 has given out as yet. */
const GLOBAL = ipaddr.parseCIDR("2000::/3");

/** Link-local networks (RFC 3927, RFC 4291), and further addresses that clouds document as theirs. */
const PLATFORM = [
  ...["169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32"],
  ...["fe80::/10", "fd00:ec2::/32", "fd20:ce::254/128"],
].map((network) => ipaddr.parseCIDR(network));

interface Embedding {
  readonly network: Network;
  /** The IPv4 address that stands in the eight parts of the other. */
  of(parts: readonly number[]): IpAddress;
  /** True if both lead to the same host wherever the address is used: it is as private as the embedded address. */
  readonly isSame?: true;
}

/** IPv6 addresses that stand for IPv4 ones: in the last two parts, but for 6to4 and Teredo. */
const EMBEDDING: readonly Embedding[] = [
  // NAT64 (RFC 6052): in a network without IPv4, every IPv4 name resolves to such an address.
  { network: ipaddr.parseCIDR("64:ff9b::/96"), of: (parts) => version4(parts[6], parts[7]), isSame: true },
  { network: ipaddr.parseCIDR("64:ff9b:1::/48"), of: (parts) => version4(parts[6], parts[7]) },
  { network: ipaddr.parseCIDR("::/96"), of: (parts) => version4(parts[6], parts[7]) },
  { network: ipaddr.parseCIDR("::ffff:0:0:0/96"), of: (parts) => version4(parts[6], parts[7]) },
  { network: ipaddr.parseCIDR("2002::/16"), of: (parts) => version4(parts[1], parts[2]) },
  // Teredo (RFC 4380) writes the address of the client inverted.
  { network: ipaddr.parseCIDR("2001::/32"), of: (parts) => version4(inverted(parts[6]), inverted(parts[7])) },
];

function inverted(part = 0): number {
  return part ^ 0xffff;
}

function version4(high = 0, low = 0): IpAddress {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

// The registry of wires by their names in the configuration.
import type { AddressIssue, ServerAddress } from "../../core/config/configuration.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { azure } from "./azure.ts";
import { gemini } from "./gemini/gemini.ts";
import { openai } from "./openai.ts";
import type { UpstreamWire } from "./UpstreamWire.ts";

/** A URL is of the first wire that makes such requests. */
const WIRES: readonly UpstreamWire[] = [azure, openai, anthropic, gemini];

const byId = new Map(WIRES.map((wire) => [wire.id, wire]));

export const WIRE_IDS: ReadonlySet<string> = new Set(byId.keys());

/** @throws TypeError for a name that is not among `WIRE_IDS`: configuration takes none. */
export function resolveWire(id: string): UpstreamWire {
  const wire = byId.get(id);
  if (!wire) throw new TypeError(`There is no wire \`${id}\`.`);
  return wire;
}

/**
 * Returns the wire and address of a request URL, or undefined if no wire matches.
 * @param only the wire of the URL, if known.
 */
export function wireOfUrl(url: string, only?: string): ServerAddress | undefined {
  for (const wire of only === undefined ? WIRES : [resolveWire(only)]) {
    const baseUrl = wire.getBaseUrl(url);
    if (baseUrl !== undefined) return { wire: wire.id, baseUrl, ...wire.addressOf?.(url) };
  }
  return undefined;
}

/** Returns the issue of an upstream's address for its wire, or undefined. */
export function validateAddress(address: ServerAddress): AddressIssue | undefined {
  const wire = resolveWire(address.wire);
  if (wire.addressFault) return wire.addressFault(address);
  const { deployment, apiVersion } = address;
  if (deployment === undefined && apiVersion === undefined) return undefined;
  const key = deployment === undefined ? "api_version" : "deployment";
  return { key, message: `expected nothing: the wire \`${wire.id}\` has no place for it` };
}

// The wires by the names that configuration uses. Knows none of them.
import { anthropic } from "./anthropic/anthropic.ts";
import { gemini } from "./gemini/gemini.ts";
import { openai } from "./openai.ts";
import type { UpstreamWire } from "./UpstreamWire.ts";

/** A URL is of the first wire that makes such requests. */
const WIRES: readonly UpstreamWire[] = [openai, anthropic, gemini];

const byId = new Map(WIRES.map((wire) => [wire.id, wire]));

export const WIRE_IDS: ReadonlySet<string> = new Set(byId.keys());

/** @throws TypeError for a name that is not among `WIRE_IDS`: configuration takes none. */
export function wireOf(id: string): UpstreamWire {
  const wire = byId.get(id);
  if (!wire) throw new TypeError(`There is no wire \`${id}\`.`);
  return wire;
}

/**
 * Which wire makes requests to such a URL, and the base URL that it has then; undefined where none does.
 * @param only the one that is meant, where that is known.
 */
export function wireOfUrl(url: string, only?: string): { readonly wire: string; readonly baseUrl: string } | undefined {
  for (const wire of only === undefined ? WIRES : [wireOf(only)]) {
    const baseUrl = wire.baseOf(url);
    if (baseUrl !== undefined) return { wire: wire.id, baseUrl };
  }
  return undefined;
}

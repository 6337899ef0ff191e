// The wires by the names that configuration uses. Knows none of them.
import type { WireId } from "../../core/configuration.ts";
import { openai } from "./openai.ts";
import type { UpstreamWire } from "./UpstreamWire.ts";

const WIRES: Readonly<Record<WireId, UpstreamWire>> = { openai };

export function wireOf(id: WireId): UpstreamWire {
  return WIRES[id];
}

/** Which wire makes requests to such a URL, and the base URL that it has then; undefined where none does. */
export function wireOfUrl(url: string): { readonly wire: WireId; readonly baseUrl: string } | undefined {
  for (const wire of Object.values(WIRES)) {
    const baseUrl = wire.baseOf(url);
    if (baseUrl !== undefined) return { wire: wire.id, baseUrl };
  }
  return undefined;
}

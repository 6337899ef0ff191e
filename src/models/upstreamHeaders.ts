// The headers with which every request goes to an upstream. Knows no path.
import type { WireServer } from "./wires/UpstreamWire.ts";
import { wireOf } from "./wires/wires.ts";

/** Lower-case names; the operator's own win. */
export function upstreamHeaders(
  server: Pick<WireServer, "wire" | "apiKey" | "headers">,
): Readonly<Record<string, string>> {
  const configured = Object.entries(server.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...wireOf(server.wire).headers(server), ...Object.fromEntries(configured) };
}

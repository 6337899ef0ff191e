// The headers with which every request goes to an upstream. Knows no path.
import type { UpstreamConfig } from "../core/configuration.ts";

type Server = Pick<Extract<UpstreamConfig, { type: "openai" }>, "apiKey" | "headers">;

/** Lower-case names; the operator's own win. */
export function upstreamHeaders({ apiKey, headers }: Server): Readonly<Record<string, string>> {
  const configured = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...Object.fromEntries(configured) };
}

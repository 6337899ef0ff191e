// Server information that is loaded on first use.

import type { WireServer } from "../wires/UpstreamWire.ts";
import type { ModelWindow } from "./ContextWindows.ts";
import type { ServerInfo, ServerInfoOptions } from "./ServerInfo.ts";

/** Information of a server about its models. */
export interface LazyServerInfo {
  /** See `ToolSupport.known`. Absent if servers of the wire have no other endpoints. */
  readonly toolSupport?: ((model: string, signal: AbortSignal) => Promise<void> | undefined) | undefined;
  window(model: string): ModelWindow;
}

export function createLazyServerInfo(options: ServerInfoOptions): LazyServerInfo {
  const answersBeside = hasServerInfo(options.upstream);
  let facts: ServerInfo | undefined;
  const load = async (): Promise<ServerInfo> => {
    const { ServerInfo: Facts } = await import("./ServerInfo.ts");
    facts ??= new Facts({ ...options, answersBeside });
    return facts;
  };
  const toolSupport = (model: string, signal: AbortSignal): Promise<void> | undefined =>
    facts ? facts.support?.known(model, signal) : load().then(({ support }) => support?.known(model, signal));
  return {
    toolSupport: answersBeside ? toolSupport : undefined,
    window: (model) => ({
      said: () => facts?.windows.of(model).said(),
      ask: async (signal) => (await load()).windows.of(model).ask(signal),
    }),
  };
}

/**
 * Returns true if the server may answer requests outside its wire. Local model servers speak the OpenAI and the Anthropic wire and
 * answer such requests on both. Anthropic's own server is not asked.
 */
function hasServerInfo({ wire, baseUrl }: Pick<WireServer, "wire" | "baseUrl">): boolean {
  if (wire === "openai") return true;
  return wire === "anthropic" && !/^https:\/\/([^/]*\.)?anthropic\.com(?=[:/]|$)/i.test(baseUrl);
}

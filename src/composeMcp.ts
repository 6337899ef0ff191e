// Servers of tools, each with its way to it. Loaded only where there is one.
import { neutralised } from "./agents/neutralised.ts";
import type { McpComponent } from "./core/mcpComponent.ts";
import type { Clock, Egress, Observer, Random } from "./core/ports.ts";
import type { AroundServedCall, PlayedServers } from "./core/servedCalls.ts";
import type { DefinitionStore } from "./core/stores.ts";
import { longPrograms } from "./processes/longPrograms.ts";
import { egressFetch } from "./tools/mcp/egressFetch.ts";
import { McpSource, type Way } from "./tools/mcp/McpSource.ts";
import { PlayedSource } from "./tools/mcp/PlayedSource.ts";
import type { ServedToolServices } from "./tools/mcp/ServedTools.ts";
import { StdioTransport } from "./tools/mcp/StdioTransport.ts";
import { loadSdk, type Sdk } from "./tools/mcp/sdk.ts";
import type { ToolSource } from "./tools/ToolSource.ts";

export interface McpCarriers extends Omit<ServedToolServices, "neutralise"> {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: Observer;
  readonly definitions: Pick<DefinitionStore, "agreeToFirst">;
  readonly around?: AroundServedCall | undefined;
  /** Milliseconds for which a call waits for a person. */
  readonly holdMs: number;
}

/** The servers are started at once. */
export async function mcpSources(
  components: readonly McpComponent[],
  carriers: McpCarriers,
): Promise<readonly ToolSource[]> {
  const sdk = await loadSdk();
  const programs = longPrograms();
  const connect = (component: McpComponent): Way => {
    const { connection, limits, id, maxTimeoutMs } = component;
    if (connection.type === "stdio") {
      const { command: argv, program, cwd, env } = connection;
      const transport = new StdioTransport(programs, { program, argv, cwd, env, maxLine: limits.messageBytes });
      return { transport, ended: () => transport.ended() };
    }
    const { egress } = carriers;
    return serviceAt(connection, sdk, { egress, server: id, headersMs: maxTimeoutMs, most: limits.messageBytes });
  };
  return components.map((one) => new McpSource(one, { ...carriers, neutralise: neutralised, sdk, connect }));
}

/** Servers to which nobody goes: they offer what was recorded. */
export function playedServers(
  components: readonly McpComponent[],
  services: Omit<ServedToolServices, "neutralise"> & { readonly played: PlayedServers },
): readonly ToolSource[] {
  return components.map((one) => new PlayedSource(one, { ...services, neutralise: neutralised }));
}

function serviceAt(
  { url, headers }: Extract<McpComponent["connection"], { type: "http" }>,
  { StreamableHTTPClientTransport }: Sdk,
  way: Parameters<typeof egressFetch>[0],
): Way {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: egressFetch(way),
    requestInit: { headers: { ...headers } },
  });
  return { transport, leave: () => transport.terminateSession() };
}

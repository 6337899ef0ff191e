// Creates the tool sources of MCP servers, with their transports. Loaded only if there are servers.
import { sanitizeText } from "../agents/prompting/sanitizeText.ts";
import type { McpComponent } from "../core/config/mcpComponent.ts";
import type { Clock, Egress, Observer, Random } from "../core/ports.ts";
import type { DefinitionStore } from "../core/stores/DefinitionStore.ts";
import type { McpCallInterceptor, ReplayServers } from "../core/tools/mcpCalls.ts";
import { createProgramPort } from "../processes/longRunningProcesses.ts";
import { createEgressFetch } from "../tools/mcp/egressFetch.ts";
import { type McpConnector, McpSource } from "../tools/mcp/McpSource.ts";
import type { ServedToolServices } from "../tools/mcp/McpToolFactory.ts";
import { ReplaySource } from "../tools/mcp/ReplaySource.ts";
import { StdioTransport } from "../tools/mcp/StdioTransport.ts";
import { loadSdk, type Sdk } from "../tools/mcp/sdk.ts";
import type { ToolSource } from "../tools/ToolSource.ts";

export interface McpCarriers extends Omit<ServedToolServices, "neutralise"> {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: Observer;
  readonly definitions: Pick<DefinitionStore, "agreeToFirst">;
  readonly interceptor?: McpCallInterceptor | undefined;
  /** Milliseconds that a call waits for a user. */
  readonly holdMs: number;
}

/** Starts the servers at once. */
export async function createMcpSources(
  components: readonly McpComponent[],
  carriers: McpCarriers,
): Promise<readonly ToolSource[]> {
  const sdk = await loadSdk();
  const programs = createProgramPort();
  const connect = (component: McpComponent): McpConnector => {
    const { connection, limits, id, maxTimeoutMs } = component;
    if (connection.type === "stdio") {
      const { command: argv, program, cwd, env } = connection;
      const transport = new StdioTransport(programs, { program, argv, cwd, env, maxLine: limits.messageBytes });
      return { transport, ended: () => transport.ended() };
    }
    const { egress } = carriers;
    return createServiceTransport(connection, sdk, {
      egress,
      server: id,
      headersMs: maxTimeoutMs,
      most: limits.messageBytes,
    });
  };
  return components.map((one) => new McpSource(one, { ...carriers, neutralise: sanitizeText, sdk, connect }));
}

/** Sources that offer recorded tools without contacting servers. */
export function createReplayServers(
  components: readonly McpComponent[],
  services: Omit<ServedToolServices, "neutralise"> & { readonly played: ReplayServers },
): readonly ToolSource[] {
  return components.map((one) => new ReplaySource(one, { ...services, neutralise: sanitizeText }));
}

function createServiceTransport(
  { url, headers }: Extract<McpComponent["connection"], { type: "http" }>,
  { StreamableHTTPClientTransport }: Sdk,
  way: Parameters<typeof createEgressFetch>[0],
): McpConnector {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: createEgressFetch(way),
    requestInit: { headers: { ...headers } },
  });
  return { transport, leave: () => transport.terminateSession() };
}

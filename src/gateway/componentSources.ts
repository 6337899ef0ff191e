// Creates the tool sources of the configured components.

import { collectSecrets, keysOf } from "../config/load/collectSecrets.ts";
import type { ShellComponent, ToolComponent } from "../core/config/components.ts";
import type { Config } from "../core/config/configuration.ts";
import type { McpComponent } from "../core/config/mcpComponent.ts";
import type { WebScraperComponent } from "../core/config/webScraperComponent.ts";
import type { Clock, Egress, Observer, ProcessPort, Random } from "../core/ports.ts";
import type { Store } from "../core/stores/Store.ts";
import type { McpCallInterceptor, ReplayServers } from "../core/tools/mcpCalls.ts";
import { matchesSchema } from "../formats/validation/fitValue.ts";
import { createProcessPort } from "../processes/childProcesses.ts";
import { redactKnown } from "../telemetry/redaction/createRedact.ts";
import { createHttpClientTools } from "../tools/http/httpClientTools.ts";
import type { ServiceOptions } from "../tools/http/serviceTool.ts";
import { createShellTools } from "../tools/shell/shellTools.ts";
import { createFixedSource, type ToolSource } from "../tools/ToolSource.ts";
import { PageReaderPool } from "../tools/web/PageReaderPool.ts";
import { createWebScraperTools } from "../tools/web/webScraperTools.ts";
import { createMcpSources, createReplayServers } from "./mcpSources.ts";
import { openApiSources } from "./openApiSources.ts";
import { createVectorSources, type VectorCarriers } from "./vectorSources.ts";

export interface Carriers extends VectorCarriers {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: Observer;
  readonly store: Pick<Store, "vectors" | "definitions">;
  /** Replacements for child processes and MCP servers in a replay. */
  readonly replayed?: { readonly processes: ProcessPort; readonly servers: ReplayServers } | undefined;
  /** Wraps the process port with a recorder; absent: nothing is recorded. */
  readonly recordedProcesses?: ((inner: ProcessPort) => ProcessPort) | undefined;
  /** Wraps MCP calls with a recorder; absent: nothing is recorded. */
  readonly aroundServedCalls?: McpCallInterceptor | undefined;
}

/** Options of all kinds of components. */
type SharedOptions = Pick<ServiceOptions, "credentials" | "redact" | "redactKeys" | "matches">;

export async function createComponentSources(config: Config, carriers: Carriers): Promise<readonly ToolSource[]> {
  const shared = {
    credentials: config.credentials,
    redact: redactKnown(collectSecrets(config)),
    redactKeys: redactKnown(keysOf(config)),
    matches: matchesSchema,
  };
  const { headersMs } = config.timeouts;
  const ofType = <Type extends ToolComponent["type"]>(type: Type) =>
    config.components.filter((one): one is Extract<ToolComponent, { type: Type }> => one.type === type);
  const services = ofType("http-client");
  const documents = ofType("openapi");
  const programs = ofType("shell");
  const servers = ofType("mcp");
  const scrapers = ofType("web-scraper");
  const collections = ofType("vector-store");
  const serving = { egress: carriers.egress, headersMs, ...shared };
  return [
    ...services.map((one) => createFixedSource(createHttpClientTools(one, serving))),
    ...(documents.length > 0 ? await openApiSources(documents, serving) : []),
    ...(programs.length > 0 ? shellSources(programs, carriers, shared) : []),
    ...(servers.length > 0
      ? await serverSources(servers, carriers, { ...shared, holdMs: config.limits.interruptMs })
      : []),
    ...(scrapers.length > 0 ? scraperSources(scrapers, carriers, { headersMs, ...shared }) : []),
    ...(collections.length > 0 ? createVectorSources(collections, carriers, shared) : []),
  ];
}

async function serverSources(
  components: readonly McpComponent[],
  carriers: Carriers,
  shared: SharedOptions & { readonly holdMs: number },
): Promise<readonly ToolSource[]> {
  const { replayed, aroundServedCalls: interceptor, store } = carriers;
  if (replayed) return createReplayServers(components, { ...shared, played: replayed.servers });
  return createMcpSources(components, { ...carriers, ...shared, interceptor, definitions: store.definitions });
}

function shellSources(
  components: readonly ShellComponent[],
  { replayed, recordedProcesses = (inner) => inner }: Carriers,
  shared: SharedOptions,
): readonly ToolSource[] {
  const options = { processes: recordedProcesses(replayed?.processes ?? createProcessPort()), ...shared };
  return components.map((component) => createFixedSource(createShellTools(component, options)));
}

/** The pages of all scrapers are parsed by the same worker threads, which end with their source. */
function scraperSources(
  components: readonly WebScraperComponent[],
  { egress, clock }: Carriers,
  shared: SharedOptions & { readonly headersMs: number },
): readonly ToolSource[] {
  const readers = new PageReaderPool();
  const tools = components.flatMap((component) =>
    createWebScraperTools(component, { egress, clock, readers, ...shared }),
  );
  return [{ ...createFixedSource(tools), close: () => readers.close() }];
}

// The tools that components of the configuration are, each kind with what carries it out. Loaded only where there is a component.

import type { VectorCarriers } from "./composeVectors.ts";
import { keysOf, secretsOf } from "./config/secretsOf.ts";
import type { ShellComponent, ToolComponent } from "./core/components.ts";
import type { Config } from "./core/configuration.ts";
import type { McpComponent } from "./core/mcpComponent.ts";
import type { Clock, Egress, Observer, ProcessPort, Random } from "./core/ports.ts";
import type { AroundServedCall, PlayedServers } from "./core/servedCalls.ts";
import type { Store } from "./core/stores.ts";
import type { WebScraperComponent } from "./core/webScraperComponent.ts";
import { matchesSchema } from "./formats/fitting/fitValue.ts";
import { redactKnown } from "./telemetry/createRedact.ts";
import { httpClientTools } from "./tools/httpClientTools.ts";
import type { ServiceOptions } from "./tools/serviceTool.ts";
import { fixedTools, type ToolSource } from "./tools/ToolSource.ts";

export interface Carriers extends VectorCarriers {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: Observer;
  readonly store: Pick<Store, "vectors" | "definitions">;
  /** What a replay has in the place of child processes and of servers. */
  readonly replayed?: { readonly processes: ProcessPort; readonly servers: PlayedServers } | undefined;
  /** The layer that records; absent: nothing is recorded. */
  readonly recordedProcesses?: ((inner: ProcessPort) => ProcessPort) | undefined;
  /** The layer that records calls of servers' tools; absent: nothing is recorded. */
  readonly aroundServedCalls?: AroundServedCall | undefined;
}

/** What all kinds are told of the house. */
type Told = Pick<ServiceOptions, "credentials" | "redact" | "redactKeys" | "matches">;

export async function componentSources(config: Config, carriers: Carriers): Promise<readonly ToolSource[]> {
  const told = {
    credentials: config.credentials,
    redact: redactKnown(secretsOf(config)),
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
  const serving = { egress: carriers.egress, headersMs, ...told };
  return [
    ...services.map((one) => fixedTools(httpClientTools(one, serving))),
    ...(documents.length > 0 ? await (await import("./composeOpenApi.ts")).openApiSources(documents, serving) : []),
    ...(programs.length > 0 ? await shellSources(programs, carriers, told) : []),
    ...(servers.length > 0
      ? await serverSources(servers, carriers, { ...told, holdMs: config.limits.interruptMs })
      : []),
    ...(scrapers.length > 0 ? await scraperSources(scrapers, carriers, { headersMs, ...told }) : []),
    ...(collections.length > 0 ? (await import("./composeVectors.ts")).vectorSources(collections, carriers, told) : []),
  ];
}

async function serverSources(
  components: readonly McpComponent[],
  carriers: Carriers,
  told: Told & { readonly holdMs: number },
): Promise<readonly ToolSource[]> {
  const { mcpSources, playedServers } = await import("./composeMcp.ts");
  const { replayed, aroundServedCalls: around, store } = carriers;
  if (replayed) return playedServers(components, { ...told, played: replayed.servers });
  return mcpSources(components, { ...carriers, ...told, around, definitions: store.definitions });
}

async function shellSources(
  components: readonly ShellComponent[],
  { replayed, recordedProcesses = (inner) => inner }: Carriers,
  told: Told,
): Promise<readonly ToolSource[]> {
  const { shellTools } = await import("./tools/shell/shellTools.ts");
  const { childProcesses } = await import("./processes/childProcesses.ts");
  const options = { processes: recordedProcesses(replayed?.processes ?? childProcesses()), ...told };
  return components.map((component) => fixedTools(shellTools(component, options)));
}

/** Pages of all scrapers are read by the same few threads, which end with their source. */
async function scraperSources(
  components: readonly WebScraperComponent[],
  { egress, clock }: Carriers,
  told: Told & { readonly headersMs: number },
): Promise<readonly ToolSource[]> {
  const { webScraperTools } = await import("./tools/web/webScraperTools.ts");
  const { PageReaders } = await import("./tools/web/PageReaders.ts");
  const readers = new PageReaders();
  const tools = components.flatMap((component) => webScraperTools(component, { egress, clock, readers, ...told }));
  return [{ ...fixedTools(tools), close: () => readers.close() }];
}

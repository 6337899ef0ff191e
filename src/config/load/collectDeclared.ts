// Collects what postel.yaml declares for the gateway: upstreams, components, tools, agents, workflows. Requires data that
// fits the schema.
import type { ActionComponent, HttpClientComponent } from "../../core/config/components.ts";
import type { UpstreamConfig } from "../../core/config/configuration.ts";
import type { McpComponent } from "../../core/config/mcpComponent.ts";
import type { Alias } from "../../core/models/namePatterns.ts";
import type { WrittenAgent } from "../agents/agents.ts";
import type { Component } from "../components/components.ts";
import { type HttpService, toModelService } from "../models/httpModel.ts";
import type { WrittenWorkflow } from "../workflows/workflows.ts";
import type { ReferenceIssue } from "./ConfigIssue.ts";
import type { KnownNames } from "./KnownNames.ts";

/** A declared item with its path in the file. */
export interface Located<Thing> {
  readonly path: readonly (string | number)[];
  readonly is: Thing;
}

export interface Declared {
  /** Upstreams; components come first, each of which serves one model name. */
  readonly upstreams: readonly Located<UpstreamConfig>[];
  /** Services, programs and collections that are tools. */
  readonly tools: readonly Located<ActionComponent>[];
  /** Components whose tools are known only at run time. */
  readonly servers: readonly Located<McpComponent>[];
  readonly agents: readonly Located<WrittenAgent>[];
  readonly workflows: readonly Located<WrittenWorkflow>[];
  readonly faults: readonly ReferenceIssue[];
}

export interface WrittenSections {
  readonly upstreams: readonly UpstreamConfig[];
  readonly aliases: readonly Alias[];
  readonly components: readonly Component[];
  readonly agents: readonly WrittenAgent[];
  readonly workflow?: WrittenWorkflow | undefined;
  readonly workflows: readonly WrittenWorkflow[];
}

export function collectDeclared(sections: WrittenSections, known: Pick<KnownNames, "parseServerUrl">): Declared {
  const components = toLocated("components", sections.components);
  const agents = [
    ...toLocated("agents", sections.agents),
    ...components.flatMap(({ path, is }) => (is.type === "agent" ? [{ path, is: is.agent }] : [])),
  ];
  const requestedModels = new Set([...agents.map(({ is }) => is.model), ...sections.aliases.map(({ model }) => model)]);
  const asksModel = ({ id, wire }: HttpService) => wire !== undefined || requestedModels.has(id);
  const services = components.flatMap(({ path, is }) => (is.type === "http-client" ? [{ path, is: is.service }] : []));
  const servedModels = services
    .filter(({ is }) => asksModel(is))
    .map(({ path, is }) => ({ path, is: toModelService(is, path, known) }));
  return {
    upstreams: [
      ...components.flatMap(({ path, is }) => (is.type === "model" ? [{ path, is: is.upstream }] : [])),
      ...servedModels.flatMap(({ path, is }) => (is.type === "upstream" ? [{ path, is: is.upstream }] : [])),
      ...toLocated("upstreams", sections.upstreams),
    ],
    tools: [
      ...services.filter(({ is }) => !asksModel(is)).map(({ path, is }) => ({ path, is: toHttpClient(is) })),
      ...components.flatMap(({ path, is }) => (is.type === "shell" ? [{ path, is: is.shell }] : [])),
      ...components.flatMap(({ path, is }) => (is.type === "openapi" ? [{ path, is: is.openApi }] : [])),
      ...components.flatMap(({ path, is }) => (is.type === "web-scraper" ? [{ path, is: is.scraper }] : [])),
      ...components.flatMap(({ path, is }) => (is.type === "vector-store" ? [{ path, is: is.store }] : [])),
    ],
    servers: components.flatMap(({ path, is }) => (is.type === "mcp" ? [{ path, is: is.server }] : [])),
    agents,
    workflows: [
      ...(sections.workflow ? [{ path: ["workflow"], is: sections.workflow }] : []),
      ...toLocated("workflows", sections.workflows),
      ...components.flatMap(({ path, is }) => (is.type === "workflow" ? [{ path, is: is.workflow }] : [])),
    ],
    faults: servedModels.flatMap(({ is }) => (is.type === "refused" ? is.faults : [])),
  };
}

function toHttpClient({ wire: _, isInline: __, ...component }: HttpService): HttpClientComponent {
  return component;
}

function toLocated<Thing>(section: string, items: readonly Thing[]): readonly Located<Thing>[] {
  return items.map((is, index) => ({ path: [section, index], is }));
}

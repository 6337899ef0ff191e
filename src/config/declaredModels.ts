// What the sections of postel.yaml come to for the house: upstreams and components that serve models, tools, agents. Works on data that fits the schema.
import type { ActionComponent, HttpClientComponent } from "../core/components.ts";
import type { UpstreamConfig } from "../core/configuration.ts";
import type { McpComponent } from "../core/mcpComponent.ts";
import type { Alias } from "../core/namePatterns.ts";
import type { WrittenAgent } from "./agents.ts";
import type { Component } from "./components.ts";
import type { KnownNames } from "./KnownNames.ts";
import { type HttpService, modelService } from "./modelServices.ts";
import type { ReferenceFault } from "./ReferenceFault.ts";
import type { WrittenWorkflow } from "./workflows.ts";

/** A thing, and where it is written. */
export interface Placed<Thing> {
  readonly path: readonly (string | number)[];
  readonly is: Thing;
}

export interface Declared {
  /** Those that are components go first: each serves one name. */
  readonly upstreams: readonly Placed<UpstreamConfig>[];
  /** Services, programs and collections that are tools. */
  readonly tools: readonly Placed<ActionComponent>[];
  /** Those whose tools show only while the gateway runs. */
  readonly servers: readonly Placed<McpComponent>[];
  readonly agents: readonly Placed<WrittenAgent>[];
  readonly workflows: readonly Placed<WrittenWorkflow>[];
  readonly faults: readonly ReferenceFault[];
}

export interface WrittenSections {
  readonly upstreams: readonly UpstreamConfig[];
  readonly aliases: readonly Alias[];
  readonly components: readonly Component[];
  readonly agents: readonly WrittenAgent[];
  readonly workflow?: WrittenWorkflow | undefined;
  readonly workflows: readonly WrittenWorkflow[];
}

export function declaredIn(sections: WrittenSections, known: Pick<KnownNames, "wireOfUrl">): Declared {
  const components = placed("components", sections.components);
  const agents = [
    ...placed("agents", sections.agents),
    ...components.flatMap(({ path, is }) => (is.type === "agent" ? [{ path, is: is.agent }] : [])),
  ];
  const asked = new Set([...agents.map(({ is }) => is.model), ...sections.aliases.map(({ model }) => model)]);
  const asksModel = ({ id, wire }: HttpService) => wire !== undefined || asked.has(id);
  const services = components.flatMap(({ path, is }) => (is.type === "http-client" ? [{ path, is: is.service }] : []));
  const served = services
    .filter(({ is }) => asksModel(is))
    .map(({ path, is }) => ({ path, is: modelService(is, path, known) }));
  return {
    upstreams: [
      ...components.flatMap(({ path, is }) => (is.type === "model" ? [{ path, is: is.upstream }] : [])),
      ...served.flatMap(({ path, is }) => (is.type === "upstream" ? [{ path, is: is.upstream }] : [])),
      ...placed("upstreams", sections.upstreams),
    ],
    tools: [
      ...services.filter(({ is }) => !asksModel(is)).map(({ path, is }) => ({ path, is: toolOf(is) })),
      ...components.flatMap(({ path, is }) => (is.type === "shell" ? [{ path, is: is.shell }] : [])),
      ...components.flatMap(({ path, is }) => (is.type === "openapi" ? [{ path, is: is.openApi }] : [])),
      ...components.flatMap(({ path, is }) => (is.type === "web-scraper" ? [{ path, is: is.scraper }] : [])),
      ...components.flatMap(({ path, is }) => (is.type === "vector-store" ? [{ path, is: is.store }] : [])),
    ],
    servers: components.flatMap(({ path, is }) => (is.type === "mcp" ? [{ path, is: is.server }] : [])),
    agents,
    workflows: [
      ...(sections.workflow ? [{ path: ["workflow"], is: sections.workflow }] : []),
      ...placed("workflows", sections.workflows),
      ...components.flatMap(({ path, is }) => (is.type === "workflow" ? [{ path, is: is.workflow }] : [])),
    ],
    faults: served.flatMap(({ is }) => (is.type === "refused" ? is.faults : [])),
  };
}

function toolOf({ wire: _, isInline: __, ...component }: HttpService): HttpClientComponent {
  return component;
}

function placed<Thing>(section: string, things: readonly Thing[]): readonly Placed<Thing>[] {
  return things.map((is, index) => ({ path: [section, index], is }));
}

// Lists the tools of a configuration with their kind, agents, approval policy and call statistics. Calls none.

import { buildAgentToolName } from "../../core/config/agentToolNames.ts";
import type { ApprovalPolicy } from "../../core/config/componentActions.ts";
import type { AgentConfig, AgentTool, Config } from "../../core/config/configuration.ts";
import type { ToolCount } from "../../core/tools/toolStatistics.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { openServices } from "../../gateway/openServices.ts";
import type { Tool } from "../../tools/Tool.ts";
import { loadFlags, type StoreFlags } from "../options/loadFlags.ts";
import { withStore } from "../options/openExistingStore.ts";
import { createDryRunGateway, formatUnlistedNote } from "../run/dryRunGateway.ts";

export interface ToolsFlags extends StoreFlags {
  /** True if servers are asked for their tools. */
  readonly connect: boolean;
  readonly json: boolean;
}

/** All known tools. */
interface KnownTools {
  readonly tools: readonly ListedTool[];
  /** One line for each server whose tools are unknown, by its id. */
  readonly unlisted: ReadonlyMap<string, string>;
  readonly registry: GatewayServices["registry"];
}

export interface ListedTool {
  readonly name: string;
  /** `built-in`, `agent`, `workflow`, or the type of the component. */
  readonly kind: string;
  /** False if only its calls are known: its server is not contacted, or no longer offers it. */
  readonly listed: boolean;
  readonly agents: readonly Holder[];
  /** `first`: the server's definition is accepted once. */
  readonly approval?: ApprovalPolicy["type"] | "first" | undefined;
  readonly untrusted: boolean;
  readonly counts: readonly ToolCount[];
}

/** An agent that has the tool, and the overrides of its entry. */
interface Holder {
  readonly agent: string;
  readonly name?: string | undefined;
  readonly approval?: ApprovalPolicy["type"] | undefined;
}

/** Resolves with the result of `work`. */
export async function withTools(flags: ToolsFlags, work: (known: KnownTools) => number): Promise<number> {
  const config = loadFlags(flags);
  const counts = (await withStore(flags, ({ store }) => store.toolStatistics.list())) ?? [];
  const { gateway } = flags.connect ? await askingHouse(config) : await createDryRunGateway(config);
  try {
    const { registry } = gateway;
    const tools = listed(config, gateway, counts);
    const hidden = config.components.filter(
      ({ id }) => !tools.some(({ name, listed }) => listed && isComponentTool(name, id)),
    );
    const notes = hidden.map(
      ({ id, type }) => [id, hiddenNote(id, type, registry.offeredBy(id).outage, flags)] as const,
    );
    return work({ tools, unlisted: new Map(notes), registry });
  } finally {
    await gateway.close();
  }
}

/** The JSON form. */
export function toToolJson({ counts, ...facts }: ListedTool): object {
  const outcomes = counts.map(({ outcome, calls, ms, chars }) => [outcome, { calls, ms, chars }]);
  return { ...facts, calls: Object.fromEntries(outcomes) };
}

/** Formats the agents of a tool, such as `clerk as price (never)`. */
export function formatHolders(agents: readonly Holder[]): string {
  const holders = agents.map(({ agent, name, approval }) => {
    const [as, asks] = [name ? ` as ${name}` : "", approval ? ` (${approval})` : ""];
    return `${agent}${as}${asks}`;
  });
  return holders.join(", ");
}

function hiddenNote(id: string, type: string, outage: string | undefined, { connect }: ToolsFlags): string {
  if (!connect) return formatUnlistedNote(id);
  return `${id} (${type}) lists no tools${outage === undefined ? "." : `: ${outage}`}`;
}

async function askingHouse(config: Config): Promise<{ readonly gateway: GatewayServices }> {
  return {
    gateway: await openServices({ ...config, store: { ...config.store, file: undefined } }, { observers: [] }),
  };
}

function listed(config: Config, { registry }: GatewayServices, counts: readonly ToolCount[]): readonly ListedTool[] {
  const tools = new Map(registry.all().map((tool) => [tool.spec.name, tool]));
  const names = new Set([...tools.keys(), ...counts.map(({ tool }) => tool)]);
  return [...names].map((name) => {
    const tool = tools.get(name);
    return {
      name,
      kind: detectToolKind(name, config),
      listed: tool !== undefined,
      agents: config.agents.flatMap((agent) => findHolders(name, agent)),
      approval: tool && (tool.approval?.type ?? (isAsked(tool, config) ? "first" : "never")),
      untrusted: tool?.untrusted === true,
      counts: counts.filter((count) => count.tool === name),
    };
  });
}

function isAsked({ definition }: Tool, { components }: Config): boolean {
  return components.some((one) => one.type === "mcp" && one.id === definition?.server && one.definitions === "asked");
}

function detectToolKind(name: string, { components, agents, workflows }: Config): string {
  const component = components.find(({ id }) => isComponentTool(name, id));
  if (component) return component.type;
  if (agents.some((agent) => agent.actions.some((action) => buildAgentToolName(agent, action) === name)))
    return "agent";
  return workflows.some(({ id }) => id === name) ? "workflow" : "built-in";
}

function isComponentTool(name: string, component: string): boolean {
  return name === component || name.startsWith(`${component}.`);
}

function findHolders(tool: string, agent: AgentConfig): readonly Holder[] {
  const lists = [agent, ...agent.actions, ...Object.values(agent.modes ?? {})].flatMap(({ tools = [] }) => tools);
  const entry = lists.find((one) => isNamedBy(tool, one));
  if (!entry) return [];
  const { name, approval } = entry;
  return [{ agent: agent.id, ...(name !== undefined && name !== tool && { name }), approval: approval?.type }];
}

/** All that a server offers, or the one tool. */
function isNamedBy(name: string, { tool, server }: AgentTool): boolean {
  return tool === name || (server !== undefined && tool === server && isComponentTool(name, server));
}

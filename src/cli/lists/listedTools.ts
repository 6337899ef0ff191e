// The tools of a configuration as commands tell of them: of which kind, who has them, what a person agrees to, what their calls came to. Calls none of them.
import { compose, type House } from "../../compose.ts";
import { agentToolName } from "../../core/agentsAsTools.ts";
import type { ApprovalPolicy } from "../../core/componentActions.ts";
import type { AgentConfig, AgentTool, Config } from "../../core/configuration.ts";
import type { ToolCount } from "../../core/toolStatistics.ts";
import type { Tool } from "../../tools/Tool.ts";
import { loadFlags, type StoreFlags } from "../configuration.ts";
import { withKept } from "../keptStore.ts";
import { unaskedHouse, unlistedNote } from "../unaskedHouse.ts";

export interface ToolsFlags extends StoreFlags {
  /** Servers are asked for their tools. */
  readonly connect: boolean;
  readonly json: boolean;
}

/** What is known of all tools. */
interface KnownTools {
  readonly tools: readonly ListedTool[];
  /** A line for each server whose tools are not known here, by its id. */
  readonly unlisted: ReadonlyMap<string, string>;
  readonly registry: House["registry"];
}

export interface ListedTool {
  readonly name: string;
  /** `built-in`, `agent`, `workflow`, or the type of the component. */
  readonly kind: string;
  /** False where only its calls are known: its server is not asked, or offers it no more. */
  readonly listed: boolean;
  readonly agents: readonly Holder[];
  /** `first`: somebody agrees once, to what its server says of it. */
  readonly approval?: ApprovalPolicy["type"] | "first" | undefined;
  readonly untrusted: boolean;
  readonly counts: readonly ToolCount[];
}

/** An agent that has it, and what its own entry says otherwise. */
interface Holder {
  readonly agent: string;
  readonly name?: string | undefined;
  readonly approval?: ApprovalPolicy["type"] | undefined;
}

/** Resolves with what `work` gives. */
export async function withTools(flags: ToolsFlags, work: (known: KnownTools) => number): Promise<number> {
  const config = loadFlags(flags);
  const counts = (await withKept(flags, ({ store }) => store.toolStatistics.list())) ?? [];
  const { house } = flags.connect ? await askingHouse(config) : await unaskedHouse(config);
  try {
    const { registry } = house;
    const tools = listed(config, house, counts);
    const hidden = config.components.filter(({ id }) => !tools.some(({ name, listed }) => listed && isOf(name, id)));
    const notes = hidden.map(
      ({ id, type }) => [id, hiddenNote(id, type, registry.offeredBy(id).outage, flags)] as const,
    );
    return work({ tools, unlisted: new Map(notes), registry });
  } finally {
    await house.close();
  }
}

/** As data. */
export function wireTool({ counts, ...facts }: ListedTool): object {
  const outcomes = counts.map(({ outcome, calls, ms, chars }) => [outcome, { calls, ms, chars }]);
  return { ...facts, calls: Object.fromEntries(outcomes) };
}

/** Such as `clerk as price (never)`. */
export function heldBy(agents: readonly Holder[]): string {
  const holders = agents.map(({ agent, name, approval }) => {
    const [as, asks] = [name ? ` as ${name}` : "", approval ? ` (${approval})` : ""];
    return `${agent}${as}${asks}`;
  });
  return holders.join(", ");
}

function hiddenNote(id: string, type: string, outage: string | undefined, { connect }: ToolsFlags): string {
  if (!connect) return unlistedNote(id);
  return `${id} (${type}) lists no tools${outage === undefined ? "." : `: ${outage}`}`;
}

async function askingHouse(config: Config): Promise<{ readonly house: House }> {
  return { house: await compose({ ...config, store: { ...config.store, file: undefined } }, { observers: [] }) };
}

function listed(config: Config, { registry }: House, counts: readonly ToolCount[]): readonly ListedTool[] {
  const tools = new Map(registry.all().map((tool) => [tool.spec.name, tool]));
  const names = new Set([...tools.keys(), ...counts.map(({ tool }) => tool)]);
  return [...names].map((name) => {
    const tool = tools.get(name);
    return {
      name,
      kind: kindOf(name, config),
      listed: tool !== undefined,
      agents: config.agents.flatMap((agent) => holderOf(name, agent)),
      approval: tool && (tool.approval?.type ?? (isAsked(tool, config) ? "first" : "never")),
      untrusted: tool?.untrusted === true,
      counts: counts.filter((count) => count.tool === name),
    };
  });
}

function isAsked({ definition }: Tool, { components }: Config): boolean {
  return components.some((one) => one.type === "mcp" && one.id === definition?.server && one.definitions === "asked");
}

function kindOf(name: string, { components, agents, workflows }: Config): string {
  const component = components.find(({ id }) => isOf(name, id));
  if (component) return component.type;
  if (agents.some((agent) => agent.actions.some((action) => agentToolName(agent, action) === name))) return "agent";
  return workflows.some(({ id }) => id === name) ? "workflow" : "built-in";
}

function isOf(name: string, component: string): boolean {
  return name === component || name.startsWith(`${component}.`);
}

function holderOf(tool: string, agent: AgentConfig): readonly Holder[] {
  const lists = [agent, ...agent.actions, ...Object.values(agent.modes ?? {})].flatMap(({ tools = [] }) => tools);
  const entry = lists.find((one) => isNamedBy(tool, one));
  if (!entry) return [];
  const { name, approval } = entry;
  return [{ agent: agent.id, ...(name !== undefined && name !== tool && { name }), approval: approval?.type }];
}

/** All that a server offers, or the one tool. */
function isNamedBy(name: string, { tool, server }: AgentTool): boolean {
  return tool === name || (server !== undefined && tool === server && isOf(name, server));
}

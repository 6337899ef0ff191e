// `postel tools`: the tools of the configuration, who has them, and what their calls came to. Calls none of them.
import { existsSync } from "node:fs";
import { compose, type House } from "../compose.ts";
import { agentToolName } from "../core/agentsAsTools.ts";
import type { ApprovalPolicy } from "../core/componentActions.ts";
import type { AgentConfig, AgentTool, Config } from "../core/configuration.ts";
import type { ToolCount } from "../core/toolStatistics.ts";
import { systemClock } from "../network/system.ts";
import { SqliteStore } from "../stores/SqliteStore.ts";
import type { Tool } from "../tools/Tool.ts";
import { loadFlags, storeFile } from "./configuration.ts";
import type { DataFlags } from "./data.ts";
import { inTable, terminalWidth } from "./table.ts";
import { writeNote, writeText } from "./terminal.ts";
import { unaskedHouse, unlistedNote } from "./unaskedHouse.ts";

export interface ToolsFlags extends DataFlags {
  /** Servers are asked for their tools. */
  readonly connect: boolean;
  readonly json: boolean;
}

interface ListedTool {
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

/** Resolves with the exit status. */
export async function listTools(flags: ToolsFlags): Promise<number> {
  const config = loadFlags(flags);
  const counts = await countsIn(config, flags);
  const { house } = flags.connect ? await askingHouse(config) : await unaskedHouse(config);
  try {
    const tools = listed(config, house, counts ?? []);
    const hidden = config.components.filter(({ id }) => !tools.some(({ name, listed }) => listed && isOf(name, id)));
    if (flags.json) {
      const unlisted = hidden.map(({ id }) => id);
      writeText(`${JSON.stringify({ tools: tools.map(asJson), unlisted }, null, 2)}\n`);
      return 0;
    }
    writeText(inTable({ heads: HEADS, rows: tools.map(rowOf) }, terminalWidth()));
    for (const { id, type } of hidden) writeNote(hiddenNote(id, type, house.registry.offeredBy(id).outage, flags));
    if (!counts) writeNote("Calls are counted where the configuration names a `store.file`.");
    return 0;
  } finally {
    await house.close();
  }
}

function hiddenNote(id: string, type: string, outage: string | undefined, { connect }: ToolsFlags): string {
  if (!connect) return unlistedNote(id);
  return `${id} (${type}) lists no tools${outage === undefined ? "." : `: ${outage}`}`;
}

async function askingHouse(config: Config): Promise<{ readonly house: House }> {
  return { house: await compose({ ...config, store: { ...config.store, file: undefined } }, { observers: [] }) };
}

/** Undefined where there is no store to look into. */
async function countsIn(config: Config, flags: ToolsFlags): Promise<readonly ToolCount[] | undefined> {
  const file = storeFile(config, flags);
  if (file === undefined || !existsSync(file)) return undefined;
  const open = await SqliteStore.open({ ...config.store, file, clock: systemClock });
  try {
    return await open.toolStatistics.list();
  } finally {
    await open.close();
  }
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

function asJson({ counts, ...facts }: ListedTool): object {
  const outcomes = counts.map(({ outcome, calls, ms, chars }) => [outcome, { calls, ms, chars }]);
  return { ...facts, calls: Object.fromEntries(outcomes) };
}

const HEADS = ["tool", "kind", "agents", "approval", "calls", "failed", "ms", "characters"];

/** Times and characters are those of one call, on average. */
function rowOf({ name, kind, agents, approval, counts }: ListedTool): readonly string[] {
  const calls = counts.reduce((sum, count) => sum + count.calls, 0);
  const failed = counts.filter(({ outcome }) => outcome !== "ok").map(({ outcome, calls: n }) => `${n} ${outcome}`);
  const mean = (field: "ms" | "chars") =>
    calls === 0 ? "" : String(Math.round(counts.reduce((sum, count) => sum + count[field], 0) / calls));
  const holders = agents.map((one) => {
    const [as, asks] = [one.name ? ` as ${one.name}` : "", one.approval ? ` (${one.approval})` : ""];
    return `${one.agent}${as}${asks}`;
  });
  const head = [name, kind, holders.join(", ") || "-", approval ?? "not listed"];
  return [...head, String(calls), failed.join(", ") || "0", mean("ms"), mean("chars")];
}

// Resolves the tools that an agent names: built-in tools, components, other agents and their actions. Detects agents that
// would run each other forever. Requires data that fits the schema.
import { buildAgentToolName } from "../../core/config/agentToolNames.ts";
import { type AgentTool, DEFAULT_ACTION } from "../../core/config/configuration.ts";
import { DEFAULT_WORKFLOW } from "../../core/config/workflows.ts";
import { ASK_USER } from "../../core/runs/interrupts.ts";
import { buildMcpToolName } from "../../core/tools/mcpToolName.ts";
import type { ReferenceIssue } from "../load/ConfigIssue.ts";
import type { Declared, Located } from "../load/collectDeclared.ts";
import { suggestName } from "../load/suggestName.ts";
import { parseModes } from "./agentModes.ts";
import type { WrittenAgent } from "./agents.ts";
import type { WrittenTool } from "./agentTools.ts";

/** The actions of a component, each with its name as a tool. */
type Actions = readonly { readonly id: string; readonly tool: string }[];

export interface KnownTools {
  readonly builtIn: ReadonlySet<string>;
  /** Actions by component id. */
  readonly components: ReadonlyMap<string, Actions>;
  /** Ids of components whose tools are known only at run time: any name below one may be a tool of it. */
  readonly servers: ReadonlySet<string>;
  /** Names of tools that continue only within their run: agents, workflows, and tools that ask a user. */
  readonly bound: ReadonlySet<string>;
  /** Every name that a list may contain. */
  readonly names: ReadonlySet<string>;
}

export function collectKnownTools(
  { tools, servers, agents, workflows }: Pick<Declared, "tools" | "servers" | "agents" | "workflows">,
  builtIn: ReadonlySet<string>,
): KnownTools {
  const components = new Map<string, Actions>([
    ...agents
      .filter(({ is }) => !builtIn.has(is.id))
      .map(({ is }) => [is.id, is.actions.map(({ id }) => ({ id, tool: buildAgentToolName(is, { id }) }))] as const),
    ...tools.map(({ is }) => [is.id, is.actions] as const),
    // The default workflow has no name of its own, so it is no tool.
    ...workflows.flatMap(({ is: { id } }) =>
      id === DEFAULT_WORKFLOW ? [] : [[id, [{ id: DEFAULT_ACTION, tool: id }]] as const],
    ),
  ]);
  const serverIds = new Set(servers.map(({ is }) => is.id));
  const ofAgents = agents.flatMap(({ is }) => [is.id, ...listComponentTools(components, is.id)]);
  const ofComponents = [...components].flatMap(([id, actions]) => [id, ...actions.map(({ tool }) => tool)]);
  return {
    builtIn,
    components: new Map([...components].filter(([id]) => !serverIds.has(id))),
    servers: serverIds,
    bound: new Set([ASK_USER, ...ofAgents, ...workflows.map(({ is }) => is.id)]),
    names: new Set([...builtIn, ...serverIds, ...ofComponents]),
  };
}

function listComponentTools(components: KnownTools["components"], id: string): readonly string[] {
  return components.get(id)?.map(({ tool }) => tool) ?? [];
}

/** The agent's own tools, and those that its actions and modes have instead. */
export function collectToolLists({ path, is }: Located<WrittenAgent>): readonly Located<readonly WrittenTool[]>[] {
  const ofActions = is.actions.flatMap(({ tools }, index) =>
    tools ? [{ path: [...path, "actions", index, "tools"], is: tools }] : [],
  );
  const ofModes = parseModes(is).flatMap(([mode, { tools }]) =>
    tools ? [{ path: [...path, "modes", mode, "tools"], is: tools }] : [],
  );
  return [{ path: [...path, "tools"], is: is.tools }, ...ofActions, ...ofModes];
}

/** Resolves a list: each entry to the tool that it names, or to all tools of its component; duplicate names are removed. */
export function resolveTools(entries: readonly WrittenTool[], known: KnownTools): readonly AgentTool[] {
  const tools = entries.flatMap((entry) => resolveTool(entry, known));
  return [...new Map(tools.toReversed().map((entry) => [entry.name ?? entry.tool, entry])).values()].toReversed();
}

function resolveTool(raw: WrittenTool, { components, servers }: KnownTools): readonly AgentTool[] {
  const { action, byComponent: _, ...entry } = raw;
  const server = findServer(entry.tool, servers);
  if (server !== undefined)
    return [{ ...entry, server, tool: action === undefined ? entry.tool : buildMcpToolName(server, action) }];
  const actions = components.get(entry.tool);
  if (!actions) return [entry];
  const named = actions.find(({ id }) => id === action);
  if (named) return [{ ...entry, tool: named.tool, name: entry.name ?? entry.tool }];
  return actions.map(({ tool }) => ({ ...entry, tool }));
}

/** The server that the tool belongs to, or that it names; undefined for other tools. */
function findServer(tool: string, servers: KnownTools["servers"]): string | undefined {
  const [id = ""] = tool.split(".", 1);
  return servers.has(id) ? id : undefined;
}

export function validateToolReferences(
  { path, is: entries }: Located<readonly WrittenTool[]>,
  known: KnownTools,
  models: ReadonlySet<string>,
): readonly ReferenceIssue[] {
  const seenIds = new Map<string, WrittenTool>();
  return entries.flatMap((entry, position) => {
    const fault = isKnown(entry.tool, known) ? actionFault(entry, known) : unknown(entry.tool, known, models);
    const name = entry.name ?? entry.tool;
    const before = seenIds.get(name);
    seenIds.set(name, entry);
    const duplicate =
      before && JSON.stringify(before) !== JSON.stringify(entry)
        ? `expected each tool once; another entry of the agent is called \`${name}\` too`
        : undefined;
    const message = fault ?? (entry.async && known.bound.has(entry.tool) ? noTask(entry.tool) : duplicate);
    return message === undefined ? [] : [{ path: [...path, position], message }];
  });
}

function isKnown(tool: string, { names, servers }: KnownTools): boolean {
  return names.has(tool) || findServer(tool, servers) !== undefined;
}

function noTask(tool: string): string {
  return `expected no \`async\`: \`${tool}\` has its run wait for it; services, programs and built-in tools may go on beside one`;
}

function unknown(tool: string, { names }: KnownTools, models: ReadonlySet<string>): string {
  const suggestion = suggestName(tool, names) || `; known are ${[...names].sort().join(", ")}`;
  const hint = models.has(tool) ? `; \`${tool}\` is a model` : suggestion;
  return `expected a built-in tool or a component's id${hint}`;
}

function actionFault({ tool, name, action, byComponent }: WrittenTool, known: KnownTools): string | undefined {
  const server = findServer(tool, known.servers);
  if (server !== undefined) {
    if (tool !== server && action !== undefined) return `expected no \`action\`: \`${tool}\` is one tool`;
    if (tool !== server || action !== undefined || name === undefined) return undefined;
    return `expected one tool, as in \`${tool}.TOOL\`: the server may offer several, and one name is given`;
  }
  const actions = known.components.get(tool);
  const ids = actions?.map(({ id }) => id).join(", ");
  if (action !== undefined) {
    if (actions?.some(({ id }) => id === action)) return undefined;
    return actions
      ? `expected an action of \`${tool}\`, which has ${ids}`
      : `expected no \`action\`: \`${tool}\` is one tool`;
  }
  if (!actions || actions.length === 1) return undefined;
  if (name !== undefined)
    return `expected one action, as in \`${tool}.ACTION\`: the component has several, and one name is given`;
  return byComponent ? `expected \`action:\` as well: \`${tool}\` has ${ids}` : undefined;
}

/** Agents that use each other as tools, and so could run each other forever. */
export function findAgentCycles(
  agents: readonly Located<WrittenAgent>[],
  known: KnownTools,
): readonly ReferenceIssue[] {
  const byId = new Map(agents.map(({ is }) => [is.id, is]));
  const listUsed = (agent: WrittenAgent): readonly string[] =>
    collectToolLists({ path: [], is: agent }).flatMap(({ is }) =>
      is.flatMap((entry) => findToolAgents(entry.tool, byId, known)),
    );
  const findCycle = (from: string, to: string, seen: ReadonlySet<string>): readonly string[] | undefined => {
    const agent = byId.get(from);
    for (const next of agent ? listUsed(agent) : []) {
      if (next === to) return [from, to];
      const rest = seen.has(next) ? undefined : findCycle(next, to, new Set([...seen, next]));
      if (rest) return [from, ...rest];
    }
    return undefined;
  };
  return agents.flatMap(({ path, is }) => {
    const cycle = findCycle(is.id, is.id, new Set([is.id]));
    const message = `expected no agent among the tools that has this one do something: ${cycle?.join(" → ")}`;
    return cycle ? [{ path: [...path, "tools"], message }] : [];
  });
}

function findToolAgents(
  tool: string,
  byId: ReadonlyMap<string, WrittenAgent>,
  { components }: KnownTools,
): readonly string[] {
  return [...byId.values()].flatMap((agent) => {
    const actions = components.get(agent.id) ?? [];
    const isIt = actions.some(
      (action) => action.tool === buildAgentToolName(agent, action) && [agent.id, action.tool].includes(tool),
    );
    return isIt ? [agent.id] : [];
  });
}

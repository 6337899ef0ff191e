// Agents as tools: the names by which models call their actions, and which agents are called so. Knows no agent's work.
import type { Config } from "./configuration.ts";

/** Begins the name of each tool by which a model gives its conversation to another agent. */
export const HAND_OFF_PREFIX = "hand_off_to_";

/** The agent's id, or `agent.action` where it has several. */
export function buildAgentToolName(
  { id, actions }: { readonly id: string; readonly actions: readonly unknown[] },
  action: { readonly id: string },
): string {
  return actions.length === 1 ? id : `${id}.${action.id}`;
}

/** Ids of the agents that are tools of others, or steps of workflows; where another component has the id of an agent, that one is meant. */
export function findAgentsUsedAsTools(
  { agents, components, workflows }: Pick<Config, "agents" | "components" | "workflows">,
  builtIn: ReadonlySet<string>,
): ReadonlySet<string> {
  const entries = agents.flatMap(({ tools, actions }) => [...tools, ...actions.flatMap((action) => action.tools)]);
  const named = new Set(entries.map(({ tool }) => tool));
  const stepped = new Set(
    workflows.flatMap(({ steps }) => steps.flatMap((step) => (step.type === "agent" ? [step.agent] : []))),
  );
  const others = new Set([...builtIn, ...components.map(({ id }) => id)]);
  const used = agents.filter(
    (agent) => stepped.has(agent.id) || agent.actions.some((action) => named.has(buildAgentToolName(agent, action))),
  );
  return new Set(used.map(({ id }) => id).filter((id) => !others.has(id)));
}

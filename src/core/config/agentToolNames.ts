// Builds the tool names of agents' actions, and finds the agents that are used as tools.
import type { Config } from "./configuration.ts";

/** Prefix of the tools with which a model hands off its conversation to another agent. */
export const HAND_OFF_PREFIX = "hand_off_to_";

/** The agent's id, or `agent.action` if it has several actions. */
export function buildAgentToolName(
  { id, actions }: { readonly id: string; readonly actions: readonly unknown[] },
  action: { readonly id: string },
): string {
  return actions.length === 1 ? id : `${id}.${action.id}`;
}

/** Ids of the agents that are tools of other agents or steps of workflows. If another component has the same id, the component wins. */
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

// Resolves the agent, action, tools and model of a request. Pure.
import {
  type AgentActionConfig,
  type AgentConfig,
  type AgentTool,
  DEFAULT_ACTION,
  type LimitsConfig,
} from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { SessionMode } from "../../core/stores/SessionStore.ts";

export interface KnownAgents {
  readonly agents: readonly AgentConfig[];
  readonly limits: Pick<LimitsConfig, "run">;
}

/** @throws PostelError `agent_not_found`, with a list of the existing agents. */
export function resolveAgent({ agents, limits }: KnownAgents, model: string, id: string | undefined): AgentConfig {
  const named = agents.find((agent) => agent.id === (id ?? model));
  if (named) return named;
  if (id !== undefined) {
    const list = agents.map((agent) => agent.id).join(", ") || "none";
    const message = `No agent is called ${JSON.stringify(id.slice(0, 100))}; there is ${list}.`;
    throw new PostelError(createFailure("agent_not_found", message, { param: "agent" }));
  }
  return agents.find((agent) => agent.id === DEFAULT_AGENT) ?? agents[0] ?? { ...BARE_AGENT, limits: limits.run };
}

/** The agent of a request that names none. */
const DEFAULT_AGENT = "default";

/** Used if no agent is configured: a run has only the client's tools then. */
const BARE_AGENT = { id: DEFAULT_AGENT, tools: [], sampling: {}, actions: [] };

/**
 * The action with this id, or the agent's only action if no id is given.
 * @throws PostelError `invalid_request` for an unknown id, and if the agent has several actions and no id is given.
 */
export function resolveAction({ id: agent, actions }: AgentConfig, id: string | undefined): AgentActionConfig {
  const [first, ...more] = actions;
  const action = id === undefined && more.length === 0 ? first : actions.find((one) => one.id === id);
  if (action) return action;
  const named = actions.filter((one) => one.id !== DEFAULT_ACTION);
  const known = named.map((one) => one.id).join(", ") || "none";
  const message =
    id === undefined
      ? `The agent ${agent} can be asked for several things: name one in \`action\` (${known}).`
      : `The agent ${agent} has no action ${JSON.stringify(id)}; it has: ${known}.`;
  throw new PostelError(createFailure("invalid_request", message, { param: "action" }));
}

/** The agent with the model that is configured for this mode. */
export function applyMode(agent: AgentConfig, mode: SessionMode = "agent"): AgentConfig {
  const model = agent.modes?.[mode]?.model;
  return model === undefined ? agent : { ...agent, model };
}

/** @param subject the agent's action, or the agent itself. */
export function resolveModeTools(
  { modes }: Pick<AgentConfig, "modes">,
  subject: Pick<AgentConfig, "tools">,
  mode: SessionMode = "agent",
): readonly AgentTool[] {
  return modes?.[mode]?.tools ?? (mode === "normal" ? NONE : subject.tools);
}

const NONE: readonly AgentTool[] = [];

/** The model that a run of the agent uses. If the request names an agent, it is the agent's own model. */
export function resolveAgentModel(
  agent: Pick<AgentConfig, "model">,
  named: string,
  agents: readonly Pick<AgentConfig, "id">[],
): string {
  return agents.some(({ id }) => id === named) ? (agent.model ?? named) : named;
}

// An agent as it is in a mode of its session: with another model, with other tools. Pure; plans nothing.
import type { AgentConfig, AgentTool } from "../core/configuration.ts";
import type { SessionMode } from "../core/stores.ts";

/** The agent with the model that stands for its id in this mode. */
export function inMode(agent: AgentConfig, mode: SessionMode = "agent"): AgentConfig {
  const model = agent.modes?.[mode]?.model;
  return model === undefined ? agent : { ...agent, model };
}

/** @param asked the agent's action, or the agent itself. */
export function toolsIn(
  { modes }: Pick<AgentConfig, "modes">,
  asked: Pick<AgentConfig, "tools">,
  mode: SessionMode = "agent",
): readonly AgentTool[] {
  return modes?.[mode]?.tools ?? (mode === "normal" ? NONE : asked.tools);
}

const NONE: readonly AgentTool[] = [];

// Resolves a written agent to the agent that runs: with limits, complete actions and tool names. Requires valid references.
import type { AgentConfig, LimitsConfig } from "../../core/config/configuration.ts";
import { completeAction } from "./agentActions.ts";
import { parseModes, type WrittenModes } from "./agentModes.ts";
import type { WrittenAgent } from "./agents.ts";
import { type KnownTools, resolveTools } from "./toolReferences.ts";

/** The agent with its limits and actions, and with each component id replaced by the component's tools. */
export function resolveAgentConfig(
  { actions, modes, ...agent }: WrittenAgent,
  known: KnownTools,
  limits: LimitsConfig,
): AgentConfig {
  const agentValues = {
    ...agent,
    tools: resolveTools(agent.tools, known),
    ...(modes && { modes: completeModes(modes, known) }),
    limits: { ...limits.run, ...agent.limits },
  };
  return {
    ...agentValues,
    actions: actions.map(({ tools, ...action }) =>
      completeAction({ ...action, ...(tools && { tools: resolveTools(tools, known) }) }, agentValues),
    ),
  };
}

function completeModes(modes: WrittenModes, known: KnownTools): AgentConfig["modes"] {
  const complete = parseModes({ modes }).map(
    ([mode, { model, tools }]) => [mode, { model, ...(tools && { tools: resolveTools(tools, known) }) }] as const,
  );
  return Object.fromEntries(complete);
}

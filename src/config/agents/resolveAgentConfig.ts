// An agent as it is written → as it runs: with its limits, its actions whole, its tools by the names that they have. Works on data whose references hold.
import type { AgentConfig, LimitsConfig } from "../../core/config/configuration.ts";
import { completeAction } from "./agentActions.ts";
import { parseModes, type WrittenModes } from "./agentModes.ts";
import type { WrittenAgent } from "./agents.ts";
import { type KnownTools, resolveTools } from "./toolReferences.ts";

/** The agent with its limits and its actions, and with the tools of each component in the place of the component's id. */
export function resolveAgentConfig(
  { actions, modes, ...agent }: WrittenAgent,
  known: KnownTools,
  limits: LimitsConfig,
): AgentConfig {
  const own = {
    ...agent,
    tools: resolveTools(agent.tools, known),
    ...(modes && { modes: completeModes(modes, known) }),
    limits: { ...limits.run, ...agent.limits },
  };
  return {
    ...own,
    actions: actions.map(({ tools, ...action }) =>
      completeAction({ ...action, ...(tools && { tools: resolveTools(tools, known) }) }, own),
    ),
  };
}

function completeModes(modes: WrittenModes, known: KnownTools): AgentConfig["modes"] {
  const complete = parseModes({ modes }).map(
    ([mode, { model, tools }]) => [mode, { model, ...(tools && { tools: resolveTools(tools, known) }) }] as const,
  );
  return Object.fromEntries(complete);
}

// An agent as it is written → as it runs: with its limits, its actions whole, its tools by the names that they have. Works on data whose references hold.
import type { AgentConfig, LimitsConfig } from "../core/configuration.ts";
import { completeAction } from "./agentActions.ts";
import { modesOf, type WrittenModes } from "./agentModes.ts";
import type { WrittenAgent } from "./agents.ts";
import { type KnownTools, resolvedTools } from "./toolReferences.ts";

/** The agent with its limits and its actions, and with the tools of each component in the place of the component's id. */
export function completeAgent(
  { actions, modes, ...agent }: WrittenAgent,
  known: KnownTools,
  limits: LimitsConfig,
): AgentConfig {
  const own = {
    ...agent,
    tools: resolvedTools(agent.tools, known),
    ...(modes && { modes: completeModes(modes, known) }),
    limits: { ...limits.run, ...agent.limits },
  };
  return {
    ...own,
    actions: actions.map(({ tools, ...action }) =>
      completeAction({ ...action, ...(tools && { tools: resolvedTools(tools, known) }) }, own),
    ),
  };
}

function completeModes(modes: WrittenModes, known: KnownTools): AgentConfig["modes"] {
  const complete = modesOf({ modes }).map(
    ([mode, { model, tools }]) => [mode, { model, ...(tools && { tools: resolvedTools(tools, known) }) }] as const,
  );
  return Object.fromEntries(complete);
}

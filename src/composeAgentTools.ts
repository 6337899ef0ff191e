// Agents that are tools of other agents, as the configuration has them. Loaded only where there is one.
import { agentTools } from "./agents/agentsAsTools.ts";
import { secretsOf } from "./config/secretsOf.ts";
import type { Config } from "./core/configuration.ts";
import { redactKnown } from "./telemetry/createRedact.ts";
import { fixedTools, type ToolSource } from "./tools/ToolSource.ts";

/** @param ids of the agents that are meant. */
export function agentToolSource(config: Config, ids: ReadonlySet<string>): ToolSource {
  const redact = redactKnown(secretsOf(config));
  return fixedTools(config.agents.filter(({ id }) => ids.has(id)).flatMap((agent) => agentTools(agent, redact)));
}

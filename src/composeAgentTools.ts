// Agents and workflows that are tools of others, as the configuration has them. Loaded only where there is one.
import { agentTools } from "./agents/agentsAsTools.ts";
import { reachedParts } from "./agents/reachedParts.ts";
import { workflowTool } from "./agents/workflowTools.ts";
import { keysOf, secretsOf } from "./config/secretsOf.ts";
import type { Config } from "./core/configuration.ts";
import { DEFAULT_WORKFLOW } from "./core/workflows.ts";
import { redactKnown } from "./telemetry/createRedact.ts";
import { fixedTools, type ToolSource } from "./tools/ToolSource.ts";

/** @param ids of the agents that are meant. */
export function agentToolSource(config: Config, ids: ReadonlySet<string>): ToolSource {
  const redact = redactKnown(secretsOf(config));
  const agents = config.agents.filter(({ id }) => ids.has(id));
  const workflows = config.workflows.filter(({ id }) => id !== DEFAULT_WORKFLOW);
  const redactKeys = redactKnown(keysOf(config));
  const reachedBy = (id: string) => () => reachedParts(config, id, redactKeys);
  return fixedTools([
    ...agents.flatMap((agent) => agentTools(agent, redact, reachedBy(agent.id))),
    ...workflows.map((workflow) => workflowTool(workflow, redact, reachedBy(workflow.id))),
  ]);
}

// Agents and workflows that are tools of others, as the configuration has them. Loaded only where there is one.

import { reachedParts } from "../agents/approvals/reachedParts.ts";
import { createAgentTools } from "../agents/planning/agentAsTool.ts";
import { createWorkflowTool } from "../agents/workflows/workflowTools.ts";
import { collectSecrets, keysOf } from "../config/load/collectSecrets.ts";
import type { Config } from "../core/config/configuration.ts";
import { DEFAULT_WORKFLOW } from "../core/config/workflows.ts";
import { redactKnown } from "../telemetry/redaction/createRedact.ts";
import { createFixedSource, type ToolSource } from "../tools/ToolSource.ts";

/** @param ids of the agents that are meant. */
export function createAgentToolSource(config: Config, ids: ReadonlySet<string>): ToolSource {
  const redact = redactKnown(collectSecrets(config));
  const agents = config.agents.filter(({ id }) => ids.has(id));
  const workflows = config.workflows.filter(({ id }) => id !== DEFAULT_WORKFLOW);
  const redactKeys = redactKnown(keysOf(config));
  const reachedBy = (id: string) => () => reachedParts(config, id, redactKeys);
  return createFixedSource([
    ...agents.flatMap((agent) => createAgentTools(agent, redact, reachedBy(agent.id))),
    ...workflows.map((workflow) => createWorkflowTool(workflow, redact, reachedBy(workflow.id))),
  ]);
}

// Creates the tool source of agents and workflows that are used as tools. Loaded only if there are any.

import { reachedParts } from "../agents/approvals/reachedParts.ts";
import { createAgentTools } from "../agents/planning/agentAsTool.ts";
import { createWorkflowTool } from "../agents/workflows/workflowTools.ts";
import { collectSecrets, keysOf } from "../config/load/collectSecrets.ts";
import type { Config } from "../core/config/configuration.ts";
import { DEFAULT_WORKFLOW } from "../core/config/workflows.ts";
import { redactKnown } from "../telemetry/redaction/createRedact.ts";
import { createFixedSource, type ToolSource } from "../tools/ToolSource.ts";

/** @param ids ids of the agents to offer. */
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

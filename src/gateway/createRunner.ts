// Creates the runner of agents and workflows.
import { AgentRunner, type AgentServices } from "../agents/AgentRunner.ts";
import { type RunnerApi, redactFailures } from "../agents/redactFailures.ts";
import { WorkflowPlanner } from "../agents/workflows/WorkflowPlanner.ts";
import type { TimeoutsConfig } from "../core/config/configuration.ts";
import type { WorkflowConfig } from "../core/config/workflows.ts";
import type { Redact } from "../core/ports.ts";

interface RunnerServices extends Omit<AgentServices, "workflows" | "toolMs" | "answerMs"> {
  readonly workflows: readonly WorkflowConfig[];
  readonly redact: Redact;
}

/** Its failures contain no secrets. */
export function createRunner(
  { workflows, redact, ...services }: RunnerServices,
  { toolMs, answerMs }: Pick<TimeoutsConfig, "toolMs" | "answerMs">,
): Pick<AgentRunner, RunnerApi> {
  const { registry, limits, clock, ids } = services;
  const planner =
    workflows.length > 0 ? new WorkflowPlanner({ workflows, registry, limits: limits.run, clock, ids }) : undefined;
  return redactFailures(new AgentRunner({ ...services, workflows: planner, toolMs, answerMs }), redact);
}

// Offers workflows as tools that models and other workflows call.

import type { WorkflowConfig } from "../../core/config/workflows.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import type { Tool } from "../../tools/Tool.ts";

/**
 * A tool with the workflow's name, whose result is the workflow's response.
 * @param reached everything that its steps can reach under this configuration, for the plan of the call.
 */
export function createWorkflowTool(
  { id, description, parameters, ...course }: WorkflowConfig,
  redact: Redact,
  reached: () => JsonObject = () => ({}),
): Tool {
  return {
    spec: { name: id, description: description ?? `Runs the workflow ${id} and gives its response.`, parameters },
    timeoutMs: NESTED_MS,
    // The state of a nested run is stored in the outer run, so it continues instead of starting again.
    idempotent: true,
    repeatable: true,
    nests: true,
    redact,
    effect: (args) => ({
      question: `be called with these arguments?\nworkflow: ${id}`,
      deed: {
        ...{ workflow: id, course: redact(JSON.stringify(course)), reached: reached() },
        arguments: redact(JSON.stringify(args)),
      },
    }),
    execute: async (input, { runAgent }) => {
      if (!runAgent) throw new Error("there is no run in which a workflow could be run.");
      return await runAgent({ agent: id, workflow: id, input });
    },
  };
}

/** One day in milliseconds. The nested run has limits of its own, and what the outer run has left. */
const NESTED_MS = 86_400_000;

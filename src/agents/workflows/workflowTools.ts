// Workflows as tools that models and other workflows call. Runs none: whoever runs the call does.

import type { WorkflowConfig } from "../../core/config/workflows.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import type { Tool } from "../../tools/Tool.ts";

/**
 * A tool of the workflow's name, whose result is its response.
 * @param reached what its steps can reach under this configuration, as its plan holds it.
 */
export function createWorkflowTool(
  { id, description, parameters, ...course }: WorkflowConfig,
  redact: Redact,
  reached: () => JsonObject = () => ({}),
): Tool {
  return {
    spec: { name: id, description: description ?? `Runs the workflow ${id} and gives its response.`, parameters },
    timeoutMs: NESTED_MS,
    // What it began stands in the run's state, so that it goes on and does not begin anew.
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

/** Milliseconds: a day. A run within another has limits of its own, and what the other has left. */
const NESTED_MS = 86_400_000;

// Defines the workflows of the loaded postel.yaml.
import { createFailure, PostelError } from "../failures.ts";
import { isObject, type JsonObject, type JsonValue } from "../messages.ts";
import { fillTemplate } from "../template/fillTemplate.ts";
import type { Parameters } from "../template/inferParameters.ts";

export interface WorkflowConfig {
  readonly id: string;
  readonly description?: string | undefined;
  /** JSON Schema of the input: the fields that its templates use, and those that a component requires which gets the complete input. */
  readonly parameters: Parameters;
  /** At least one, in order; each may use the results of earlier steps. */
  readonly steps: readonly WorkflowStep[];
  /** A template of `input`, `steps`, and `output`, the result of the last step. Absent: that result, or the answer if the last step is an agent. */
  readonly output?: JsonValue | undefined;
}

/** One call of a component. The result of a service or program is the step's result; that of an agent or workflow is `{response}`. */
export type WorkflowStep = {
  /** Id of the result, as in `${steps.ID}`. */
  readonly id: string;
  /** A template of the component's input object. */
  readonly input: JsonValue;
} & (
  | { readonly type: "tool" /** The action's name as a tool. */; readonly tool: string }
  | {
      readonly type: "agent";
      readonly agent: string;
      /** The action's name as a tool. */
      readonly tool: string;
      readonly action?: string | undefined;
      /** A template that replaces the action's task. */
      readonly task?: string | undefined;
    }
  | { readonly type: "workflow"; readonly workflow: string }
);

/** The id of the workflow without a name. */
export const DEFAULT_WORKFLOW = "default";

/**
 * Finds the workflow with this id; the unnamed one also has the id of its agent.
 * @throws PostelError `workflow_not_found`, with a list of the existing workflows.
 */
export function resolveWorkflow(workflows: readonly WorkflowConfig[], id: string): WorkflowConfig {
  const unnamed = workflows.find((one) => one.id === DEFAULT_WORKFLOW);
  const ofAgent = unnamed && findAgentStep(unnamed)?.agent === id ? unnamed : undefined;
  const named = workflows.find((one) => one.id === id) ?? ofAgent;
  if (named) return named;
  const list = workflows.map((one) => one.id).join(", ") || "none";
  const message = `No workflow is called ${JSON.stringify(id.slice(0, 100))}; there is ${list}.`;
  throw new PostelError(createFailure("workflow_not_found", message, { param: "id" }));
}

/** The workflow of a run, and its input. */
export interface WorkflowRun {
  readonly id: string;
  readonly input: JsonObject;
}

/** The only step of a workflow, if it is an agent; undefined otherwise. */
export function findAgentStep({ steps }: WorkflowConfig): Extract<WorkflowStep, { type: "agent" }> | undefined {
  const [step, ...more] = steps;
  return step?.type === "agent" && more.length === 0 ? step : undefined;
}

/**
 * The response of a workflow.
 * @param results results of its steps by id, in order.
 * @throws Error that names a placeholder without a value.
 */
export function buildWorkflowResponse(
  { output, steps }: WorkflowConfig,
  input: JsonObject,
  results: JsonObject,
): JsonValue {
  const last = steps.at(-1);
  const result = (last && results[last.id]) ?? null;
  if (output !== undefined) return fillTemplate(output, { input, steps: results, output: result });
  return last?.type !== "tool" && isObject(result) ? (result.response ?? null) : result;
}

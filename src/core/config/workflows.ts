// The workflows of postel.yaml, as they are once it is loaded. Knows nothing of how they are carried out.
import { createFailure, PostelError } from "../failures.ts";
import { isObject, type JsonObject, type JsonValue } from "../messages.ts";
import { fillTemplate } from "../template/fillTemplate.ts";
import type { Parameters } from "../template/inferParameters.ts";

export interface WorkflowConfig {
  readonly id: string;
  readonly description?: string | undefined;
  /** What its input must be: what its own templates name, and what a component wants that is given the whole input. */
  readonly parameters: Parameters;
  /** At least one, in their order; each may be given what those before it brought. */
  readonly steps: readonly WorkflowStep[];
  /** A template of `input` and `steps`, and of `output`, which is what the last step brought; absent: that, or the answer where it is an agent's. */
  readonly output?: JsonValue | undefined;
}

/** One call of a component. What a service or a program brings is the step's result; that of an agent or a workflow is `{response}`. */
export type WorkflowStep = {
  /** Of its result, as in `${steps.ID}`. */
  readonly id: string;
  /** A template of the object that the component is given. */
  readonly input: JsonValue;
} & (
  | { readonly type: "tool" /** The action's name as a tool. */; readonly tool: string }
  | {
      readonly type: "agent";
      readonly agent: string;
      /** The action's name as a tool. */
      readonly tool: string;
      readonly action?: string | undefined;
      /** A template, in the place of the action's task. */
      readonly task?: string | undefined;
    }
  | { readonly type: "workflow"; readonly workflow: string }
);

/** The id of the workflow that has no name of its own. */
export const DEFAULT_WORKFLOW = "default";

/**
 * The workflow of this id; the one without a name answers to its agent's as well.
 * @throws PostelError `workflow_not_found`, which lists those that are there.
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

/** What a run knows of the workflow that it is. */
export interface WorkflowRun {
  readonly id: string;
  readonly input: JsonObject;
}

/** The step of a workflow that is one agent's run, and nothing else; undefined of any other. */
export function findAgentStep({ steps }: WorkflowConfig): Extract<WorkflowStep, { type: "agent" }> | undefined {
  const [step, ...more] = steps;
  return step?.type === "agent" && more.length === 0 ? step : undefined;
}

/**
 * What a workflow gives in the end.
 * @param results what its steps have brought, each by its id, in their order.
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

// Finds the declared input schema of an action or a workflow.
import type { AgentActionConfig, AgentConfig } from "../../core/config/configuration.ts";
import { isObject, type JsonObject } from "../../core/messages.ts";
import { inferParameters, type Parameters } from "../../core/template/inferParameters.ts";

export interface TakenInput {
  /** Name in messages, such as `the agent clerk`. */
  readonly owner: string;
  /** JSON Schemas by name. */
  readonly properties: JsonObject;
  /** True if other names are allowed too. */
  readonly others: boolean;
}

/** The schema of the inputs; without one, the placeholders of the templates. An action without templates accepts any input. */
export function resolveActionInput({ id }: Pick<AgentConfig, "id">, action: Partial<AgentActionConfig>): TakenInput {
  const owner = `the agent ${id}`;
  const { task, input, context, params, course } = action;
  const { properties, additionalProperties } = course?.inputs ?? {};
  if (isObject(properties)) return { owner, properties, others: (additionalProperties ?? false) !== false };
  const inputSchema = inferParameters([task ?? null, input ?? null, context ?? null], params);
  const isShownWhole = task === undefined && input === undefined;
  return { owner, properties: inputSchema.properties, others: inputSchema.additionalProperties || isShownWhole };
}

export function resolveWorkflowInput({
  id,
  parameters,
}: {
  readonly id: string;
  readonly parameters: Parameters;
}): TakenInput {
  return { owner: `the workflow ${id}`, properties: parameters.properties, others: parameters.additionalProperties };
}

// What an action or a workflow is asked with, by its own word. Sees no value.
import type { AgentActionConfig, AgentConfig } from "../../core/config/configuration.ts";
import { isObject, type JsonObject } from "../../core/messages.ts";
import { inferParameters, type Parameters } from "../../core/template/inferParameters.ts";

export interface TakenInput {
  /** For a person: `the agent clerk`. */
  readonly taker: string;
  /** JSON Schemas by name. */
  readonly properties: JsonObject;
  /** True where other names are taken too. */
  readonly others: boolean;
}

/** By the schema of its inputs; where it has none, by the placeholders of its templates. An action without templates takes anything. */
export function resolveActionInput({ id }: Pick<AgentConfig, "id">, action: Partial<AgentActionConfig>): TakenInput {
  const taker = `the agent ${id}`;
  const { task, input, context, params, course } = action;
  const { properties, additionalProperties } = course?.inputs ?? {};
  if (isObject(properties)) return { taker, properties, others: (additionalProperties ?? false) !== false };
  const taken = inferParameters([task ?? null, input ?? null, context ?? null], params);
  const isShownWhole = task === undefined && input === undefined;
  return { taker, properties: taken.properties, others: taken.additionalProperties || isShownWhole };
}

export function resolveWorkflowInput({
  id,
  parameters,
}: {
  readonly id: string;
  readonly parameters: Parameters;
}): TakenInput {
  return { taker: `the workflow ${id}`, properties: parameters.properties, others: parameters.additionalProperties };
}

// Plans a workflow run before its first step: as the run of its only agent, or as a run of its steps.

import { findAgentStep, resolveWorkflow, type WorkflowConfig } from "../../core/config/workflows.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { RunLimits } from "../../core/requests.ts";
import { takeStricter } from "../../core/runs/budget.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import { fillTemplate } from "../../core/template/fillTemplate.ts";
import { matchesSchema } from "../../formats/validation/fitValue.ts";
import type { TaskRequest } from "../planning/buildTaskMessage.ts";
import { listStepNames } from "./stepTools.ts";

/** The request of a workflow run. */
export interface RunRequest extends TaskRequest {
  readonly interactive: boolean;
  readonly limits?: Partial<RunLimits> | undefined;
}

export interface WorkflowPlanning<Request> {
  readonly workflows: readonly WorkflowConfig[];
  /** Limits of a run with several steps; each step may take as long as one run. */
  readonly limits: RunLimits;
  readonly now: number;
  readonly planAgent: (request: Request) => Promise<RunState>;
}

/**
 * @param request contains the id of a workflow, and its input.
 * @throws PostelError `workflow_not_found`, `invalid_request` with the input's field as its `param`, and what
 * `planAgent` throws.
 */
export async function planWorkflow<Request extends RunRequest>(
  request: Request,
  { workflows, limits, now, planAgent }: WorkflowPlanning<Request>,
): Promise<RunState> {
  const { workflow: id = "", input = {} } = request;
  const workflow = resolveWorkflow(workflows, id);
  checkInput(input, workflow);
  const run = { id: workflow.id, input };
  const step = findAgentStep(workflow);
  if (!step) return { ...planSteps(workflow, request, { limits, now }), workflow: run };
  const { agent, action, task } = step;
  const stepRequest = {
    ...request,
    ...{ workflow: undefined, agent, action },
    chat: { ...request.chat, model: agent },
    input: asObject(fillTemplateValues(step.input, input)),
    ...(task !== undefined && { task: stringifyInput(fillTemplateValues(task, input)) }),
  };
  return { ...(await planAgent(stepRequest)), workflow: run };
}

/** Validates the input. A parameter of plain type string accepts any value: templates convert it to text, and a component that gets the value itself validates it. */
function checkInput(input: JsonObject, { id, parameters }: WorkflowConfig): void {
  const { properties, required, additionalProperties } = parameters;
  const names = Object.keys(properties);
  const missing = required.find((name) => !Object.hasOwn(input, name));
  if (missing !== undefined) throwInvalid(missing, `is missing: the workflow \`${id}\` needs ${required.join(", ")}`);
  const unknown = additionalProperties ? undefined : Object.keys(input).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throwInvalid(unknown, `is not known: the workflow \`${id}\` takes ${names.join(", ") || "no input"}`);
  for (const [name, schema] of Object.entries(properties)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    const isText = schema.type === "string" && Object.keys(schema).length === 1;
    if (value === undefined || isText || matchesSchema(JSON.stringify(value), schema)) continue;
    throwInvalid(name, `is refused: it must fit the JSON Schema ${JSON.stringify(schema)}`);
  }
}

function throwInvalid(name: string, problem: string): never {
  const param = name.slice(0, 100);
  throw new PostelError(createFailure("invalid_request", `\`${param}\` ${problem}.`, { param }));
}

/** One turn for each step and one for the output; no model is asked. */
function planSteps(
  { id, steps }: WorkflowConfig,
  { chat, interactive, limits: stepArguments }: RunRequest,
  { limits, now }: Pick<WorkflowPlanning<RunRequest>, "limits" | "now">,
): RunState {
  const { maxCalls, totalTokens, timeoutMs } = takeStricter(
    { ...limits, timeoutMs: limits.timeoutMs * steps.length },
    stepArguments,
  );
  return {
    id: chat.id,
    agent: id,
    interactive,
    request: { ...chat, model: id, watched: true },
    gatewayTools: listStepNames(steps),
    // One more than the last turn, because a model would be told to answer before its last turn.
    maxTurns: steps.length + 2,
    maxCalls,
    totalTokens,
    deadline: now + timeoutMs,
    messages: [],
    turn: 0,
    tokens: 0,
    executed: [],
    sentText: false,
  };
}

function fillTemplateValues(template: JsonValue, input: JsonObject): JsonValue {
  try {
    return fillTemplate(template, { input });
  } catch (error) {
    const message = `The input lacks what the workflow needs: ${error instanceof Error ? error.message : error}`;
    throw new PostelError(createFailure("invalid_request", message, { param: "input" }));
  }
}

function asObject(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  const message = "The input of the workflow's component must be an object, and it is not.";
  throw new PostelError(createFailure("invalid_request", message, { param: "input" }));
}

function stringifyInput(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

// Makes the turns of a workflow run: each turn calls the next step, the last one emits the output.

import { buildWorkflowResponse, type WorkflowConfig, type WorkflowStep } from "../../core/config/workflows.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { TurnEvent } from "../../core/events/events.ts";
import { createFailure, type Failure } from "../../core/failures.ts";
import { parseJsonOrText } from "../../core/json/parseJson.ts";
import type { JsonObject, JsonValue, ToolCall } from "../../core/messages.ts";
import type { Ids } from "../../core/ports.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import { fillTemplate } from "../../core/template/fillTemplate.ts";
import { fitAgain } from "../calls/revalidateCall.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import { endWithoutUsage } from "../turn/TurnUsage.ts";
import { getStepName } from "./stepTools.ts";

export interface StepTakerOptions {
  /** Absent if the workflow is no longer in the configuration. */
  readonly workflow: WorkflowConfig | undefined;
  /** The tools from `createStepTools`. */
  readonly registry: RunTools;
  readonly ids: Pick<Ids, "callId">;
}

export class WorkflowStepRunner {
  /** Response of the workflow; absent before its last turn. */
  response: JsonValue | undefined;
  readonly #options: StepTakerOptions;

  constructor(options: StepTakerOptions) {
    this.#options = options;
  }

  /** Makes the next turn of the run; its last event is its one `turn-end` or `turn-failed`. Throws only what `take` throws. */
  async runTurn(state: RunState, _signal: AbortSignal, onEvents: EventSink<TurnEvent>): Promise<void> {
    const start = { type: "turn-start", model: state.agent, toolMode: "native", row: "workflow" } as const;
    await onEvents([start, ...this.#turn(state)]);
  }

  #turn(state: RunState): readonly TurnEvent[] {
    const { workflow } = this.#options;
    if (!workflow) return [{ type: "turn-failed", failure: createMissingFailure(state.agent) }];
    const { steps } = workflow;
    const results = collectStepResults(state, steps);
    if (results.type === "failed") return [failed(results.step, results.why)];
    const step = steps[state.turn];
    const input = state.workflow?.input ?? {};
    try {
      if (step) return this.#call(step, { input, steps: results.brought });
      this.response = buildWorkflowResponse(workflow, input, results.brought);
      const text = typeof this.response === "string" ? this.response : JSON.stringify(this.response);
      return [{ type: "text-delta", text }, endWithoutUsage("stop")];
    } catch (error) {
      return [failed(step?.id ?? "output", error instanceof Error ? error.message : String(error))];
    }
  }

  #call(step: WorkflowStep, scope: JsonObject): readonly TurnEvent[] {
    const { registry, ids } = this.#options;
    const name = getStepName(step);
    const [tool] = registry.select([name]);
    const stepArguments = JSON.stringify(buildStepArguments(step, scope));
    const call: ToolCall = {
      id: ids.callId(),
      name,
      arguments: stepArguments,
      origin: "native",
      repairs: [],
      raw: stepArguments,
    };
    const fit = tool && fitAgain(call, tool);
    if (fit?.type !== "fits") return [failed(step.id, fit?.reason ?? `there is no \`${name}\``)];
    return [{ type: "tool-call", call: fit.call }, endWithoutUsage("tool_calls")];
  }
}

function buildStepArguments(step: WorkflowStep, scope: JsonObject): JsonValue {
  const input = fillTemplate(step.input, scope);
  if (step.type !== "agent") return input;
  const task = step.task === undefined ? undefined : fillTemplate(step.task, scope);
  return { input, ...(task !== undefined && { task: typeof task === "string" ? task : JSON.stringify(task) }) };
}

/** Results of the finished steps by step id, or the reason why the workflow cannot continue. */
type Results =
  | { readonly type: "brought"; readonly brought: JsonObject }
  | { readonly type: "failed"; readonly step: string; readonly why: string };

function collectStepResults({ messages, executed }: RunState, steps: readonly WorkflowStep[]): Results {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  const brought: Record<string, JsonValue> = {};
  for (const [index, call] of calls.entries()) {
    const step = steps[index];
    const result = executed.find((one) => one.call.id === call.id)?.result;
    if (!step) break;
    if (!result || result.isError) return { type: "failed", step: step.id, why: result?.content ?? "it was not run" };
    // A step gets the complete stored result, unlike a model.
    const value = parseJsonOrText(result.whole ?? result.content);
    brought[step.id] = step.type === "tool" ? value : { response: value };
  }
  return { type: "brought", brought };
}

function failed(step: string, why: string): TurnEvent {
  return { type: "turn-failed", failure: stepFailure(step, why) };
}

function createMissingFailure(id: string): Failure {
  const message = `The run is one of the workflow \`${id}\`, which is not in the configuration any more; put it back, and resume the run.`;
  return createFailure("invalid_configuration", message);
}

function stepFailure(step: string, reason: string): Failure {
  return createFailure(
    "step_failed",
    `The step \`${step}\` of the workflow failed: ${reason.replace(/^Error: /, "")}`,
    {
      step,
    },
  );
}

// Plans workflow runs, provides the runner of their steps, and adds the response to their end.

import { buildWorkflowResponse, findAgentStep, type WorkflowConfig } from "../../core/config/workflows.ts";
import { Collector } from "../../core/events/Collector.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { Extraction, RunEvent } from "../../core/events/events.ts";
import { joinAnswerText } from "../../core/events/refusals.ts";
import { parseJsonOrText } from "../../core/json/parseJson.ts";
import type { JsonValue } from "../../core/messages.ts";
import type { Clock, Ids } from "../../core/ports.ts";
import type { RunLimits } from "../../core/requests.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import type { RunServices } from "../run/RunServices.ts";
import { planWorkflow, type RunRequest } from "./planWorkflow.ts";
import { createStepTools } from "./stepTools.ts";
import { WorkflowStepRunner } from "./WorkflowStepRunner.ts";

export interface WorkflowPlannerOptions {
  readonly workflows: readonly WorkflowConfig[];
  readonly registry: RunTools;
  /** Limits of one step. */
  readonly limits: RunLimits;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "callId">;
}

type StepServices = Pick<RunServices, "registry" | "wary" | "steps" | "toolOutputChars">;

export class WorkflowPlanner {
  readonly #options: WorkflowPlannerOptions;

  constructor(options: WorkflowPlannerOptions) {
    this.#options = options;
  }

  /** See `planWorkflow`. */
  plan<Request extends RunRequest>(
    request: Request,
    planAgent: (request: Request) => Promise<RunState>,
  ): Promise<RunState> {
    const { workflows, limits, clock } = this.#options;
    return planWorkflow(request, { workflows, limits, now: clock.now(), planAgent });
  }

  /** Services of a run whose turns are workflow steps; undefined for any other run. */
  stepServices(state: RunState): StepServices | undefined {
    const workflow = this.#getWorkflow(state);
    if (workflow ? findAgentStep(workflow) : state.workflow?.id !== state.agent) return undefined;
    const { registry, ids } = this.#options;
    const tools = createStepTools(workflow?.steps ?? [], registry);
    return {
      registry: tools,
      wary: false,
      steps: new WorkflowStepRunner({ workflow, registry: tools, ids }),
      // The output of a step is the input of another and must not be truncated; the step's tool limits it.
      toolOutputChars: Number.MAX_SAFE_INTEGER,
    };
  }

  /** Adds the workflow's response to the end of its run. Events of other runs pass unchanged. */
  responding(
    state: RunState,
    steps: WorkflowStepRunner | undefined,
    onEvents: EventSink<RunEvent>,
  ): EventSink<RunEvent> {
    const workflow = this.#getWorkflow(state);
    const input = state.workflow?.input ?? {};
    if (!workflow) return onEvents;
    const step = findAgentStep(workflow);
    const answerCollector = new AnswerHearing(state.request.output.type !== "text");
    const response = (): JsonValue | undefined => {
      if (!step) return steps?.response;
      const { answer } = answerCollector;
      return answer === undefined
        ? undefined
        : buildWorkflowResponse(workflow, input, { [step.id]: { response: answer } });
    };
    return (events) => onEvents(events.map((event) => addResponse(answerCollector.add(event), response)));
  }

  #getWorkflow({ workflow: run }: RunState): WorkflowConfig | undefined {
    return run && this.#options.workflows.find(({ id }) => id === run.id);
  }
}

/** Collects the answer of an agent's run: the extracted output if there is one, else the text of the last turn that has text. */
class AnswerHearing {
  readonly #isJson: boolean;
  #turn = new Collector();
  #before = "";
  #extraction: Extraction | undefined;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  add(event: RunEvent): RunEvent {
    if (event.type === "turn-start") {
      this.#before = joinAnswerText(this.#turn) || this.#before;
      this.#turn = new Collector();
    }
    if (event.type === "extraction") this.#extraction = event;
    this.#turn.add(event);
    return event;
  }

  get answer(): JsonValue | undefined {
    if (this.#extraction && "output" in this.#extraction) return this.#extraction.output;
    const text = (joinAnswerText(this.#turn) || this.#before).replace(TEXT_BREAK, "");
    return text === "" ? undefined : this.#isJson ? parseJsonOrText(text) : text;
  }
}

/** Separator between the texts of two turns. */
const TEXT_BREAK = /^\n\n/;

/** A run that waits or has no answer gets no response. */
function addResponse(event: RunEvent, response: () => JsonValue | undefined): RunEvent {
  if (event.type !== "run-end" || event.outcome === "awaiting-human" || event.outcome === "no-answer") return event;
  const stepArguments = response();
  return stepArguments === undefined ? event : { ...event, response: stepArguments };
}

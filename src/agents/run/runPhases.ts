// The extra turns of a run: a plan before the work, a reflection on the answer, and the extraction of the output. Pure.

import type { AgentBehaviourConfig } from "../../core/config/configuration.ts";
import type { FinishReason, RunEvent } from "../../core/events/events.ts";
import { type JsonObject, type JsonValue, joinText, type ToolSpec } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";
import { isUsedUp } from "../../core/runs/budget.ts";
import type { RunPhase, RunState } from "../../core/runs/RunState.ts";
import { matchesSchema } from "../../formats/validation/fitValue.ts";
import { appendInstruction } from "../prompting/appendInstruction.ts";

/** Initial phases of a run. A plan requires a second turn, and a user message at the end. */
export function planCourse(
  { plan, reflect, output }: AgentBehaviourConfig = {},
  run: Pick<RunState, "messages" | "maxTurns"> & { readonly output: JsonObject | undefined },
): Pick<RunState, "phase" | "reflection" | "extraction"> {
  const extraction = run.output ?? output;
  const plans = plan === true && run.maxTurns > 1 && run.messages.at(-1)?.role === "user";
  return {
    ...(plans && { phase: { type: "plan" } }),
    ...(reflect === true && { reflection: "due" }),
    ...(extraction && { extraction }),
  };
}

/** The request of a phase turn. It is not stored in the run's messages. */
export function buildPhaseRequest(
  { messages, request, extraction }: RunState,
  { type }: RunPhase,
  tools: readonly ToolSpec[],
): Pick<ChatRequest, "messages" | "toolChoice" | "output" | "sampling"> {
  const { stop: _, ...sampling } = request.sampling;
  const phaseRequest = { toolChoice: { type: "none" }, output: { type: "text" }, sampling } as const;
  switch (type) {
    case "plan":
      return { ...phaseRequest, messages: appendInstruction(messages, planDemand(tools)) };
    case "reflect":
      return { ...phaseRequest, messages: appendInstruction(messages, REFLECT) };
    case "extract":
      return {
        ...phaseRequest,
        messages: appendInstruction(messages, EXTRACT),
        output: toOutputFormat(extraction ?? {}),
      };
    default:
      return type satisfies never;
  }
}

/** The phase that follows a final answer; undefined if the run ends. */
export function decideNextPhase(state: RunState, finishReason: FinishReason): RunPhase | undefined {
  if (mayReflect(state)) return { type: "reflect", finishReason };
  return state.extraction && { type: "extract", finishReason };
}

/** Result of a phase turn. */
export interface PhaseResult {
  /** The state with which the run continues. */
  readonly state: RunState;
  readonly event: RunEvent;
  /** True if the answer is confirmed, so that the client may get it. */
  readonly confirmed: boolean;
  /** True if no further turn follows. */
  readonly isOver: boolean;
}

/** @param answer text of the phase turn. The state already includes its turn and usage. */
export function applyPhaseResult(before: RunState, phase: RunPhase, answer: string): PhaseResult {
  const { phase: _, ...state } = before;
  switch (phase.type) {
    case "plan": {
      const messages = answer.trim() === "" ? state.messages : appendInstruction(state.messages, planned(answer));
      return {
        state: { ...state, planned: true, messages },
        event: { type: "plan", text: answer },
        confirmed: false,
        isOver: false,
      };
    }
    case "reflect":
      return applyReflection(state, phase.finishReason, answer);
    case "extract":
      return { state: before, event: toExtraction(answer, state.extraction ?? {}), confirmed: false, isOver: true };
    default:
      return phase satisfies never;
  }
}

/** Text of the answer of the last work turn. */
export function getFinalAnswer({ messages }: RunState): string {
  return joinText(messages.findLast(({ role }) => role === "assistant")?.content ?? null);
}

/** Returns true if the limits allow the reflection and a turn after it; one without the other would be useless. */
function mayReflect(state: RunState): boolean {
  return state.reflection === "due" && state.turn + 2 <= state.maxTurns && !isUsedUp(state);
}

function applyReflection(before: RunState, finishReason: FinishReason, answer: string): PhaseResult {
  const confirmed = CONFIRMED.test(answer) || answer.trim() === "";
  const state: RunState = { ...before, reflection: "done" };
  const event: RunEvent = { type: "reflection", confirmed, text: answer };
  if (!confirmed) {
    return {
      state: { ...state, messages: appendInstruction(state.messages, createRevisionPrompt(answer)) },
      event,
      confirmed,
      isOver: false,
    };
  }
  const phase = decideNextPhase(state, finishReason);
  return { state: phase ? { ...state, phase } : state, event, confirmed, isOver: phase === undefined };
}

/** Validates the extracted output. Text that is accepted instead (`x-postel-on-invalid: text`) was not validated before. */
function toExtraction(answer: string, schema: JsonObject): RunEvent {
  try {
    const output = JSON.parse(answer) as JsonValue;
    if (matchesSchema(answer, schema)) return { type: "extraction", output };
  } catch {
    // Falls through: text that is not JSON does not match the schema either.
  }
  return { type: "extraction", missing: "What the model wrote does not have the form of `output`." };
}

function toOutputFormat(schema: JsonObject): ChatRequest["output"] {
  return { type: "json_schema", name: "output", schema, strict: false };
}

function planDemand(tools: readonly ToolSpec[]): string {
  const list = tools.map(({ name, description = "" }) => `- ${name}: ${description}`).join("\n");
  const named = list === "" ? "" : `\n\nFor the work you will have these tools:\n${list}`;
  return `Do not begin yet. First write a short plan: the steps, one a line, and what each needs. Write nothing else.${named}`;
}

function planned(plan: string): string {
  return `Your plan for this:\n${plan.trim()}\n\nNow carry it out.`;
}

/** Matches the word that confirms an answer. */
const CONFIRMED = /^[\s"'*_`]*CONFIRMED\b/i;

const REFLECT =
  "Check your answer before it is given: does it do all that was asked, and does each statement rest on what the conversation shows? If it is right and complete, write the one word CONFIRMED. Otherwise write in a few sentences what is wrong or missing, and not the new answer.";

function createRevisionPrompt(answer: string): string {
  return `A check of your answer found:\n${answer.trim()}\n\nMend that, with your tools where you need them, and then give the whole answer anew; the one above is not shown to anybody.`;
}

const EXTRACT = "The work is done. Now give its result in the form that is asked for, from what stands above alone.";

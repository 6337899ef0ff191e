// What a run does beside its work, a turn each: a plan before it, a look at the answer, the output read out of it. Pure; asks no model.

import type { AgentBehaviourConfig } from "../../core/config/configuration.ts";
import type { FinishReason, RunEvent } from "../../core/events/events.ts";
import { type JsonObject, type JsonValue, joinText, type ToolSpec } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";
import { isUsedUp } from "../../core/runs/budget.ts";
import type { RunPhase, RunState } from "../../core/runs/RunState.ts";
import { matchesSchema } from "../../formats/validation/fitValue.ts";
import { appendInstruction } from "../prompting/appendInstruction.ts";

/** How a run goes about its work, as its state says it. A plan needs the turn behind it, and somebody who has just asked. */
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

/** What a turn of a phase asks in place of the work's own; nothing of it is kept in the run's messages. */
export function buildPhaseRequest(
  { messages, request, extraction }: RunState,
  { type }: RunPhase,
  tools: readonly ToolSpec[],
): Pick<ChatRequest, "messages" | "toolChoice" | "output" | "sampling"> {
  const { stop: _, ...sampling } = request.sampling;
  const asked = { toolChoice: { type: "none" }, output: { type: "text" }, sampling } as const;
  switch (type) {
    case "plan":
      return { ...asked, messages: appendInstruction(messages, planDemand(tools)) };
    case "reflect":
      return { ...asked, messages: appendInstruction(messages, REFLECT) };
    case "extract":
      return { ...asked, messages: appendInstruction(messages, EXTRACT), output: toOutputFormat(extraction ?? {}) };
    default:
      return type satisfies never;
  }
}

/** What follows an answer that the work ended with by itself; undefined where it is the run's end. */
export function decideNextPhase(state: RunState, finishReason: FinishReason): RunPhase | undefined {
  if (mayReflect(state)) return { type: "reflect", finishReason };
  return state.extraction && { type: "extract", finishReason };
}

/** What a phase came to. */
export interface PhaseResult {
  /** The run as it goes on. */
  readonly state: RunState;
  readonly event: RunEvent;
  /** True where the answer stands, and its reader may have it. */
  readonly confirmed: boolean;
  /** True where nothing follows. */
  readonly over: boolean;
}

/** @param said what the model said in the turn of the phase, by which the state's turns and tokens have grown. */
export function applyPhaseResult(before: RunState, phase: RunPhase, said: string): PhaseResult {
  const { phase: _, ...state } = before;
  switch (phase.type) {
    case "plan": {
      const messages = said.trim() === "" ? state.messages : appendInstruction(state.messages, planned(said));
      return {
        state: { ...state, planned: true, messages },
        event: { type: "plan", text: said },
        confirmed: false,
        over: false,
      };
    }
    case "reflect":
      return reflected(state, phase.finishReason, said);
    case "extract":
      return { state: before, event: extracted(said, state.extraction ?? {}), confirmed: false, over: true };
    default:
      return phase satisfies never;
  }
}

/** The text of the answer that the last turn of the work gave. */
export function getFinalAnswer({ messages }: RunState): string {
  return joinText(messages.findLast(({ role }) => role === "assistant")?.content ?? null);
}

/** Whether there is room for the look and for what may follow from it; one alone would be for nothing. */
function mayReflect(state: RunState): boolean {
  return state.reflection === "due" && state.turn + 2 <= state.maxTurns && !isUsedUp(state);
}

function reflected(before: RunState, finishReason: FinishReason, said: string): PhaseResult {
  const confirmed = CONFIRMED.test(said) || said.trim() === "";
  const state: RunState = { ...before, reflection: "done" };
  const event: RunEvent = { type: "reflection", confirmed, text: said };
  if (!confirmed) {
    return {
      state: { ...state, messages: appendInstruction(state.messages, sentBack(said)) },
      event,
      confirmed,
      over: false,
    };
  }
  const phase = decideNextPhase(state, finishReason);
  return { state: phase ? { ...state, phase } : state, event, confirmed, over: phase === undefined };
}

/** Words that may be taken in place of the output (`x-postel-on-invalid: text`) are held to nothing before. */
function extracted(said: string, schema: JsonObject): RunEvent {
  try {
    const output = JSON.parse(said) as JsonValue;
    if (matchesSchema(said, schema)) return { type: "extraction", output };
  } catch {
    // Falls through: text that is no JSON has not the form either.
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

/** The word by which an answer is confirmed. */
const CONFIRMED = /^[\s"'*_`]*CONFIRMED\b/i;

const REFLECT =
  "Check your answer before it is given: does it do all that was asked, and does each statement rest on what the conversation shows? If it is right and complete, write the one word CONFIRMED. Otherwise write in a few sentences what is wrong or missing, and not the new answer.";

function sentBack(said: string): string {
  return `A check of your answer found:\n${said.trim()}\n\nMend that, with your tools where you need them, and then give the whole answer anew; the one above is not shown to anybody.`;
}

const EXTRACT = "The work is done. Now give its result in the form that is asked for, from what stands above alone.";

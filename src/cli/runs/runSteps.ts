// Converts the events of a run to steps for display. Shortens nothing.
import type { RunEvent } from "../../core/events/events.ts";
import type { RunOutcome } from "../../core/runs/outcomes.ts";

/** A step of the run, or of a nested run, whose `agent` it then names. */
export type RunStep = { readonly agent?: string | undefined } & (
  | { readonly type: "turn"; readonly turn: number; readonly model: string; readonly tool_mode: string }
  | { readonly type: "thinks" | "says"; readonly text: string }
  | { readonly type: "calls"; readonly id: string; readonly tool: string; readonly arguments: string }
  | { readonly type: "got" | "failed"; readonly id: string; readonly tool: string; readonly content: string }
  /** The call waits for the user; the decision is shown with the run's interrupts. */
  | { readonly type: "asks"; readonly id: string; readonly question: string }
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "ended"; readonly outcome: RunOutcome }
);

export function collectRunSteps(events: readonly RunEvent[]): readonly RunStep[] {
  const steps: RunStep[] = [];
  let turns = 0;
  for (const event of events) {
    if (event.type === "turn-start") turns += 1;
    const step = toRunStep(event, turns);
    if (!step) continue;
    const last = steps.at(-1);
    // Text arrives in pieces, which are joined.
    if ((step.type === "says" || step.type === "thinks") && last?.type === step.type && last.agent === step.agent)
      steps.splice(-1, 1, { ...step, text: last.text + step.text });
    else steps.push(step);
  }
  return steps;
}

/** Returns undefined for events that another event covers. */
function toRunStep(event: RunEvent, turn: number): RunStep | undefined {
  switch (event.type) {
    case "turn-start":
      return { type: "turn", turn, model: event.model, tool_mode: event.toolMode };
    case "text-delta":
      return { type: "says", text: event.text };
    case "reasoning-delta":
      return { type: "thinks", text: event.text };
    case "tool-start":
      return { type: "calls", id: event.call.id, tool: event.call.name, arguments: event.call.arguments };
    case "tool-result":
      return { type: event.isError ? "failed" : "got", id: event.callId, tool: event.name, content: event.content };
    case "task-end":
      return { type: event.isError ? "failed" : "got", id: event.task, tool: event.name, content: event.content };
    case "interrupt":
      return { type: "asks", id: event.interrupt.id, question: event.interrupt.question };
    case "nested": {
      const step = toRunStep(event.event, turn);
      return step?.type === "turn" ? undefined : step && { ...step, agent: step.agent ?? event.agent };
    }
    case "run-end":
      return { type: "ended", outcome: event.outcome };
    default: {
      const text = describeNote(event);
      return text === undefined ? undefined : { type: "note", text };
    }
  }
}

function describeNote(event: RunEvent): string | undefined {
  switch (event.type) {
    case "attempt":
      return `asked again: ${event.reason}`;
    case "format-issue":
      return `${event.issue.code}: ${event.issue.message}`;
    case "turn-failed":
      return `failed: ${event.failure.message}`;
    case "run-resumed":
      return "went on after its process had ended";
    case "task-start":
      return `${event.name} goes on beside the turns`;
    case "plan":
      return `plan: ${event.text}`;
    case "reflection":
      return `${event.confirmed ? "the answer holds" : "the answer does not hold"}: ${event.text}`;
    case "extraction":
      return "output" in event ? `output: ${JSON.stringify(event.output)}` : `no output: ${event.missing}`;
    case "handoff":
      return `handed over from ${event.from} to ${event.to}${event.reason === undefined ? "" : `: ${event.reason}`}`;
    case "context-trimmed":
      return `the conversation was shortened: ${event.messages} messages left out, ${event.shortened} results cut`;
    case "summary":
      return event.failure
        ? `not summarised: ${event.failure.message}`
        : `${event.messages} messages are a summary now`;
    default:
      return undefined;
  }
}

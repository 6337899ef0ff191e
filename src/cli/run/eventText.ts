// Describes run events other than text and tool calls for the user.
import type { RunEvent } from "../../core/events/events.ts";
import type { RunOutcome } from "../../core/runs/outcomes.ts";

/** One line; undefined for events that the user need not see. */
export function formatEvent(event: RunEvent): string | undefined {
  switch (event.type) {
    case "attempt":
      return `asked again (${event.n}): ${event.reason}`;
    case "plan":
      return `plan: ${event.text}`;
    case "reflection":
      return event.confirmed ? "looked at its answer: it stands" : `looked at its answer: ${event.text}`;
    case "handoff":
      return `${event.from} hands over to ${event.to}${event.reason === undefined ? "" : `: ${event.reason}`}`;
    case "context-trimmed":
      return "the conversation was shortened: the model no longer reads all that was said before";
    case "summary":
      return event.failure
        ? `the conversation could not be summed up: ${event.failure.message}`
        : "the conversation was shortened: a summary stands for what was said before";
    default:
      return undefined;
  }
}

export const OUTCOME_TEXT: Readonly<Partial<Record<RunOutcome, string>>> = {
  "no-answer": "no answer: the model ended its turn without a word",
  "max-turns": "stopped: all turns that it may take are taken (`max_turns`)",
  timeout: "stopped: its time is up (`timeout_ms`)",
  repeats: "stopped: the model only did again what it had done",
  budget: "stopped: the calls or tokens that it may use are used up (`limits.run`)",
};

// What a person is told of a run beside its words and its tools. Words alone.
import type { RunEvent } from "../core/events.ts";

/** In a line; undefined for what a person need not know of. */
export function whatHappened(event: RunEvent): string | undefined {
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

// Entries of the audit as a person would tell them, so that a test can say what happened.
import type { AuditEvent, AuditedText } from "../../../src/core/audit/audit.ts";

/** One a line; ids that are drawn are left out. */
export function sentenceOf(event: AuditEvent): string {
  const inner = "within" in event && event.within !== undefined ? "  " : "";
  return inner + plain(event);
}

function plain(event: AuditEvent): string {
  switch (event.type) {
    case "run-asked":
      return `${event.by} asks ${event.agent}${event.session === undefined ? "" : ` in ${event.session}`}`;
    case "tool-began":
      return `${event.tool} begins: ${words(event.arguments)}`;
    case "tool-ended":
      return `${event.tool} ends: ${event.outcome}`;
    case "tool-lost":
      return `${event.tool} is lost`;
    case "decided": {
      const { by, decision, tool } = event;
      const plan = event.arguments ? ` ${words(event.arguments)}` : "";
      return `${by} decides on ${tool}${plan}: ${decision}${event.words ? ` ${words(event.words)}` : ""}`;
    }
    case "decision-refused":
      return `the ${event.decision} of ${event.by} does not count: ${event.code}`;
    case "cancel-asked":
      return `${event.owner} cancels`;
    case "run-ended":
      return `the run ends: ${event.outcome}`;
    default:
      return `the gateway: ${event.type}`;
  }
}

function words({ text, chars }: AuditedText): string {
  return text ?? `${chars} characters`;
}

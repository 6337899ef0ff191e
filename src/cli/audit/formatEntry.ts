// Formats an audit entry as one line for a human reader. Control characters are escaped.
import type { AuditEntry, AuditEvent, AuditedText } from "../../core/audit/audit.ts";
import { timeText } from "../../core/audit/auditHead.ts";
import { readEvent } from "../../stores/audit/entryEvents.ts";
import { escapeControls } from "../../telemetry/escapeControls.ts";

/** `SEQ TIME OWNER RUN WHAT`. Long texts are truncated. */
export function formatEntry({ seq, at, owner, event }: AuditEntry): string {
  const said = event === undefined ? undefined : readEvent(event);
  const run = said && "run" in said ? `run ${said.run}` : "";
  const within = said && "within" in said && said.within !== undefined ? `within ${said.within}` : "";
  const what = event === undefined ? "what it said was erased" : said ? sentence(said) : "its event cannot be read";
  const words = [seq, timeText(at), owner, run, within, what].filter((word) => word !== "");
  return escapeControls(words.join("  ")).replaceAll("\n", "\\n");
}

function sentence(event: AuditEvent): string {
  switch (event.type) {
    case "run-asked":
      return `${event.by} asked ${event.agent}${event.session === undefined ? "" : ` in session ${event.session}`}`;
    case "tool-began":
      return `${event.tool} began with ${formatAuditedText(event.arguments)}`;
    case "tool-ended":
      return `${event.tool} ended: ${event.outcome} after ${event.ms} ms${event.result ? `, ${formatAuditedText(event.result)}` : ""}`;
    case "tool-lost":
      return `${event.tool} was lost: its process ended, whether it had an effect is not known`;
    case "decided":
      return `${event.by} said ${event.decision} to ${event.tool}${event.words ? `: ${formatAuditedText(event.words)}` : ""}`;
    case "decision-refused":
      return `${event.by} said ${event.decision} to ${event.interrupt}, which does not count: ${event.code}`;
    case "damaged":
      return `${event.record} is not what the gateway wrote; nothing of it is run`;
    case "resealed":
      return `the store was sealed anew: ${event.runs} runs; ${event.decisions} decisions were thrown away`;
    case "cancel-asked":
      return "its owner wants it to end";
    case "run-ended":
      return `ended: ${event.outcome}`;
    case "erased":
      return `${event.entries} entries of ${event.owner} were erased`;
    case "cut":
      return `entries up to ${event.through} were cut away: those from before ${timeText(event.before)}`;
    default:
      // An event that a newer version has written.
      return JSON.stringify(event satisfies never);
  }
}

const LONGEST = 200;

function formatAuditedText({ chars, text }: AuditedText): string {
  if (text === undefined) return `${chars} characters`;
  const shown = JSON.stringify(text.slice(0, LONGEST));
  return text.length > LONGEST || chars > text.length ? `${shown}… (${chars} characters)` : shown;
}

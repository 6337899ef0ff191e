// What Postel did to an answer, gathered from its events: the `postel` block and the headers. Knows no HTTP.
import type { Outline } from "../core/collect.ts";
import { FINISH_REASONS, type RunEvent } from "../core/events.ts";
import type { FormatIssue } from "../core/issues.ts";
import type { JsonObject, ToolCall } from "../core/messages.ts";
import { knownFinishReason } from "../models/finishReasons.ts";

/** Any other is told beside the one that the client gets. */
const KNOWN_REASONS: ReadonlySet<string> = new Set(FINISH_REASONS);
/** Characters of a foreign one. */
const REASON_CHARS = 64;

/** Folds the calls that `collect` does not keep: those that the gateway ran itself. */
export class TurnReport {
  readonly #formats = new Set<string>();
  readonly #repairs = new Set<string>();

  add(event: RunEvent): void {
    if (event.type === "tool-call" || event.type === "tool-start") this.#addCall(event.call);
    if (event.type === "turn-start") for (const repair of event.historyRepairs ?? []) this.#repairs.add(repair);
  }

  /** Families of the calls that were read out of text, each once. */
  get formats(): readonly string[] {
    return [...this.#formats];
  }

  /** What was mended in the calls and in the history, as stable codes, each once. */
  get repairs(): readonly string[] {
    return [...this.#repairs];
  }

  /** The `postel` block. `raw` lets the model's own text of an issue out. */
  block(outline: Outline, raw: boolean): JsonObject {
    const { end, toolMode, row, runId, note, outcome, limit, called, issues } = outline;
    const stated = end?.upstreamFinishReason ?? null;
    const cut = stated !== null && knownFinishReason(stated) === "length" && called;
    const foreign = stated !== null && !KNOWN_REASONS.has(stated);
    return {
      ...(toolMode && { tool_mode: toolMode }),
      ...(row !== undefined && { model_row: row }),
      formats: this.formats,
      repairs: this.repairs,
      ...wireIssues(issues, raw),
      attempts: end?.attempts ?? 0,
      retries: end?.retries ?? 0,
      ...(end?.mended?.length && { mended: end.mended }),
      ...(end?.usagePartial && { usage_partial: true }),
      ...(end?.usageEstimated && { usage_estimated: true }),
      ...(cut && { truncated: true }),
      ...((cut || foreign) && { upstream_finish_reason: stated.slice(0, REASON_CHARS) }),
      ...(runId !== undefined && { run_id: runId }),
      ...(outcome && { outcome }),
      ...(limit && { limit }),
      ...(note !== undefined && { note }),
    };
  }

  #addCall(call: ToolCall): void {
    if (call.origin !== "native") this.#formats.add(call.origin);
    for (const repair of call.repairs) this.#repairs.add(repair);
  }
}

/** Issues that an answer shows: a hostile text has thousands, each longer than what it is about. */
const SHOWN_ISSUES = 100;

/** `issues`, and `issues_omitted` where there are more than are shown; `unreported` are those that the parser only counted. */
export function wireIssues(issues: readonly FormatIssue[], raw: boolean, unreported = 0): JsonObject {
  const omitted = Math.max(0, issues.length - SHOWN_ISSUES) + unreported;
  return {
    issues: issues.slice(0, SHOWN_ISSUES).map((issue) => wireIssue(issue, raw)),
    ...(omitted > 0 && { issues_omitted: omitted }),
  };
}

/** An issue as callers see it; the model's own text only where they asked for it. */
export function wireIssue(issue: FormatIssue, raw: boolean): JsonObject {
  return {
    code: issue.code,
    message: issue.message,
    ...(issue.family !== undefined && { family: issue.family }),
    ...(issue.tool !== undefined && { tool: issue.tool }),
    ...(issue.at !== undefined && { at: issue.at }),
    ...(raw && issue.raw !== undefined && { raw: issue.raw }),
  };
}

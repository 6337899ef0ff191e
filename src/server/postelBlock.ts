// What Postel did to an answer, as its reader is told: the `postel` block. Gathers nothing and knows no HTTP.
import type { Outline } from "../core/collect.ts";
import { FINISH_REASONS, type Spent } from "../core/events.ts";
import type { FormatIssue } from "../core/issues.ts";
import type { JsonObject } from "../core/messages.ts";
import { knownFinishReason } from "../models/finishReasons.ts";

/** Any other is told beside the one that the client gets. */
const KNOWN_REASONS: ReadonlySet<string> = new Set(FINISH_REASONS);
/** Characters of a foreign one. */
const REASON_CHARS = 64;

/** `raw` lets the model's own text of an issue out. */
export function postelBlock(outline: Outline, raw: boolean): JsonObject {
  const { end, model, toolMode, row, runId, note, outcome, spent, extraction, called, issues, formats, repairs } =
    outline;
  const { sources } = outline;
  const stated = end?.upstreamFinishReason ?? null;
  const cut = stated !== null && knownFinishReason(stated) === "length" && called;
  const foreign = stated !== null && !KNOWN_REASONS.has(stated);
  return {
    ...(model !== undefined && { model }),
    ...(toolMode && { tool_mode: toolMode }),
    ...(row !== undefined && { model_row: row }),
    formats,
    repairs,
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
    ...(spent && { spent: wireSpent(spent) }),
    ...(sources && { sources }),
    ...(extraction && "missing" in extraction && { output_missing: extraction.missing }),
    ...(note !== undefined && { note }),
  };
}

/** What a run has used; no money where nobody knows the prices. */
export function wireSpent({ tokens, calls, money }: Spent): JsonObject {
  return { tokens, calls, ...(money !== undefined && { money }) };
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

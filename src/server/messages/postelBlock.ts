// Builds the `postel` block, which reports what the gateway did to an answer.
import type { AnswerSummary } from "../../core/events/AnswerSummary.ts";
import { FINISH_REASONS, type Spent } from "../../core/events/events.ts";
import type { FormatIssue } from "../../core/events/issues.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { normalizeFinishReason } from "../../models/response/finishReasons.ts";

/** Any other finish reason is reported in addition to the one that the client gets. */
const KNOWN_REASONS: ReadonlySet<string> = new Set(FINISH_REASONS);
/** Maximum length in characters of an unknown finish reason. */
const REASON_CHARS = 64;

/** @param raw true to include the model's own text of an issue. */
export function buildPostelBlock(outline: AnswerSummary, raw: boolean): JsonObject {
  const { end, model, toolMode, row, runId, note, outcome, spent, extraction, called, issues, formats, repairs } =
    outline;
  const { sources } = outline;
  const stated = end?.upstreamFinishReason ?? null;
  const isCut = stated !== null && normalizeFinishReason(stated) === "length" && called;
  const foreign = stated !== null && !KNOWN_REASONS.has(stated);
  const block: Record<string, JsonValue> = {};
  if (model !== undefined) block.model = model;
  if (toolMode) block.tool_mode = toolMode;
  if (row !== undefined) block.model_row = row;
  block.formats = formats;
  block.repairs = repairs;
  addIssues(block, issues, raw);
  block.attempts = end?.attempts ?? 0;
  block.retries = end?.retries ?? 0;
  if (end?.mended?.length) block.mended = end.mended;
  if (end?.usagePartial) block.usage_partial = true;
  if (end?.usageEstimated) block.usage_estimated = true;
  if (isCut) block.truncated = true;
  if (isCut || foreign) block.upstream_finish_reason = stated.slice(0, REASON_CHARS);
  if (runId !== undefined) block.run_id = runId;
  if (outcome) block.outcome = outcome;
  if (spent) block.spent = wireSpent(spent);
  if (sources) block.sources = sources;
  if (extraction && "missing" in extraction) block.output_missing = extraction.missing;
  if (note !== undefined) block.note = note;
  return block;
}

/** Usage of a run; without `money` if the prices are unknown. */
export function wireSpent({ tokens, calls, money }: Spent): JsonObject {
  return money === undefined ? { tokens, calls } : { tokens, calls, money };
}

/** Maximum number of issues in an answer: a hostile text has thousands, each longer than its cause. */
const SHOWN_ISSUES = 100;

/** `issues`, and `issues_omitted` if there are more than are shown; `unreported` is the number that the parser only counted. */
export function wireIssues(issues: readonly FormatIssue[], raw: boolean, unreported = 0): JsonObject {
  return addIssues({}, issues, raw, unreported);
}

function addIssues(
  block: Record<string, JsonValue>,
  issues: readonly FormatIssue[],
  raw: boolean,
  unreported = 0,
): JsonObject {
  const omitted = Math.max(0, issues.length - SHOWN_ISSUES) + unreported;
  block.issues = issues.slice(0, SHOWN_ISSUES).map((issue) => wireIssue(issue, raw));
  if (omitted > 0) block.issues_omitted = omitted;
  return block;
}

/** The public form of an issue; the model's own text only if the client asked for it. */
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

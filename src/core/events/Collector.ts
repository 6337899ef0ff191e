// Collects the events of a run, a turn, an attempt or a parsed text into one value.

import { countValues } from "../async/stringifyCooperatively.ts";
import type { Failure } from "../failures.ts";
import type { JsonValue, ToolCall, ToolMode } from "../messages.ts";
import type { RunOutcome } from "../runs/outcomes.ts";
import type { ToolCitation } from "./citations.ts";
import { ExtraAccumulator } from "./ExtraAccumulator.ts";
import type { AnswerEvent, Extra, Extraction, RunEvent, Spent, TurnEnd, Usage } from "./events.ts";
import type { FormatIssue } from "./issues.ts";
import { isVisibleExtra } from "./isVisibleExtra.ts";
import { isRefusal } from "./refusals.ts";
import { TextAccumulator } from "./TextAccumulator.ts";

/** Summary of a stream of events, without its text. */
export interface AnswerSummary {
  /** The model that answered, by the name that its upstream knows. */
  readonly model?: string | undefined;
  readonly toolMode?: ToolMode | undefined;
  readonly row?: string | undefined;
  readonly note?: string | undefined;
  readonly issues: readonly FormatIssue[];
  /** Formats of the calls that were read from text, including gateway calls, each once. */
  readonly formats: readonly string[];
  /** Repairs of calls and of the history, as stable codes, each once. */
  readonly repairs: readonly string[];
  /** True if there is a call for the client. */
  readonly called: boolean;
  /** The end of the last turn, with usage summed over all turns; absent if the stream failed. */
  readonly end?: TurnEnd | undefined;
  readonly outcome?: RunOutcome | undefined;
  /** Usage of the complete run. */
  readonly spent?: Spent | undefined;
  readonly runId?: string | undefined;
  /** Present if the run should have an extracted output. */
  readonly extraction?: Extraction | undefined;
  /** Response of a workflow run, if there is one. */
  readonly response?: JsonValue | undefined;
  /** Sources of all results of the run. */
  readonly sources?: readonly ToolCitation[] | undefined;
  /** True if the run reported untrusted content. */
  readonly untrusted?: true | undefined;
  readonly failure?: Failure | undefined;
}

/** All stored content of a stream of events. */
export interface Collected extends AnswerSummary {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly extra: readonly Extra[];
}

/** Selects the content to store; the rest is only counted. */
export interface CollectorOptions {
  /** The text, and the upstream fields of every level that arrived with it. */
  readonly text: boolean;
  /** Maximum characters of reasoning and message fields to store. If there are more, none are stored, because a part is useless. */
  readonly maxExtraChars: number;
  readonly calls: boolean;
}

const EVERYTHING: CollectorOptions = { text: true, maxExtraChars: Number.POSITIVE_INFINITY, calls: true };
/** For callers that pass the events on: stores no text. */
export const SUMMARY_ONLY: CollectorOptions = { text: false, maxExtraChars: 0, calls: false };

/** The summary under construction: all members are present. */
type Said = { -readonly [Member in keyof Required<AnswerSummary>]: AnswerSummary[Member] } & {
  readonly issues: FormatIssue[];
  readonly formats: string[];
  readonly repairs: string[];
};

export class Collector {
  readonly #options: CollectorOptions;
  readonly #text = new TextAccumulator();
  readonly #reasoning = new TextAccumulator();
  readonly #extra = new ExtraAccumulator();
  readonly #calls: ToolCall[] = [];
  /** Changed in place, so that no event copies the earlier ones. */
  readonly #summary: Said = {
    model: undefined,
    toolMode: undefined,
    row: undefined,
    note: undefined,
    issues: [],
    formats: [],
    repairs: [],
    called: false,
    end: undefined,
    outcome: undefined,
    spent: undefined,
    runId: undefined,
    extraction: undefined,
    response: undefined,
    sources: undefined,
    untrusted: undefined,
    failure: undefined,
  };
  /** The ends of the turns of nested runs, merged. */
  #nestedEnd: TurnEnd | undefined;
  #hasVisibleText = false;
  #hasVisibleExtra = false;
  #hasRefusal = false;
  #chars = 0;
  #extraChars = 0;

  constructor(options: CollectorOptions = EVERYTHING) {
    this.#options = options;
  }

  add(event: AnswerEvent | RunEvent): void {
    switch (event.type) {
      case "text":
      case "text-delta":
        this.#addText(event.text, event.extra);
        return;
      case "reasoning":
      case "reasoning-delta":
        this.#chars += event.text.length;
        if (this.#shouldStoreExtra(() => event.text.length)) this.#reasoning.add(event.text);
        return;
      case "call":
      case "tool-call":
        this.#addCall(event.call);
        return;
      case "issue":
      case "format-issue":
        this.#summary.issues.push(event.issue);
        return;
      case "tool-start":
        this.#recordRepairs(event.call);
        return;
      // The client is shown the interrupt as a call of its own. Here the repairs of the waiting call are noted.
      case "interrupt":
        this.#recordRepairs(event.interrupt.call);
        return;
      case "turn-start":
      case "turn-end":
      case "turn-failed":
      case "run-start":
      case "extraction":
      case "run-end":
        this.#addOutline(event);
        return;
      case "nested":
        this.#addNested(event.event);
        return;
      case "attempt":
      case "tool-result":
      case "handoff":
      case "run-resumed":
      case "context-warning":
      case "context-trimmed":
      case "summary":
      case "task-start":
      case "task-end":
      case "plan":
      case "reflection":
        return;
      default:
        event satisfies never;
    }
  }

  /** Drops the fields of an attempt that is repeated. */
  discardExtra(): void {
    this.#hasVisibleExtra = false;
    this.#hasRefusal = false;
    this.#extra.clear();
  }

  get text(): string {
    return this.#text.text;
  }

  get reasoning(): string {
    return this.#reasoning.text;
  }

  /** One entry per level. */
  get extra(): readonly Extra[] {
    return this.#extra.all;
  }

  get calls(): readonly ToolCall[] {
    return this.#calls;
  }

  get issues(): readonly FormatIssue[] {
    return this.#summary.issues;
  }

  /** True if there is visible text. */
  get hasVisibleText(): boolean {
    return this.#hasVisibleText;
  }

  /** True if there is visible content other than text: a refusal, an image, audio. */
  get hasVisibleExtra(): boolean {
    return this.#hasVisibleExtra;
  }

  /** True if the model refused to answer, in the wire's own field. */
  get hasRefusal(): boolean {
    return this.#hasRefusal;
  }

  /** Number of characters of text, reasoning and arguments. */
  get chars(): number {
    return this.#chars;
  }

  getSummary(): AnswerSummary {
    return { ...this.#summary, end: this.#end };
  }

  getCollected(): Collected {
    const { text, reasoning, calls, extra } = this;
    return { ...this.#summary, end: this.#end, text, reasoning, calls, extra };
  }

  get #end(): TurnEnd | undefined {
    const { end } = this.#summary;
    return end && this.#nestedEnd ? mergeEnds(this.#nestedEnd, end) : end;
  }

  #addText(text: string, extra: readonly Extra[] | undefined): void {
    this.#chars += text.length;
    this.#hasVisibleText ||= text.trim() !== "";
    if (this.#options.text) this.#text.add(text);
    if (extra === undefined) return;
    for (const one of extra) {
      this.#hasVisibleExtra ||= isVisibleExtra(one);
      this.#hasRefusal ||= isRefusal(one);
      if (this.#shouldStoreField(one)) this.#extra.addOne(one);
    }
  }

  #addCall(call: ToolCall): void {
    this.#chars += call.arguments.length;
    this.#recordRepairs(call);
    this.#summary.called = true;
    if (this.#options.calls) this.#calls.push(call);
  }

  /** Adds a nested run: only its usage, repairs and issues count, not its text and its end. */
  #addNested(event: RunEvent): void {
    switch (event.type) {
      case "turn-end":
        this.#nestedEnd = mergeEnds(this.#nestedEnd, event);
        return;
      case "nested":
      case "tool-start":
      case "interrupt":
      case "format-issue":
        this.add(event);
        return;
      default:
        return;
    }
  }

  #recordRepairs({ origin, repairs }: ToolCall): void {
    if (origin !== "native") addOnce(this.#summary.formats, origin);
    for (const repair of repairs) addOnce(this.#summary.repairs, repair);
  }

  #addOutline(event: OutlineEvent): void {
    const summary = this.#summary;
    switch (event.type) {
      case "turn-start":
        if (event.historyRepairs) for (const repair of event.historyRepairs) addOnce(this.#summary.repairs, repair);
        summary.model = event.model;
        summary.toolMode = event.toolMode;
        summary.row = event.row;
        summary.note = event.note ?? summary.note;
        return;
      case "turn-end":
        summary.end = mergeEnds(summary.end, event);
        return;
      case "turn-failed":
        summary.failure = event.failure;
        return;
      case "run-start":
        summary.runId = event.runId;
        return;
      case "extraction":
        summary.extraction = event;
        return;
      case "run-end":
        summary.outcome = event.outcome;
        summary.response = event.response;
        summary.spent = event.spent;
        summary.sources = event.sources;
        summary.untrusted = event.untrusted ?? summary.untrusted;
        return;
      default:
        event satisfies never;
    }
  }

  #shouldStoreField({ level, fields }: Extra): boolean {
    if (this.#options.text) return true;
    return level === "delta" && this.#shouldStoreExtra(() => countValues(fields, this.#options.maxExtraChars));
  }

  #shouldStoreExtra(length: () => number): boolean {
    const { maxExtraChars } = this.#options;
    if (maxExtraChars === Number.POSITIVE_INFINITY) return true;
    if (this.#extraChars > maxExtraChars) return false;
    this.#extraChars += length();
    if (this.#extraChars <= maxExtraChars) return true;
    this.#reasoning.clear();
    this.#extra.clear();
    return false;
  }
}

/** A linear search, because most answers have one code or none. */
function addOnce(codes: string[], code: string): void {
  if (!codes.includes(code)) codes.push(code);
}

type OutlineEvent = Extract<
  RunEvent,
  { type: "turn-start" | "turn-end" | "turn-failed" | "run-start" | "extraction" | "run-end" }
>;

/**
 * Merges several answers to one request: lists are joined, usage and attempts are summed. It has an end only if all of
 * them have one, and the failure of the first that failed.
 */
export function mergeSummaries(summaries: readonly AnswerSummary[]): AnswerSummary {
  const [first, ...more] = summaries;
  if (!first || more.length === 0) return first ?? { issues: [], formats: [], repairs: [], called: false };
  const ends = summaries.flatMap(({ end }) => (end ? [end] : []));
  return {
    ...first,
    called: summaries.some(({ called }) => called),
    issues: summaries.flatMap(({ issues }) => issues),
    formats: [...new Set(summaries.flatMap(({ formats }) => formats))],
    repairs: [...new Set(summaries.flatMap(({ repairs }) => repairs))],
    end: ends.length === summaries.length ? ends.reduce(mergeEnds) : undefined,
    failure: summaries.find(({ failure }) => failure)?.failure,
  };
}

function mergeEnds(earlier: TurnEnd | undefined, last: TurnEnd): TurnEnd {
  if (!earlier) return last;
  return {
    ...last,
    usage: addUsage(earlier.usage, last.usage),
    usagePartial: earlier.usagePartial || last.usagePartial,
    usageEstimated: earlier.usageEstimated || last.usageEstimated,
    mended: [...new Set([...(earlier.mended ?? []), ...(last.mended ?? [])])],
    attempts: earlier.attempts + last.attempts,
    retries: earlier.retries + last.retries,
  };
}

/** Sums two usages; undefined if both are. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    details: b.details ?? a.details,
  };
}

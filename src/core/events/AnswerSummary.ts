// The summary of an answer: model, issues, repairs, usage and end, without its text.
import type { Failure } from "../failures.ts";
import type { JsonValue, ToolCall, ToolMode } from "../messages.ts";
import type { RunOutcome } from "../runs/outcomes.ts";
import type { ToolCitation } from "./citations.ts";
import type { Extraction, RunEvent, Spent, TurnEnd } from "./events.ts";
import type { FormatIssue } from "./issues.ts";
import { mergeTurnEnds } from "./turnEnds.ts";

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

/** The summary under construction: all members are present. */
type Said = { -readonly [Member in keyof Required<AnswerSummary>]: AnswerSummary[Member] } & {
  readonly issues: FormatIssue[];
  readonly formats: string[];
  readonly repairs: string[];
};

/** Events that state facts of an answer, and contain none of it. */
type SummaryEvent = Extract<
  RunEvent,
  { type: "turn-start" | "turn-end" | "turn-failed" | "run-start" | "extraction" | "run-end" }
>;

/** Builds a summary from events. */
export class SummaryAccumulator {
  /** Changed in place, so that no event copies the earlier ones. */
  readonly #said: Said = {
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
  #within: TurnEnd | undefined;

  get issues(): readonly FormatIssue[] {
    return this.#said.issues;
  }

  addIssue(issue: FormatIssue): void {
    this.#said.issues.push(issue);
  }

  /** Adds a call for the client. */
  addCall(call: ToolCall): void {
    this.addRepairs(call);
    this.#said.called = true;
  }

  /** Adds the format and the repairs of a call that the gateway runs. */
  addRepairs({ origin, repairs }: ToolCall): void {
    if (origin !== "native") addOnce(this.#said.formats, origin);
    for (const repair of repairs) addOnce(this.#said.repairs, repair);
  }

  /** Adds the end of a turn of a nested run. */
  addNestedEnd(end: TurnEnd): void {
    this.#within = mergeTurnEnds(this.#within, end);
  }

  add(event: SummaryEvent): void {
    const said = this.#said;
    switch (event.type) {
      case "turn-start":
        if (event.historyRepairs) for (const repair of event.historyRepairs) addOnce(this.#said.repairs, repair);
        said.model = event.model;
        said.toolMode = event.toolMode;
        said.row = event.row;
        said.note = event.note ?? said.note;
        return;
      case "turn-end":
        said.end = mergeTurnEnds(said.end, event);
        return;
      case "turn-failed":
        said.failure = event.failure;
        return;
      case "run-start":
        said.runId = event.runId;
        return;
      case "extraction":
        said.extraction = event;
        return;
      case "run-end":
        said.outcome = event.outcome;
        said.response = event.response;
        said.spent = event.spent;
        said.sources = event.sources;
        said.untrusted = event.untrusted ?? said.untrusted;
        return;
      default:
        event satisfies never;
    }
  }

  value(): AnswerSummary {
    return { ...this.#said, end: this.#end };
  }

  get #end(): TurnEnd | undefined {
    const { end } = this.#said;
    return end && this.#within ? mergeTurnEnds(this.#within, end) : end;
  }
}

/** A linear search, because most answers have one code or none. */
function addOnce(codes: string[], code: string): void {
  if (!codes.includes(code)) codes.push(code);
}

/**
 * Merges several answers to one request: lists are joined, usage and attempts are summed. It has an end only if all of
 * them have one, and the failure of the first that failed.
 */
export function mergeSummaries(outlines: readonly AnswerSummary[]): AnswerSummary {
  const [first, ...more] = outlines;
  if (!first || more.length === 0) return first ?? { issues: [], formats: [], repairs: [], called: false };
  const ends = outlines.flatMap(({ end }) => (end ? [end] : []));
  return {
    ...first,
    called: outlines.some(({ called }) => called),
    issues: outlines.flatMap(({ issues }) => issues),
    formats: [...new Set(outlines.flatMap(({ formats }) => formats))],
    repairs: [...new Set(outlines.flatMap(({ repairs }) => repairs))],
    end: ends.length === outlines.length ? ends.reduce(mergeTurnEnds) : undefined,
    failure: outlines.find(({ failure }) => failure)?.failure,
  };
}

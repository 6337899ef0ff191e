// Drains a stream of turn or run events into one value: the only difference between a streamed and a plain answer.
import type { Extra, RunEvent, RunLimit, RunOutcome, TurnEnd, Usage } from "./events.ts";
import type { Failure } from "./failures.ts";
import type { FormatIssue } from "./issues.ts";
import type { ToolCall, ToolMode } from "./messages.ts";

/** Everything that a stream of events said. */
export interface Collected {
  readonly toolMode?: ToolMode | undefined;
  readonly row?: string | undefined;
  readonly note?: string | undefined;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly issues: readonly FormatIssue[];
  readonly extra: readonly Extra[];
  /** The last turn's end, usage summed over the turns; absent where the stream failed. */
  readonly end?: TurnEnd | undefined;
  readonly outcome?: RunOutcome | undefined;
  readonly limit?: RunLimit | undefined;
  readonly runId?: string | undefined;
  readonly failure?: Failure | undefined;
}

/** Drains `events`; never throws unless the stream does. */
export async function collect(events: AsyncIterable<RunEvent>): Promise<Collected> {
  const collected = new Collector();
  for await (const event of events) collected.add(event);
  return collected.value();
}

/** The same fold, an event at a time, for those who pass the events on. */
export class Collector {
  #text: string[] = [];
  #reasoning: string[] = [];
  #calls: ToolCall[] = [];
  #issues: FormatIssue[] = [];
  #extra: Extra[] = [];
  #rest: Pick<Collected, "toolMode" | "row" | "note" | "end" | "outcome" | "limit" | "runId" | "failure"> = {};

  add(event: RunEvent): void {
    switch (event.type) {
      case "turn-start":
        this.#rest = { ...this.#rest, toolMode: event.toolMode, row: event.row, note: event.note ?? this.#rest.note };
        return;
      case "text-delta":
        this.#text.push(event.text);
        if (event.extra) this.#extra.push(...event.extra);
        return;
      case "reasoning-delta":
        this.#reasoning.push(event.text);
        return;
      case "tool-call":
        this.#calls.push(event.call);
        return;
      case "format-issue":
        this.#issues.push(event.issue);
        return;
      case "turn-end":
        this.#rest = { ...this.#rest, end: mergeEnds(this.#rest.end, event) };
        return;
      case "turn-failed":
        this.#rest = { ...this.#rest, failure: event.failure };
        return;
      case "run-start":
        this.#rest = { ...this.#rest, runId: event.runId };
        return;
      case "run-end":
        this.#rest = { ...this.#rest, outcome: event.outcome, limit: event.limit };
        return;
      case "attempt":
      case "tool-start":
      case "tool-result":
        return;
      default:
        event satisfies never;
    }
  }

  value(): Collected {
    return {
      ...this.#rest,
      text: this.#text.join(""),
      reasoning: this.#reasoning.join(""),
      calls: this.#calls,
      issues: this.#issues,
      extra: this.#extra,
    };
  }
}

function mergeEnds(before: TurnEnd | undefined, last: TurnEnd): TurnEnd {
  if (!before) return last;
  return {
    ...last,
    usage: addUsage(before.usage, last.usage),
    usagePartial: before.usagePartial || last.usagePartial,
    usageEstimated: before.usageEstimated || last.usageEstimated,
    mended: [...new Set([...(before.mended ?? []), ...(last.mended ?? [])])],
    attempts: before.attempts + last.attempts,
    retries: before.retries + last.retries,
  };
}

/** Sums two usages; an absent one counts as nothing said. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    details: b.details ?? a.details,
  };
}

// Drains a stream of turn or run events into one value: the only difference between a streamed and a plain answer.

import { ExtraFold } from "./ExtraFold.ts";
import type { Extra, RunEvent, RunLimit, RunOutcome, TurnEnd, Usage } from "./events.ts";
import type { Failure } from "./failures.ts";
import type { FormatIssue } from "./issues.ts";
import type { ToolCall, ToolMode } from "./messages.ts";

/** What a stream of events came to, without its words: all that those need who have passed the words on. */
export interface Outline {
  readonly toolMode?: ToolMode | undefined;
  readonly row?: string | undefined;
  readonly note?: string | undefined;
  readonly issues: readonly FormatIssue[];
  /** True where there is a call for the client. */
  readonly called: boolean;
  /** The last turn's end, usage summed over the turns; absent where the stream failed. */
  readonly end?: TurnEnd | undefined;
  readonly outcome?: RunOutcome | undefined;
  readonly limit?: RunLimit | undefined;
  readonly runId?: string | undefined;
  readonly failure?: Failure | undefined;
}

/** Everything that a stream of events said. */
export interface Collected extends Outline {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly extra: readonly Extra[];
}

/** Drains `events`; never throws unless the stream does. */
export async function collect(events: AsyncIterable<RunEvent>): Promise<Collected> {
  const collected = new Collector();
  for await (const event of events) collected.add(event);
  return collected.value();
}

/** The same fold, an event at a time. */
export class Collector {
  readonly #outliner = new Outliner();
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #calls: ToolCall[] = [];
  readonly #extra = new ExtraFold();

  add(event: RunEvent): void {
    this.#outliner.add(event);
    if (event.type === "text-delta") {
      this.#text.push(event.text);
      this.#extra.add(event.extra);
    } else if (event.type === "reasoning-delta") this.#reasoning.push(event.text);
    else if (event.type === "tool-call") this.#calls.push(event.call);
  }

  value(): Collected {
    return {
      ...this.#outliner.value(),
      text: this.#text.join(""),
      reasoning: this.#reasoning.join(""),
      calls: this.#calls,
      extra: this.#extra.all,
    };
  }
}

/** The same fold for those who pass the events on: keeps no word that has left. */
export class Outliner {
  readonly #issues: FormatIssue[] = [];
  #rest: Omit<Outline, "issues"> = { called: false };

  add(event: RunEvent): void {
    switch (event.type) {
      case "turn-start":
        this.#rest = { ...this.#rest, toolMode: event.toolMode, row: event.row, note: event.note ?? this.#rest.note };
        return;
      case "tool-call":
        this.#rest = { ...this.#rest, called: true };
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
      case "text-delta":
      case "reasoning-delta":
      case "attempt":
      case "tool-start":
      case "tool-result":
        return;
      default:
        event satisfies never;
    }
  }

  value(): Outline {
    return { ...this.#rest, issues: this.#issues };
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

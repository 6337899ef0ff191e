// Collects the fields of one request's log line: names, counts and codes, never content.
import type { RunEvent, Spent } from "../core/events/events.ts";
import type { Failure } from "../core/failures.ts";
import type { JsonValue, ToolCall } from "../core/messages.ts";
import type { Observation } from "../core/ports.ts";

/** Undefined fields are omitted from the line. */
type LineFields = Readonly<Record<string, JsonValue | undefined>>;

export class RequestSummary {
  /** The name that the caller sent. */
  asked: string | undefined;
  retries = 0;
  failure: Failure | undefined;
  /** Milliseconds from the first question to an upstream until the first byte of its answer. */
  firstByteMs: number | undefined;
  /** Milliseconds for parsing the model's output. */
  parseMs = 0;
  /** Number of answers: the highest number of a further answer that had an event under its own id. */
  choices = 1;
  /** Name under which the first successful exchange of an accepted request was counted. */
  #upstream: string | undefined;
  /** The model that was asked, by the name that its upstream knows. */
  #model: string | undefined;
  #tokens: number | undefined;
  #finish: { readonly finishReason: string; readonly upstreamFinishReason: string | null } | undefined;
  #run: { readonly outcome: string; readonly turns: number; readonly spent?: Spent | undefined } | undefined;
  #row: string | undefined;
  #mode: string | undefined;
  /** Sums of the finished turns and the active one. */
  #attempts = 0;
  #startedAt = 0;
  #formats: Set<string> | undefined;
  #repairs: Set<string> | undefined;
  #issues: Set<string> | undefined;
  #tools: string[] | undefined;

  /** Returns true if the line of the request contains all of it: for the first model request, since most runs have only one. */
  exchange({ kind, key, status, ms }: Omit<Extract<Observation, { type: "exchange" }>, "type" | "run">): boolean {
    if (kind !== "model" && kind !== "pass-through") return false;
    const isFirst = this.firstByteMs === undefined;
    this.firstByteMs ??= ms;
    if (!isFirst || this.asked === undefined || status !== 200) return false;
    this.#upstream = key;
    return true;
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case "turn-start":
        this.#begin(event);
        return;
      case "tool-call":
      case "tool-start":
        this.#addCall(event.call);
        return;
      case "tool-result":
        this.#tools ??= [];
        this.#tools.push(event.isError ? `${event.name} (failed)` : event.name);
        return;
      case "format-issue":
        this.#issues = addAll(this.#issues, [event.issue.code]);
        return;
      case "attempt":
        this.#startedAt = event.n;
        return;
      case "turn-end":
        this.#attempts += event.attempts;
        this.#startedAt = 0;
        this.#finish = event;
        if (event.usage) this.#tokens = (this.#tokens ?? 0) + event.usage.totalTokens;
        return;
      case "turn-failed":
        this.failure = event.failure;
        return;
      case "run-end":
        this.#run = event;
        return;
      case "nested":
        this.#addNested(event.event);
        return;
      case "text-delta":
      case "reasoning-delta":
      case "run-start":
      case "run-resumed":
      case "context-warning":
      case "context-trimmed":
      case "summary":
      case "task-start":
      case "task-end":
      case "plan":
      case "reflection":
      case "extraction":
      case "handoff":
      case "interrupt":
        return;
      default:
        event satisfies never;
    }
  }

  #begin({ model, row, toolMode, historyRepairs }: Extract<RunEvent, { type: "turn-start" }>): void {
    this.#model = model;
    this.#row = row;
    this.#mode = toolMode;
    this.#startedAt = 1;
    this.#repairs = addAll(this.#repairs, historyRepairs);
  }

  /** Adds the calls, attempts and tokens of a nested run. Its outcome is not the outer run's. */
  #addNested(event: RunEvent): void {
    if (event.type === "tool-start" || event.type === "tool-result" || event.type === "format-issue") this.add(event);
    if (event.type === "nested") this.#addNested(event.event);
    if (event.type !== "turn-end") return;
    this.#attempts += event.attempts;
    if (event.usage) this.#tokens = (this.#tokens ?? 0) + event.usage.totalTokens;
  }

  /** Returns the fields of the log line; absent facts are undefined. `path` is already clipped. */
  fields(request: Extract<Observation, { type: "request" }>, path: string): LineFields {
    const { run, caller, session, resumed, method, status, ms, aborted } = request;
    return {
      run,
      caller,
      session,
      resumed,
      method,
      path,
      status,
      ms: Math.round(ms),
      aborted,
      asked: this.asked?.slice(0, LONGEST_NAME),
      model: this.#model,
      upstream: this.#upstream,
      row: this.#row,
      toolMode: this.#mode,
      firstByteMs: this.firstByteMs && Math.round(this.firstByteMs),
      parseMs: this.parseMs > 0 ? Math.round(this.parseMs * 10) / 10 : undefined,
      formats: toList(this.#formats),
      repairs: toList(this.#repairs),
      issues: toList(this.#issues),
      tools: this.#tools,
      attempts: this.#attempts + this.#startedAt || undefined,
      retries: this.retries || undefined,
      tokens: this.#tokens,
      finishReason: this.#finish?.finishReason,
      upstreamFinishReason: this.#finish?.upstreamFinishReason ?? undefined,
      outcome: this.#run?.outcome,
      turns: this.#run?.turns,
      money: this.#run?.spent?.money ?? undefined,
      failure: this.failure?.code,
    };
  }

  /** Returns the parts of the terminal line, in order. Absent facts are omitted. */
  listFields(): readonly string[] {
    const attempts = this.#attempts + this.#startedAt;
    return [
      [...new Set([this.asked, this.#model])].filter((name) => name !== undefined).join(" → "),
      this.#row === undefined ? "" : `row ${this.#row}`,
      this.#mode ?? "",
      list("read", this.#formats),
      this.parseMs >= 1 ? `parsed in ${Math.round(this.parseMs)} ms` : "",
      list("repaired", this.#repairs),
      list("issues", this.#issues),
      list("ran", this.#tools),
      attempts > 0 ? count(attempts, "attempt") : "",
      this.retries > 0 ? count(this.retries, "retry", "retries") : "",
      this.#endState,
      this.failure ? `${this.failure.code}: ${this.failure.message}` : "",
    ].filter((field) => field !== "");
  }

  get #endState(): string {
    return this.#run?.outcome ?? this.#finish?.finishReason ?? "";
  }

  #addCall(call: ToolCall): void {
    if (call.origin !== "native") this.#formats = addAll(this.#formats, [call.origin]);
    this.#repairs = addAll(this.#repairs, call.repairs);
  }
}

/** Characters of a model's name, which a caller chose. */
const LONGEST_NAME = 256;

/** Made with the first name: of most requests there is none. */
function addAll(names: Set<string> | undefined, added: readonly string[] = []): Set<string> | undefined {
  if (added.length === 0) return names;
  const all = names ?? new Set();
  for (const name of added) all.add(name);
  return all;
}

function toList(names: Set<string> | undefined): readonly string[] | undefined {
  return names && [...names];
}

function list(verb: string, names: Iterable<string> = []): string {
  const joined = [...names].join(", ");
  return joined && `${verb} ${joined}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

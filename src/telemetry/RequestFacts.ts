// What a line about one request says, gathered from what happened during it. Keeps names, counts and codes; never what was said.
import type { RunEvent } from "../core/events.ts";
import type { Failure } from "../core/failures.ts";
import type { ToolCall } from "../core/messages.ts";

export class RequestFacts {
  /** The name that the caller sent. */
  asked: string | undefined;
  retries = 0;
  failure: Failure | undefined;
  /** Milliseconds from the first question to an upstream until the first byte of its answer. */
  firstByteMs: number | undefined;
  /** Milliseconds in which what the model wrote was parsed. */
  parseMs = 0;
  /** The model that was asked, by the name that its upstream knows. */
  #model: string | undefined;
  #row: string | undefined;
  #mode: string | undefined;
  #outcome: string | undefined;
  /** Of the turns that ended, and of the one that runs. */
  #attempts = 0;
  #begun = 0;
  readonly #formats = new Set<string>();
  readonly #repairs = new Set<string>();
  readonly #issues = new Set<string>();
  readonly #tools: string[] = [];

  add(event: RunEvent): void {
    switch (event.type) {
      case "turn-start":
        this.#model = event.model;
        this.#row = event.row;
        this.#mode = event.toolMode;
        this.#begun = 1;
        for (const repair of event.historyRepairs ?? []) this.#repairs.add(repair);
        return;
      case "tool-call":
      case "tool-start":
        this.#addCall(event.call);
        return;
      case "tool-result":
        this.#tools.push(event.isError ? `${event.name} (failed)` : event.name);
        return;
      case "format-issue":
        this.#issues.add(event.issue.code);
        return;
      case "attempt":
        this.#begun = event.n;
        return;
      case "turn-end":
        this.#attempts += event.attempts;
        this.#begun = 0;
        this.#outcome = event.finishReason;
        return;
      case "turn-failed":
        this.failure = event.failure;
        return;
      case "run-end":
        this.#outcome = event.limit === undefined ? event.outcome : `${event.outcome} (${event.limit})`;
        return;
      case "text-delta":
      case "reasoning-delta":
      case "run-start":
        return;
      default:
        event satisfies never;
    }
  }

  /** The parts of the line, in order; what there is nothing to say of is left out. */
  words(): readonly string[] {
    const attempts = this.#attempts + this.#begun;
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
      this.#outcome ?? "",
      this.failure ? `${this.failure.code}: ${this.failure.message}` : "",
    ].filter((word) => word !== "");
  }

  #addCall(call: ToolCall): void {
    if (call.origin !== "native") this.#formats.add(call.origin);
    for (const repair of call.repairs) this.#repairs.add(repair);
  }
}

function list(verb: string, names: Iterable<string>): string {
  const joined = [...names].join(", ");
  return joined && `${verb} ${joined}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

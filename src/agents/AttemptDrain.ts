// Folds one attempt into the result that decisions are made by, and says which of its calls may leave. Decides nothing further.
import type { Extra, ModelEnd } from "../core/events.ts";
import { type Failure, failure } from "../core/failures.ts";
import type { FormatIssue } from "../core/issues.ts";
import type { ToolCall } from "../core/messages.ts";
import type { AttemptResult, RefusedCall } from "../core/run.ts";
import type { AttemptEvent, Conversation } from "./Agent.ts";
import { refusalOf } from "./callDemands.ts";
import { saidBeside, showsMore } from "./saidBeside.ts";
import { toolsDropped } from "./toolsDropped.ts";

export class AttemptDrain {
  readonly #conversation: Conversation;
  readonly #countsPrompt: boolean;
  readonly #said: string[] = [];
  #spoke = false;
  #reasoning = "";
  readonly #extra: Extra[] = [];
  readonly #calls: ToolCall[] = [];
  readonly #issues: FormatIssue[] = [];
  readonly #refused: RefusedCall[] = [];
  #end: { readonly finishReason: string | null; readonly failure?: Failure } | undefined;
  #dropped: string | undefined;

  /** @param countsPrompt whether the tools went up in the wire's own field, and what the upstream counts is of that prompt. */
  constructor(conversation: Conversation, { countsPrompt }: { readonly countsPrompt: boolean }) {
    this.#conversation = conversation;
    this.#countsPrompt = countsPrompt;
  }

  /** Returns the issue of a call that may not leave. */
  add(event: AttemptEvent): FormatIssue | undefined {
    switch (event.type) {
      case "text":
        this.#said.push(event.text);
        this.#spoke ||= event.text.trim() !== "";
        this.#extra.push(...(event.extra ?? []));
        return undefined;
      case "call":
        return this.#admit(event.call);
      case "issue":
        this.#said.push(event.issue.raw ?? "");
        this.#issues.push(event.issue);
        return undefined;
      case "refused":
        this.#issues.push(event.refused.issue);
        this.#refused.push(event.refused);
        return undefined;
      case "end":
        this.#end = { finishReason: event.finishReason };
        this.#dropped = this.#toolsDropped(event);
        return undefined;
      case "failed":
        this.#end = { finishReason: null, failure: event.failure };
        return undefined;
      case "reasoning":
        this.#reasoning += event.text;
        return undefined;
      case "opened":
      case "dropped":
        return undefined;
      default:
        return event satisfies never;
    }
  }

  result(): AttemptResult {
    return {
      said: this.#said.join(""),
      spoke: this.#spoke,
      showed: showsMore(this.#extra),
      beside: saidBeside(this.#reasoning, this.#extra),
      calls: this.#calls,
      issues: this.#issues,
      refused: this.#refused,
      toolsDropped: this.#dropped,
      ...(this.#end ?? { finishReason: null, failure: UNENDED }),
    };
  }

  /** What was made of the tools, be it a leak or a fault, shows that the model knows of them. */
  #toolsDropped(end: ModelEnd): string | undefined {
    const { tools, toolChoice } = this.#conversation;
    const unused = this.#calls.length === 0 && this.#issues.length === 0;
    return this.#countsPrompt && unused && toolChoice.type !== "none" ? toolsDropped(end, tools) : undefined;
  }

  #admit(call: ToolCall): FormatIssue | undefined {
    const issue = refusalOf(call, this.#conversation, this.#calls.length);
    if (!issue) {
      this.#calls.push(call);
      return undefined;
    }
    this.#issues.push(issue);
    if (call.origin === "native") {
      const { id, name, arguments: text, extra } = call;
      this.#refused.push({ issue, id, name, arguments: text, ...(extra && { extra }) });
    } else {
      this.#said.push(call.raw);
    }
    return issue;
  }
}

const UNENDED = failure("internal_error", "The model's stream ended without saying how. This is a fault of Postel.");

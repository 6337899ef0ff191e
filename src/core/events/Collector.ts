// Collects the events of a run, a turn, an attempt or a parsed text into one value.

import { countValues } from "../async/stringifyCooperatively.ts";
import type { ToolCall } from "../messages.ts";
import { type AnswerSummary, SummaryAccumulator } from "./AnswerSummary.ts";
import { ExtraAccumulator } from "./ExtraAccumulator.ts";
import type { AnswerEvent, Extra, RunEvent } from "./events.ts";
import type { FormatIssue } from "./issues.ts";
import { isVisibleExtra } from "./isVisibleExtra.ts";
import { isRefusal } from "./refusals.ts";
import { TextAccumulator } from "./TextAccumulator.ts";

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
  readonly beside: number;
  readonly calls: boolean;
}

const EVERYTHING: CollectorOptions = { text: true, beside: Number.POSITIVE_INFINITY, calls: true };
/** For callers that pass the events on: stores no text. */
export const SUMMARY_ONLY: CollectorOptions = { text: false, beside: 0, calls: false };

export class Collector {
  readonly #keeping: CollectorOptions;
  readonly #text = new TextAccumulator();
  readonly #reasoning = new TextAccumulator();
  readonly #extra = new ExtraAccumulator();
  readonly #calls: ToolCall[] = [];
  readonly #summary = new SummaryAccumulator();
  #spoke = false;
  #showed = false;
  #declined = false;
  #chars = 0;
  #besideChars = 0;

  constructor(keeping: CollectorOptions = EVERYTHING) {
    this.#keeping = keeping;
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
        if (this.#keepsBeside(() => event.text.length)) this.#reasoning.add(event.text);
        return;
      case "call":
      case "tool-call":
        this.#addCall(event.call);
        return;
      case "issue":
      case "format-issue":
        this.#summary.addIssue(event.issue);
        return;
      case "tool-start":
        this.#summary.addRepairs(event.call);
        return;
      // The client is shown the interrupt as a call of its own. Here the repairs of the waiting call are noted.
      case "interrupt":
        this.#summary.addRepairs(event.interrupt.call);
        return;
      case "turn-start":
      case "turn-end":
      case "turn-failed":
      case "run-start":
      case "extraction":
      case "run-end":
        this.#summary.add(event);
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
  forgetExtra(): void {
    this.#showed = false;
    this.#declined = false;
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
  get spoke(): boolean {
    return this.#spoke;
  }

  /** True if there is visible content other than text: a refusal, an image, audio. */
  get showed(): boolean {
    return this.#showed;
  }

  /** True if the model refused to answer, in the wire's own field. */
  get declined(): boolean {
    return this.#declined;
  }

  /** Number of characters of text, reasoning and arguments. */
  get chars(): number {
    return this.#chars;
  }

  outline(): AnswerSummary {
    return this.#summary.value();
  }

  value(): Collected {
    const { text, reasoning, calls, extra } = this;
    return { ...this.#summary.value(), text, reasoning, calls, extra };
  }

  #addText(text: string, extra: readonly Extra[] | undefined): void {
    this.#chars += text.length;
    this.#spoke ||= text.trim() !== "";
    if (this.#keeping.text) this.#text.add(text);
    if (extra === undefined) return;
    for (const one of extra) {
      this.#showed ||= isVisibleExtra(one);
      this.#declined ||= isRefusal(one);
      if (this.#keepsExtra(one)) this.#extra.addOne(one);
    }
  }

  #addCall(call: ToolCall): void {
    this.#chars += call.arguments.length;
    this.#summary.addCall(call);
    if (this.#keeping.calls) this.#calls.push(call);
  }

  /** Adds a nested run: only its usage, repairs and issues count, not its text and its end. */
  #addNested(event: RunEvent): void {
    switch (event.type) {
      case "turn-end":
        this.#summary.addNestedEnd(event);
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

  #keepsExtra({ level, fields }: Extra): boolean {
    if (this.#keeping.text) return true;
    return level === "delta" && this.#keepsBeside(() => countValues(fields, this.#keeping.beside));
  }

  #keepsBeside(length: () => number): boolean {
    const { beside } = this.#keeping;
    if (beside === Number.POSITIVE_INFINITY) return true;
    if (this.#besideChars > beside) return false;
    this.#besideChars += length();
    if (this.#besideChars <= beside) return true;
    this.#reasoning.clear();
    this.#extra.clear();
    return false;
  }
}

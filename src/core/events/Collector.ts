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
  readonly maxExtraChars: number;
  readonly calls: boolean;
}

const EVERYTHING: CollectorOptions = { text: true, maxExtraChars: Number.POSITIVE_INFINITY, calls: true };
/** For callers that pass the events on: stores no text. */
export const SUMMARY_ONLY: CollectorOptions = { text: false, maxExtraChars: 0, calls: false };

export class Collector {
  readonly #options: CollectorOptions;
  readonly #text = new TextAccumulator();
  readonly #reasoning = new TextAccumulator();
  readonly #extra = new ExtraAccumulator();
  readonly #calls: ToolCall[] = [];
  readonly #summary = new SummaryAccumulator();
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
    return this.#summary.value();
  }

  getCollected(): Collected {
    const { text, reasoning, calls, extra } = this;
    return { ...this.#summary.value(), text, reasoning, calls, extra };
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
    this.#summary.addCall(call);
    if (this.#options.calls) this.#calls.push(call);
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

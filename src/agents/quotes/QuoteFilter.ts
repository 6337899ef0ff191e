// Turns calls that a model only quotes into content. Wraps the parser that reads the calls.

import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolCall } from "../../core/messages.ts";
import { callKey } from "../../core/runs/callKey.ts";
import type { OutputParser } from "../../formats/createOutputParser.ts";
import type { Slice } from "../../formats/MultiFormatOutputParser.ts";
import type { ParserEvent } from "../../formats/state/ParserEvent.ts";
import type { AttemptConversation } from "../Agent.ts";
import type { ArgumentRestorer } from "../attempt/ArgumentRestorer.ts";
import { isCallIssue } from "../turn/RetryStrategy.ts";
import { readTimeline, type Timeline } from "./conversationTimeline.ts";
import { QuotedSpans } from "./QuotedSpans.ts";
import { spanForms } from "./spanForms.ts";

export interface QuoteOptions {
  /** The conversation with the texts that a call may be quoted from. */
  readonly conversation: Pick<AttemptConversation, "messages" | "quotable">;
  readonly restorer: ArgumentRestorer;
  /** Names of the tools that need an approval if the answer contains only quoted calls; absent: such calls become content too. */
  readonly asked?: ReadonlySet<string> | undefined;
  /** Returns the request's name of a tool from the name that the model was shown. */
  readonly ownName: (name: string) => string;
}

type Dropped = Extract<ParserEvent, { readonly type: "dropped" }>;

/** A span that occurs in a source, with the calls read from it; none if it could not be read. */
interface Quotation {
  readonly at: number;
  readonly text: string;
  readonly calls: ToolCall[];
  readonly family?: string | undefined;
}

/** Reasons for dropping characters that belong to the text around a call. */
const WORDS_DROPPED: ReadonlySet<string> = new Set(["glue", "preview", "after-action"]);
/** Characters of arguments that are compared in one slice. */
const SLICE = 32_768;

export class QuoteFilter implements OutputParser {
  readonly #parser: OutputParser;
  readonly #options: QuoteOptions;
  #askedCalls: ReadonlySet<string> | undefined;
  #timeline: Timeline | undefined;
  #spans: QuotedSpans | undefined;
  /** Time at which the model first made a call, by call key. */
  #callTimes: Map<string, number> | undefined;
  #ready: ParserEvent[] = [];
  #steps: Generator<typeof YIELD, void> | undefined;
  #isLastSlice = false;
  #isEnded = false;
  /** Text that was dropped directly before a possible quotation. */
  #before: Dropped[] = [];
  /** The last span that was read as a call or as an issue. */
  #last: { readonly at: number; readonly quotation: Quotation | undefined } | undefined;
  /** The quotation with its closing markers, and the offset of its end. */
  #span = "";
  #end = -1;
  /** Quotations that may need an approval: the answer has no other content yet. */
  #quotations: Quotation[] = [];
  #hasSpoken = false;

  constructor(parser: OutputParser, options: QuoteOptions) {
    this.#parser = parser;
    this.#options = options;
    this.#askedCalls = options.asked;
  }

  get released(): OutputParser["released"] {
    return this.#parser.released;
  }

  isPlainText(text: string): boolean {
    return this.#quotations.length === 0 && this.#parser.isPlainText(text);
  }

  feedSlice(text: string): Slice {
    return this.#filter(this.#parser.feedSlice(text));
  }

  finishSlice(finishReason: string | null): Slice {
    this.#isEnded = true;
    return this.#filter(this.#parser.finishSlice(finishReason));
  }

  nextSlice(): Slice {
    return this.#steps ? this.#runSteps(this.#steps) : this.#filter(this.#parser.nextSlice());
  }

  /** The answer contains more than text, so quoted calls in the text never ask for an approval. */
  askNobody(): void {
    this.#askedCalls = undefined;
  }

  #filter(slice: Slice): Slice {
    const isIdle = this.#before.length === 0 && this.#quotations.length === 0 && this.#last === undefined;
    if (isIdle && slice.events.every(isWords)) {
      for (const event of slice.events) this.#noteWords(event);
      return slice;
    }
    this.#isLastSlice = !slice.more;
    this.#steps = this.#readEvents(slice.events);
    return this.#runSteps(this.#steps);
  }

  #runSteps(steps: Generator<typeof YIELD, void>): Slice {
    const { done } = steps.next();
    if (done) this.#steps = undefined;
    const events = this.#ready;
    this.#ready = [];
    return { events, more: !done || !this.#isLastSlice };
  }

  *#readEvents(events: readonly ParserEvent[]): Generator<typeof YIELD, void> {
    for (const event of events) {
      switch (event.type) {
        case "dropped":
          yield* this.#readDropped(event);
          break;
        case "text":
        case "reasoning":
          this.#readWords(event);
          break;
        case "call":
          yield* this.#readCall(event);
          break;
        case "issue":
          yield* this.#readIssue(event);
          break;
        default:
          event satisfies never;
      }
    }
    if (!this.#isEnded || !this.#isLastSlice) return;
    this.#releaseEarlier();
    this.#settleHeld();
  }

  /** After a quotation, its closing markers and the text that a call would have dropped become content too. */
  *#readDropped(event: Dropped): Generator<typeof YIELD, void> {
    const { at, raw, why } = event;
    const quotation = at === this.#end ? this.#last?.quotation : undefined;
    if (quotation) {
      const isContent = WORDS_DROPPED.has(why) || (yield* this.#findSpan(this.#span + raw)) !== undefined;
      this.#span += raw;
      this.#end = at + raw.length;
      if (isContent) this.#quote({ ...quotation, at, text: raw, calls: [] }, false);
      else this.#ready.push(event);
      return;
    }
    this.#last = undefined;
    const before = this.#before.at(-1);
    if (before && before.at + before.raw.length !== at) this.#releaseEarlier();
    if (WORDS_DROPPED.has(why)) {
      this.#before.push(event);
      return;
    }
    this.#releaseEarlier();
    this.#ready.push(event);
  }

  #readWords(event: Extract<ParserEvent, { readonly type: "text" | "reasoning" }>): void {
    // A quotation makes content of text that a labelled call would have turned into reasoning.
    const isContent = event.type === "reasoning" && this.#last?.quotation !== undefined && event.at === this.#end;
    const textEvent = isContent ? { ...event, type: "text" as const } : event;
    if (isContent) this.#end = event.at + (event.raw ?? event.text).length;
    else this.#last = undefined;
    this.#releaseEarlier();
    this.#noteWords(textEvent);
    if (this.#hasSpoken) this.#releaseHeld();
    this.#ready.push(textEvent);
  }

  *#readCall({ at, call: written }: Extract<ParserEvent, { readonly type: "call" }>): Generator<typeof YIELD, void> {
    const call = yield* this.#options.restorer.restore(written);
    const event = { type: "call", at, call } as const;
    const { raw, origin: family } = call;
    if (raw === "" && this.#last?.at === at) {
      // A further call of the same span.
      if (!this.#last.quotation) this.#ready.push(event);
      else this.#last.quotation.calls.push(call);
      return;
    }
    const time = yield* this.#findSpan(raw);
    const callTime = time === undefined ? undefined : yield* this.#timeOfCall(call);
    if (time === undefined || (callTime !== undefined && callTime < time)) {
      this.#last = { at, quotation: undefined };
      this.#releaseEarlier();
      this.#hasSpoken = true;
      this.#releaseHeld();
      this.#ready.push(event);
      return;
    }
    this.#quote({ at, text: raw, calls: [call], family }, true);
  }

  *#readIssue(event: Extract<ParserEvent, { readonly type: "issue" }>): Generator<typeof YIELD, void> {
    const { code, raw = "", at = -1, family } = event.issue;
    const isQuoted = at >= 0 && isCallIssue(code) && (yield* this.#findSpan(raw)) !== undefined;
    if (isQuoted) {
      // An approver cannot agree to text that could not be read as a call.
      this.#hasSpoken = true;
      this.#quote({ at, text: raw, calls: [], family }, true);
      return;
    }
    this.#last = undefined;
    this.#releaseEarlier();
    if (isCallIssue(code)) {
      this.#hasSpoken = true;
      this.#releaseHeld();
    }
    this.#ready.push(event);
  }

  /** Emits a quotation together with the text directly before it. */
  #quote(quotation: Quotation, isSpan: boolean): void {
    const before = this.#before;
    this.#before = [];
    const isJoined = this.#hasSpoken || before.some(({ why }) => why === "preview");
    const textEvent = isJoined ? before.map(({ raw }) => raw).join("") : "";
    if (!isJoined) for (const event of before) this.#ready.push(event);
    const joinedQuotation = { ...quotation, at: isJoined ? (before[0]?.at ?? quotation.at) : quotation.at };
    const reported = { ...joinedQuotation, text: textEvent + quotation.text };
    if (isSpan) {
      this.#last = { at: quotation.at, quotation };
      this.#span = quotation.text;
      this.#end = quotation.at + quotation.text.length;
    }
    if (this.#askedCalls && !this.#hasSpoken) {
      this.#quotations.push(reported);
      return;
    }
    this.#releaseHeld();
    this.#reportQuotation(reported, isSpan);
  }

  #reportQuotation({ at, text, calls, family }: Quotation, isSpan = text !== ""): void {
    this.#hasSpoken ||= text.trim() !== "";
    this.#ready.push({ type: "text", at, text });
    if (isSpan) this.#ready.push({ type: "issue", issue: quotedCall(calls[0]?.name, family) });
  }

  #releaseHeld(): void {
    const quotations = this.#quotations;
    this.#quotations = [];
    for (const quotation of quotations) this.#reportQuotation(quotation, quotation.calls.length > 0);
  }

  /** The answer contained only quotations. They become calls that need an approval if all their tools are the gateway's, otherwise content. */
  #settleHeld(): void {
    const { ownName } = this.#options;
    const calls = this.#quotations.flatMap((one) => one.calls);
    const isAsked = calls.length > 0 && calls.every(({ name }) => this.#askedCalls?.has(ownName(name)));
    if (!isAsked) {
      this.#releaseHeld();
      return;
    }
    for (const { at, calls, family } of this.#quotations) {
      const [first] = calls;
      if (first) this.#ready.push({ type: "issue", issue: quotedCall(first.name, family) });
      for (const call of calls) this.#ready.push({ type: "call", at, call: { ...call, isQuoted: true } });
    }
    this.#quotations = [];
  }

  #releaseEarlier(): void {
    for (const event of this.#before) this.#ready.push(event);
    this.#before = [];
  }

  #noteWords({ type, ...event }: ParserEvent): void {
    if (!this.#hasSpoken && type === "text" && "text" in event) this.#hasSpoken = event.text.trim() !== "";
  }

  /** Time of the first source that contains the span, with or without its code fence and closing markers. */
  *#findSpan(span: string): Generator<typeof YIELD, number | undefined> {
    this.#timeline ??= readTimeline(this.#options.conversation);
    this.#spans ??= new QuotedSpans(this.#timeline.texts);
    for (const form of spanForms(span)) {
      const time = yield* this.#spans.firstTime(form);
      if (time !== undefined) return time;
    }
    return undefined;
  }

  *#timeOfCall(call: ToolCall): Generator<typeof YIELD, number | undefined> {
    const ownKey = callKey({ name: this.#options.ownName(call.name), arguments: call.arguments });
    this.#callTimes ??= yield* this.#timesOfCalls();
    return this.#callTimes.get(ownKey);
  }

  *#timesOfCalls(): Generator<typeof YIELD, Map<string, number>> {
    const pace = new YieldBudget(SLICE);
    const times = new Map<string, number>();
    for (const { time, call } of this.#timeline?.calls ?? []) {
      if (pace.isDue(call.arguments.length)) yield YIELD;
      const key = callKey(call);
      if (!times.has(key)) times.set(key, time);
    }
    return times;
  }
}

function isWords({ type }: ParserEvent): boolean {
  return type === "text" || type === "reasoning";
}

function quotedCall(tool: string | undefined, family: string | undefined): FormatIssue {
  const toolPart = tool === undefined ? "" : ` of ${tool}`;
  return {
    code: "quoted-call",
    message: `The text of a call${toolPart} stands in a tool's result or in the task that this agent was given: it is a quotation, and was not taken as a call.`,
    ...(tool !== undefined && { tool }),
    ...(family !== undefined && { family }),
  };
}

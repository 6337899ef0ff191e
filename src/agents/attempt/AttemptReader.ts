// Reads one model call: parses its text, assembles and validates its structured calls, and emits each call once.

import { YIELD } from "../../core/async/yieldToEventLoop.ts";
import { ExtraAccumulator } from "../../core/events/ExtraAccumulator.ts";
import type { Extra, ModelEnd, RenamedTool } from "../../core/events/events.ts";
import { isRefusal } from "../../core/events/refusals.ts";
import type { FastLaneParser, TextFastLane, TextKind } from "../../core/events/TextFastLane.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import type { Clock } from "../../core/ports.ts";
import type { OutputFormat } from "../../core/requests.ts";
import { allowsFractions, createOutputParser, type TextReading } from "../../formats/createOutputParser.ts";
import type { Slice } from "../../formats/MultiFormatOutputParser.ts";
import type { ParserEvent } from "../../formats/state/ParserEvent.ts";
import type { CallFragment } from "../../models/response/callFragments.ts";
import { ToolCallAssembler } from "../../models/response/ToolCallAssembler.ts";
import type { AttemptEvent } from "../Agent.ts";
import { QuoteFilter, type QuoteOptions } from "../quotes/QuoteFilter.ts";
import { CallIdAllocator } from "./CallIdAllocator.ts";
import { createRunawayIssue, EqualCalls, stopAtRunaway } from "./detectRunaway.ts";
import { NativeCallReader } from "./NativeCallReader.ts";
import { stripLogprobs } from "./stripLogprobs.ts";
import { TimedParser } from "./TimedParser.ts";
import { aliasTools } from "./toolAliases.ts";

export interface AttemptReading {
  /** Its `reasoningOpened` is ignored if the upstream separates the reasoning itself. */
  readonly text: TextReading;
  /** The required format of the answer, if any. */
  readonly output: OutputFormat;
  /** Ids of the calls in the conversation. */
  readonly usedIds: Iterable<string>;
  /** True if each call needs a unique id, even if everything else is passed on unchanged. */
  readonly ownIds: boolean;
  /** Texts that calls in the answer may be quoted from; absent: none. */
  readonly quotes?: Omit<QuoteOptions, "ownName"> | undefined;
  /** `off`: everything is passed on unchanged. */
  readonly parse: ModelCapabilities["parse"];
  /** Stop texts of the client, and the function that ends the answer at one; absent: only the upstream ends the answer. */
  readonly stop?: { readonly texts: readonly string[]; readonly end: () => Promise<ModelEnd> } | undefined;
  /** Fast path that is given this reader. */
  readonly ahead?: TextFastLane | undefined;
  /** Aborts the reading between two slices. */
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called once at the end with the milliseconds spent on parsing the model's text, if there was any. */
  readonly onParsed?: ((ms: number) => void) | undefined;
}

/** Events, with a yield marker where an event-loop tick is due. */
export type AttemptSteps = Generator<AttemptEvent | typeof YIELD, void, undefined>;

export class AttemptReader implements FastLaneParser {
  /** True once the answer has repeated a call too often. */
  ranAway = false;
  /** True once the upstream has sent reasoning in its own field. */
  splitUpstream = false;
  #reading: AttemptReading;
  readonly #ids: CallIdAllocator;
  #native: NativeCallReader;
  #assembler: ToolCallAssembler | undefined;
  readonly #equalCalls = new EqualCalls();
  readonly #structured = new EqualCalls();
  #parser: TimedParser | undefined;
  /** Absent if no call can be a quotation. */
  #quotes: QuoteFilter | undefined;
  /** The request's tool names by the names that the model was shown; absent if they are equal. */
  #ownNames: ReadonlyMap<string, string> | undefined;
  /** True once the text has repeated a call too often; the rest of it is not read. */
  #looped = false;
  /** Provider fields that wait for the text they arrived with. */
  readonly #extra = new ExtraAccumulator();

  constructor(reading: AttemptReading) {
    this.#reading = reading;
    this.#ids = new CallIdAllocator(reading.text.ids, reading.usedIds);
    this.#native = this.#readsNative();
  }

  /** Returns true if this text would be emitted at once and unchanged. */
  isPlainText(kind: TextKind, text: string): boolean {
    if (kind === "reasoning") return this.splitUpstream;
    return !this.#looped && (this.#parser?.isPlainText(text) ?? false);
  }

  /** Must be called before anything is read. Calls are then read and emitted by the names that the model was shown. */
  rename(renamed: readonly RenamedTool[]): void {
    const { text } = this.#reading;
    this.#reading = { ...this.#reading, text: { ...text, tools: aliasTools(text.tools, renamed) } };
    this.#ownNames = new Map(renamed.map(({ name, shown }) => [shown, name]));
    this.#native = this.#readsNative();
  }

  /** Milliseconds spent on parsing the model's text; undefined if there was none. */
  get parseMs(): number | undefined {
    return this.#parser?.ms;
  }

  /** Adds finished events to `ready`. Returns the remaining steps if the work is long. */
  text(text: string, extra: readonly Extra[] = NO_EXTRA, ready: AttemptEvent[]): AttemptSteps | undefined {
    if (text === "") {
      this.#besideNoText(extra, ready);
      return undefined;
    }
    const slice = this.#parserNow().feedSlice(text);
    if (slice.more) return this.#slices(slice, extra);
    this.#lastSlice(slice.events, extra, ready);
    return undefined;
  }

  fragment(fragment: CallFragment): void {
    this.#assembler ??= new ToolCallAssembler();
    this.#quotes?.askNobody();
    const before = this.#assembler.add(fragment);
    if (before && this.#structured.add(before)) this.ranAway = true;
  }

  *end(finishReason: string | null): AttemptSteps {
    if (!this.#looped) yield* this.#finish(finishReason);
    const rest = stripLogprobs(this.#extra.take());
    if (rest.length > 0) yield { type: "text", text: "", extra: rest };
    if (!this.#assembler) return;
    const restorer = this.#reading.quotes?.restorer;
    const { calls, tooMany } = yield* stopAtRunaway(this.#assembler.calls());
    const isCut = finishReason === "length" || finishReason === "content_filter";
    for (const event of this.#native.readCalls(calls, isCut && !tooMany)) {
      if (event === YIELD || event.type !== "call" || !restorer) yield event;
      else yield { type: "call", call: yield* restorer.restore(event.call) };
    }
    if (tooMany) yield { type: "issue", issue: createRunawayIssue(tooMany, "native") };
  }

  /** Ends a broken stream: buffered text becomes text, and an unfinished call is dropped. */
  *endCut(): AttemptSteps {
    yield* this.#finish("length");
  }

  /**
   * Message fields that arrive during reasoning are emitted at once, because some clients show the reasoning from them. A
   * refusal is emitted at once too, because no text follows it.
   */
  #besideNoText(extra: readonly Extra[], ready: AttemptEvent[]): void {
    const now = extra.filter((one) => isRefusal(one) || (this.splitUpstream && one.level === "delta"));
    this.#extra.add(extra.filter((one) => !now.includes(one)));
    if (now.length > 0) ready.push({ type: "text", text: "", extra: now });
  }

  *#slices(first: Slice, extra: readonly Extra[]): AttemptSteps {
    let markup = false;
    let slice = first;
    for (; slice.more; slice = this.#parserNow().nextSlice()) {
      markup ||= slice.events.some(isMarkup);
      yield* this.#passed(slice.events);
      yield YIELD;
    }
    const ready: AttemptEvent[] = [];
    this.#lastSlice(slice.events, markup ? stripLogprobs(extra) : extra, ready);
    yield* ready;
  }

  /** Provider fields go with the last text event of their chunk. */
  #lastSlice(events: readonly ParserEvent[], extra: readonly Extra[], ready: AttemptEvent[]): void {
    if (extra.length === 0) {
      for (const event of events) this.#pass(event, ready);
      return;
    }
    // Log-probabilities of markup would be read as those of the adjacent content.
    const ownExtra = events.some(isMarkup) ? stripLogprobs(extra) : extra;
    const last = Math.max(
      events.findLastIndex(({ type }) => type === "text"),
      0,
    );
    for (const [at, event] of events.entries()) {
      if (at === last) this.#extra.add(ownExtra);
      this.#pass(event, ready);
    }
    if (events.length === 0) this.#extra.add(ownExtra);
  }

  *#finish(finishReason: string | null): AttemptSteps {
    if (!this.#parser) return;
    for (let slice = this.#parser.finishSlice(finishReason); ; slice = this.#parser.nextSlice()) {
      yield* this.#passed(slice.events);
      if (this.#looped || !slice.more) return;
      yield YIELD;
    }
  }

  /** Created at the first text, because only then is it known if the upstream separates the reasoning itself. */
  #parserNow(): TimedParser {
    if (this.#parser) return this.#parser;
    const { text, output, clock, quotes } = this.#reading;
    const reasoningOpened = text.reasoningOpened && !this.splitUpstream;
    const parser = createOutputParser({ ...text, reasoningOpened }, output);
    const ownName = (name: string): string => this.#ownNames?.get(name) ?? name;
    this.#quotes = quotes && new QuoteFilter(parser, { ...quotes, ownName });
    if (this.#assembler) this.#quotes?.askNobody();
    this.#parser = new TimedParser(this.#quotes ?? parser, clock);
    return this.#parser;
  }

  #readsNative(): NativeCallReader {
    const { tools, callsAllowed, model } = this.#reading.text;
    return new NativeCallReader({ tools, ids: this.#ids, allowed: callsAllowed, fractions: allowsFractions(model) });
  }

  #passed(events: readonly ParserEvent[]): readonly AttemptEvent[] {
    const ready: AttemptEvent[] = [];
    for (const event of events) this.#pass(event, ready);
    return ready;
  }

  #pass(event: ParserEvent, ready: AttemptEvent[]): void {
    if (this.#looped) return;
    switch (event.type) {
      case "text": {
        const extra = this.#extra.take();
        ready.push(extra.length > 0 ? { ...event, extra } : event);
        return;
      }
      case "call":
        this.#forgetLogprobs();
        this.#passCall(event, ready);
        return;
      case "reasoning":
      case "issue":
      case "dropped":
        this.#forgetLogprobs();
        ready.push(event);
        return;
      default:
        event satisfies never;
    }
  }

  /** Buffered text that turns out to be markup drops its log-probabilities. */
  #forgetLogprobs(): void {
    this.#extra.removeField("logprobs");
  }

  #passCall(event: Extract<ParserEvent, { type: "call" }>, ready: AttemptEvent[]): void {
    if (this.#equalCalls.add(event.call)) {
      this.#looped = true;
      this.ranAway = true;
      ready.push({ type: "issue", issue: createRunawayIssue(event.call, event.call.origin) });
      return;
    }
    const call = { ...event.call, id: this.#ids.allocate(event.call.id) };
    this.#native.leaked(call);
    ready.push({ type: "call", call });
  }
}

const NO_EXTRA: readonly Extra[] = [];

function isMarkup(event: ParserEvent): boolean {
  return event.type !== "text";
}

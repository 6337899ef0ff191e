// Converts accepted characters, markers, calls and issues to parser events. Applies all rules about white space and waiting calls.

import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { Ids } from "../../core/ports.ts";
import { callKey } from "../../core/runs/callKey.ts";
import { NEWLINE, RETURN } from "../scanner/charCodes.ts";
import { isBlank } from "../scanner/whitespace.ts";
import { asText, type ParserEvent, UNREPORTED_ISSUE } from "./ParserEvent.ts";
import { TextSpan } from "./TextSpan.ts";

/** Maximum newlines before a marker that count as the template's own; more than that is data. */
const GLUE_LIMIT = 64;

/** Maximum issues of one turn that are reported. Further ones repeat the same failure, and each costs memory. */
const MOST_ISSUES = 1_000;

/** Maximum markers at the start of a text. A text of more of them and nothing else is content: the model wrote no other answer. */
const MOST_LEADING_MARKS = 16;

/** Maximum calls that a text may repeat with markers: no model repeats more of them, and the comparison costs time. */
const MOST_PREVIEWED = 1_000;

/** Calls that leave in one slice: some 5 ms. */
const BATCH_CALLS = 10_000;

const NONE: readonly ParserEvent[] = [];

type Channel = "text" | "reasoning";

/** A candidate that fits, before it has its id. */
export interface FittedCall extends Omit<ToolCall, "id"> {
  readonly id?: string | undefined;
}

/**
 * White space (design §5): leading white space waits for a visible character; the last ≤ 64 newlines wait in case a marker
 * follows, which makes them glue; white space after a call waits for visible text; a channel of white space alone is nothing.
 */
export class TextSink {
  /** Number of calls that were emitted or wait. */
  callCount = 0;
  channel: Channel = "text";
  readonly #ids: Pick<Ids, "callId">;
  readonly #usedIds = new Set<string>();
  #events: ParserEvent[] = [];
  /** Calls that leave in several slices. */
  #batch: CallBatch | undefined;
  /** Calls without markers that the following text may repeat. */
  #deferred: WaitingCalls | undefined;
  /** Characters of the channel that are not an event yet: one input chunk gives one output event, even if a marker might have begun in it. */
  readonly #unsentText = new TextSpan();
  /** White space that waits for the next text. */
  readonly #pendingBlanks = new TextSpan();
  /** True if all white space waits, not only newlines: at the start of a channel and after a call. */
  #holdsAllBlanks = true;
  /** True if newlines at the start of the channel are glue: after a reasoning marker. */
  #dropsLeadingNewlines = false;
  #issueCount = 0;
  /** True while the text has been markup alone, which waits for the text after it. */
  #isMarkupOnly = true;

  constructor(ids: Pick<Ids, "callId">) {
    this.#ids = ids;
  }

  /** The events since the last call, up to a place that waits. */
  drain(): readonly ParserEvent[] {
    this.#flush();
    const calls = this.#batch ? this.#takeCalls(this.#batch) : NONE;
    if (this.#batch) return calls;
    return calls.length > 0 ? [...calls, ...this.#takeRest()] : this.#takeRest();
  }

  /** True if calls remain for the next `drain`, before anything else. */
  get hasMoreCalls(): boolean {
    return this.#batch !== undefined;
  }

  /** Takes the events before the batch, and as many of its calls as one slice allows. */
  #takeCalls(batch: CallBatch): readonly ParserEvent[] {
    const { calls, raw, at, position, next } = batch;
    const events = this.#events.splice(0, position);
    if (this.#deferred) this.#deferred.position -= position;
    const end = Math.min(calls.length, next + BATCH_CALLS);
    for (let index = next; index < end; index += 1) {
      const call = calls[index];
      if (call) events.push({ type: "call", at, call: this.#assignId({ ...call, raw: index === 0 ? raw : "" }) });
    }
    this.#batch = end < calls.length ? { ...batch, position: 0, next: end } : undefined;
    return events;
  }

  #takeRest(): readonly ParserEvent[] {
    if (this.#events.length === 0 || this.#isMarkupOnly) return NONE;
    const events = this.#events;
    this.#events = this.#deferred ? events.splice(this.#deferred.position) : [];
    if (this.#deferred) this.#deferred.position = 0;
    return events;
  }

  /** True once the current channel has shown a visible character since it was entered. */
  get hasVisibleText(): boolean {
    return !this.#holdsAllBlanks;
  }

  /** True if visible text would be emitted at once, and all text before it was emitted. */
  get isFlowing(): boolean {
    return this.channel === "text" && !this.#holdsAllBlanks && this.#pendingBlanks.text === "" && !this.#deferred;
  }

  /** Appends characters to the current channel; `at` is the offset of the first. */
  write(text: string, at: number): void {
    const leadingBlanks = this.#holdsAllBlanks ? countLeading(text, isBlank) : 0;
    if (leadingBlanks > 0) this.#pendingBlanks.append(text.slice(0, leadingBlanks), at);
    if (leadingBlanks === text.length) return;
    if (this.#holdsAllBlanks) {
      this.emitDeferredCalls();
      if (this.#dropsLeadingNewlines)
        this.drop(...this.#pendingBlanks.take(countLeading(this.#pendingBlanks.text, isNewline)), "glue");
      this.#holdsAllBlanks = false;
      this.#dropsLeadingNewlines = false;
    }
    const end = text.length - countTrailingNewlines(text);
    if (end > leadingBlanks) {
      this.#pendingBlanks.moveTo(this.#unsentText);
      this.#unsentText.append(text.slice(leadingBlanks, end), at + leadingBlanks);
    }
    if (end === text.length) return;
    const from = Math.max(leadingBlanks, end);
    this.#pendingBlanks.append(text.slice(from), at + from);
    // More newlines than a template writes: the surplus is data.
    const excess = this.#pendingBlanks.text.length - GLUE_LIMIT;
    if (excess > 0) this.#pendingBlanks.moveTo(this.#unsentText, excess);
  }

  /** Handles a marker: the newlines before it are glue. Spaces stay if visible text precedes them. */
  dropGlue(): void {
    const { text } = this.#pendingBlanks;
    if (text === "") return;
    const glue = this.#holdsAllBlanks ? text.length : Math.min(countTrailingNewlines(text), GLUE_LIMIT);
    this.#pendingBlanks.moveTo(this.#unsentText, text.length - glue);
    this.drop(...this.#pendingBlanks.take(), "glue");
  }

  /** Switches the channel at a marker. Newlines after it are glue, unless they separate it from text of the channel before the marker. */
  enterChannel(channel: Channel, dropsNewlines = true): void {
    this.dropGlue();
    this.#flush();
    this.channel = channel;
    this.#holdsAllBlanks = true;
    this.#dropsLeadingNewlines = dropsNewlines;
  }

  /** Emits an answer in another form than `raw`, which starts at `at`. */
  emitAnswer(text: string, raw: string, at: number): void {
    this.emitDeferredCalls();
    this.dropGlue();
    if (text.trim() === "") this.drop(raw, at, "blank");
    else this.#push({ type: this.channel, at, text, raw });
    this.#holdsAllBlanks = true;
  }

  /** Emits a call whose raw text starts at `at`. If it equals a waiting call, it is that call. */
  emitCall(call: FittedCall, at: number): void {
    const repeated = this.#deferred?.byContent.get(callKey(call))?.pop();
    const isRepeated = repeated !== undefined && this.#deferred?.remaining.delete(repeated) === true;
    if (!isRepeated) this.callCount += 1;
    if (!isRepeated || this.#deferred?.remaining.size === 0) this.emitDeferredCalls();
    this.dropGlue();
    this.#push({ type: "call", at, call: this.#assignId(call) });
    this.#holdsAllBlanks = true;
    this.#dropsLeadingNewlines = false;
  }

  /** Reserves a position for calls that wait for the text after them. Nothing after them is emitted before their result is certain. */
  deferCalls(calls: readonly FittedCall[], raw: string, at: number): void {
    this.emitDeferredCalls();
    this.callCount += calls.length;
    this.dropGlue();
    this.#flush();
    this.#isMarkupOnly = false;
    this.#holdsAllBlanks = true;
    this.#dropsLeadingNewlines = false;
    if (calls.length > MOST_PREVIEWED && !this.#batch) {
      this.#batch = { calls, raw, at, position: this.#events.length, next: 0 };
      return;
    }
    const repeated = Map.groupBy(calls, callKey);
    this.#deferred = { remaining: new Set(calls), byContent: repeated, raw, at, position: this.#events.length };
  }

  /** The raw text of all of them is the first one's. */
  #pushCalls(calls: Iterable<FittedCall>, raw: string, at: number): void {
    let rest = raw;
    for (const call of calls) {
      this.#events.push({ type: "call", at, call: this.#assignId({ ...call, raw: rest }) });
      rest = "";
    }
  }

  /** Emits the waiting calls: the text after them is something else. */
  emitDeferredCalls(): void {
    const deferred = this.#deferred;
    if (!deferred) return;
    const { remaining, raw, at, position } = deferred;
    this.#deferred = undefined;
    const followingEvents = this.#events.splice(position);
    if (remaining.size === 0) this.#events.push({ type: "dropped", at, raw, why: "preview" });
    this.#pushCalls(remaining, raw, at);
    for (const event of followingEvents) this.#events.push(event);
  }

  emitIssue(issue: FormatIssue): void {
    this.emitDeferredCalls();
    if (issue.raw !== undefined) {
      this.dropGlue();
      this.#holdsAllBlanks = true;
    }
    this.#issueCount += 1;
    if (this.#issueCount <= MOST_ISSUES || issue.at === undefined) this.#push({ type: "issue", issue });
    else this.drop(issue.raw ?? "", issue.at, UNREPORTED_ISSUE);
  }

  /** Records markup that is not emitted. */
  drop(raw: string, at: number, reason: string): void {
    if (raw === "") return;
    this.#flush();
    const last = this.#isMarkupOnly && this.#events.length > MOST_LEADING_MARKS ? this.#events.pop() : undefined;
    if (last?.type === "dropped") this.#events.push({ ...last, raw: last.raw + raw });
    else this.#events.push({ type: "dropped", at, raw, why: reason });
  }

  /** Ends the leading markup: prose is dropped too from here on, in pieces of any size, and text dropped before is not the answer. */
  endMarkup(): void {
    this.#isMarkupOnly = false;
  }

  /** Ends the text: waiting white space is content if visible text precedes it, else nothing. */
  endText(): void {
    this.emitDeferredCalls();
    if (this.#holdsAllBlanks) this.drop(...this.#pendingBlanks.take(), "blank");
    else this.#pendingBlanks.moveTo(this.#unsentText);
    this.#flush();
    if (this.#isMarkupOnly && this.#events.length > MOST_LEADING_MARKS) this.#events = [asText(this.#events)];
    this.#isMarkupOnly = false;
  }

  #flush(): void {
    if (this.#unsentText.text === "") return;
    const [text, at] = this.#unsentText.take();
    // Text built character by character is a rope. One read flattens it here, so that the consumer does not pay for all ropes at once.
    text.charCodeAt(0);
    this.#isMarkupOnly = false;
    this.#events.push({ type: this.channel, at, text });
  }

  #push(event: ParserEvent): void {
    this.#flush();
    this.#isMarkupOnly = false;
    this.#events.push(event);
  }

  /** Assigns the wire's id if it is valid and new, else a new one. */
  #assignId(call: FittedCall): ToolCall {
    const { id: wireId } = call;
    const isUsable = wireId !== undefined && /^[\w.:-]{1,64}$/.test(wireId) && !this.#usedIds.has(wireId);
    if (!isUsable) return { ...call, id: this.#ids.callId() };
    this.#usedIds.add(wireId);
    return { ...call, id: wireId };
  }
}

/** Calls of one run beyond the number that may wait. */
interface CallBatch {
  readonly calls: readonly FittedCall[];
  readonly raw: string;
  readonly at: number;
  /** The event before which they stand. */
  readonly position: number;
  /** Index of the first call that was not emitted. */
  readonly next: number;
}

/** Calls that have been read and wait for the text after them: a call with markers and the same content is the same call. */
interface WaitingCalls {
  readonly remaining: Set<FittedCall>;
  /** Waiting calls by their content: a lookup costs the length of one call, however many wait. */
  readonly byContent: ReadonlyMap<string, FittedCall[]>;
  readonly raw: string;
  readonly at: number;
  /** Position in the events. */
  position: number;
}

function isNewline(code: number): boolean {
  return code === NEWLINE || code === RETURN;
}

/** Number of characters of that kind at the start of a text. */
function countLeading(text: string, isCounted: (code: number) => boolean): number {
  let i = 0;
  while (i < text.length && isCounted(text.charCodeAt(i))) i += 1;
  return i;
}

function countTrailingNewlines(text: string): number {
  let i = text.length;
  while (i > 0 && isNewline(text.charCodeAt(i - 1))) i -= 1;
  return text.length - i;
}

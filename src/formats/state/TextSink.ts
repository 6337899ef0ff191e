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
  #waiting: WaitingCalls | undefined;
  /** Characters of the channel that are not an event yet: one input chunk gives one output event, even if a marker might have begun in it. */
  readonly #run = new TextSpan();
  /** White space that waits for the next text. */
  readonly #pending = new TextSpan();
  /** True if all white space waits, not only newlines: at the start of a channel and after a call. */
  #holdAll = true;
  /** True if newlines at the start of the channel are glue: after a reasoning marker. */
  #gluedStart = false;
  #issues = 0;
  /** True while the text has been markup alone, which waits for the text after it. */
  #isMarkup = true;

  constructor(ids: Pick<Ids, "callId">) {
    this.#ids = ids;
  }

  /** The events since the last call, up to a place that waits. */
  drain(): readonly ParserEvent[] {
    this.#flush();
    const calls = this.#batch ? this.#takeCalls(this.#batch) : NONE;
    if (this.#batch) return calls;
    return calls.length > 0 ? [...calls, ...this.#drainRest()] : this.#drainRest();
  }

  /** True if calls remain for the next `drain`, before anything else. */
  get holdsCalls(): boolean {
    return this.#batch !== undefined;
  }

  /** Takes the events before the batch, and as many of its calls as one slice allows. */
  #takeCalls(batch: CallBatch): readonly ParserEvent[] {
    const { calls, raw, at, place, next } = batch;
    const events = this.#events.splice(0, place);
    if (this.#waiting) this.#waiting.place -= place;
    const end = Math.min(calls.length, next + BATCH_CALLS);
    for (let index = next; index < end; index += 1) {
      const call = calls[index];
      if (call) events.push({ type: "call", at, call: this.#withId({ ...call, raw: index === 0 ? raw : "" }) });
    }
    this.#batch = end < calls.length ? { ...batch, place: 0, next: end } : undefined;
    return events;
  }

  #drainRest(): readonly ParserEvent[] {
    if (this.#events.length === 0 || this.#isMarkup) return NONE;
    const events = this.#events;
    this.#events = this.#waiting ? events.splice(this.#waiting.place) : [];
    if (this.#waiting) this.#waiting.place = 0;
    return events;
  }

  /** True once the current channel has shown a visible character since it was entered. */
  get hasVisible(): boolean {
    return !this.#holdAll;
  }

  /** True if visible text would be emitted at once, and all text before it was emitted. */
  get flows(): boolean {
    return this.channel === "text" && !this.#holdAll && this.#pending.text === "" && !this.#waiting;
  }

  /** Appends characters to the current channel; `at` is the offset of the first. */
  write(text: string, at: number): void {
    const blank = this.#holdAll ? leading(text, isBlank) : 0;
    if (blank > 0) this.#pending.append(text.slice(0, blank), at);
    if (blank === text.length) return;
    if (this.#holdAll) {
      this.leave();
      if (this.#gluedStart) this.drop(...this.#pending.take(leading(this.#pending.text, isNewline)), "glue");
      this.#holdAll = false;
      this.#gluedStart = false;
    }
    const end = text.length - trailingNewlines(text);
    if (end > blank) {
      this.#pending.moveTo(this.#run);
      this.#run.append(text.slice(blank, end), at + blank);
    }
    if (end === text.length) return;
    const from = Math.max(blank, end);
    this.#pending.append(text.slice(from), at + from);
    // More newlines than a template writes: the surplus is data.
    const surplus = this.#pending.text.length - GLUE_LIMIT;
    if (surplus > 0) this.#pending.moveTo(this.#run, surplus);
  }

  /** Handles a marker: the newlines before it are glue. Spaces stay if visible text precedes them. */
  mark(): void {
    const { text } = this.#pending;
    if (text === "") return;
    const glue = this.#holdAll ? text.length : Math.min(trailingNewlines(text), GLUE_LIMIT);
    this.#pending.moveTo(this.#run, text.length - glue);
    this.drop(...this.#pending.take(), "glue");
  }

  /** Switches the channel at a marker. Newlines after it are glue, unless they separate it from text of the channel before the marker. */
  enter(channel: Channel, glued = true): void {
    this.mark();
    this.#flush();
    this.channel = channel;
    this.#holdAll = true;
    this.#gluedStart = glued;
  }

  /** Emits an answer in another form than `raw`, which starts at `at`. */
  answer(text: string, raw: string, at: number): void {
    this.leave();
    this.mark();
    if (text.trim() === "") this.drop(raw, at, "blank");
    else this.#push({ type: this.channel, at, text, raw });
    this.#holdAll = true;
  }

  /** Emits a call whose raw text starts at `at`. If it equals a waiting call, it is that call. */
  call(call: FittedCall, at: number): void {
    const same = this.#waiting?.same.get(callKey(call))?.pop();
    const isSame = same !== undefined && this.#waiting?.left.delete(same) === true;
    if (!isSame) this.callCount += 1;
    if (!isSame || this.#waiting?.left.size === 0) this.leave();
    this.mark();
    this.#push({ type: "call", at, call: this.#withId(call) });
    this.#holdAll = true;
    this.#gluedStart = false;
  }

  /** Reserves a position for calls that wait for the text after them. Nothing after them is emitted before their result is certain. */
  defer(calls: readonly FittedCall[], raw: string, at: number): void {
    this.leave();
    this.callCount += calls.length;
    this.mark();
    this.#flush();
    this.#isMarkup = false;
    this.#holdAll = true;
    this.#gluedStart = false;
    if (calls.length > MOST_PREVIEWED && !this.#batch) {
      this.#batch = { calls, raw, at, place: this.#events.length, next: 0 };
      return;
    }
    const same = Map.groupBy(calls, callKey);
    this.#waiting = { left: new Set(calls), same, raw, at, place: this.#events.length };
  }

  /** The raw text of all of them is the first one's. */
  #pushCalls(calls: Iterable<FittedCall>, raw: string, at: number): void {
    let rest = raw;
    for (const call of calls) {
      this.#events.push({ type: "call", at, call: this.#withId({ ...call, raw: rest }) });
      rest = "";
    }
  }

  /** Emits the waiting calls: the text after them is something else. */
  leave(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const { left, raw, at, place } = waiting;
    this.#waiting = undefined;
    const later = this.#events.splice(place);
    if (left.size === 0) this.#events.push({ type: "dropped", at, raw, why: "preview" });
    this.#pushCalls(left, raw, at);
    for (const event of later) this.#events.push(event);
  }

  issue(issue: FormatIssue): void {
    this.leave();
    if (issue.raw !== undefined) {
      this.mark();
      this.#holdAll = true;
    }
    this.#issues += 1;
    if (this.#issues <= MOST_ISSUES || issue.at === undefined) this.#push({ type: "issue", issue });
    else this.drop(issue.raw ?? "", issue.at, UNREPORTED_ISSUE);
  }

  /** Records markup that is not emitted. */
  drop(raw: string, at: number, why: string): void {
    if (raw === "") return;
    this.#flush();
    const last = this.#isMarkup && this.#events.length > MOST_LEADING_MARKS ? this.#events.pop() : undefined;
    if (last?.type === "dropped") this.#events.push({ ...last, raw: last.raw + raw });
    else this.#events.push({ type: "dropped", at, raw, why });
  }

  /** Ends the leading markup: prose is dropped too from here on, in pieces of any size, and text dropped before is not the answer. */
  endMarkup(): void {
    this.#isMarkup = false;
  }

  /** Ends the text: waiting white space is content if visible text precedes it, else nothing. */
  end(): void {
    this.leave();
    if (this.#holdAll) this.drop(...this.#pending.take(), "blank");
    else this.#pending.moveTo(this.#run);
    this.#flush();
    if (this.#isMarkup && this.#events.length > MOST_LEADING_MARKS) this.#events = [asText(this.#events)];
    this.#isMarkup = false;
  }

  #flush(): void {
    if (this.#run.text === "") return;
    const [text, at] = this.#run.take();
    // Text built character by character is a rope. One read flattens it here, so that the consumer does not pay for all ropes at once.
    text.charCodeAt(0);
    this.#isMarkup = false;
    this.#events.push({ type: this.channel, at, text });
  }

  #push(event: ParserEvent): void {
    this.#flush();
    this.#isMarkup = false;
    this.#events.push(event);
  }

  /** Assigns the wire's id if it is valid and new, else a new one. */
  #withId(call: FittedCall): ToolCall {
    const { id: wireId } = call;
    const isLegal = wireId !== undefined && /^[\w.:-]{1,64}$/.test(wireId) && !this.#usedIds.has(wireId);
    if (!isLegal) return { ...call, id: this.#ids.callId() };
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
  readonly place: number;
  /** Index of the first call that was not emitted. */
  readonly next: number;
}

/** Calls that have been read and wait for the text after them: a call with markers and the same content is the same call. */
interface WaitingCalls {
  readonly left: Set<FittedCall>;
  /** Waiting calls by their content: a lookup costs the length of one call, however many wait. */
  readonly same: ReadonlyMap<string, FittedCall[]>;
  readonly raw: string;
  readonly at: number;
  /** Position in the events. */
  place: number;
}

function isNewline(code: number): boolean {
  return code === NEWLINE || code === RETURN;
}

/** Number of characters of that kind at the start of a text. */
function leading(text: string, belongs: (code: number) => boolean): number {
  let i = 0;
  while (i < text.length && belongs(text.charCodeAt(i))) i += 1;
  return i;
}

function trailingNewlines(text: string): number {
  let i = text.length;
  while (i > 0 && isNewline(text.charCodeAt(i - 1))) i -= 1;
  return text.length - i;
}

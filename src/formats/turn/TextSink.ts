// Turns accepted characters, marks, calls and issues into parser events, and owns every rule about white space.
// Knows nothing of formats.

import type { FormatIssue } from "../../core/issues.ts";
import type { ToolCall } from "../../core/messages.ts";
import { NEWLINE, RETURN } from "../text/codes.ts";
import { isBlank } from "../text/whiteSpace.ts";
import { type ParserEvent, UNREPORTED_ISSUE } from "./ParserEvent.ts";

/** Newlines before a mark that count as the template's own; more than that is data. */
const GLUE_LIMIT = 64;

/** Issues of one turn that are reported: what failed a thousand times fails in the same way again, and each costs memory in every room. */
const MOST_ISSUES = 1_000;

type Channel = "text" | "reasoning";

/**
 * White space (design §5): leading white space waits for a visible character; the last ≤ 64 newlines wait in case a mark
 * follows, which makes them glue; white space after a call waits for visible text; a channel of white space alone is nothing.
 */
export class TextSink {
  readonly #events: ParserEvent[] = [];
  /** Where in them the calls belong that wait. */
  #waitingAt: number | undefined;
  /** Neighbouring characters of one channel that are not an event yet, and where they start. */
  #run = "";
  #runAt = 0;
  #channel: Channel = "text";
  /** White space that waits for what comes next, and where it starts. */
  #pending = "";
  #pendingAt = 0;
  /** Whether all white space waits, not only newlines: at the start of a channel and behind a call. */
  #holdAll = true;
  /** Whether newlines at the start of the channel are glue: behind a reasoning mark. */
  #gluedStart = false;
  #issues = 0;

  /** The events since the last call, up to a place that waits. */
  drain(): ParserEvent[] {
    this.#flushRun();
    const events = this.#events.splice(0, this.#waitingAt ?? this.#events.length);
    if (this.#waitingAt !== undefined) this.#waitingAt = 0;
    return events;
  }

  /** Keeps a place for calls: what they become is known when `settle` says so, and nothing behind them leaves before that. */
  defer(): void {
    this.mark();
    this.#flushRun();
    this.#waitingAt = this.#events.length;
    this.#behindCall();
  }

  /** Puts events where `defer` kept the place. */
  settle(events: readonly ParserEvent[]): void {
    this.#events.splice(this.#waitingAt ?? this.#events.length, 0, ...events);
    this.#waitingAt = undefined;
  }

  get channel(): Channel {
    return this.#channel;
  }

  /** True once the current channel has shown a visible character since it was entered. */
  get hasVisible(): boolean {
    return !this.#holdAll;
  }

  /** Appends characters to the current channel; `at` is the offset of the first. */
  write(text: string, at: number): void {
    if (text === "") return;
    let body = text;
    let from = at;
    if (this.#holdAll) {
      const blank = leadingBlank(text);
      if (blank > 0) {
        this.#wait(text.slice(0, blank), at);
        body = text.slice(blank);
        from = at + blank;
      }
      if (body === "") return;
      if (this.#gluedStart) this.#dropLeadingNewlines();
      this.#holdAll = false;
      this.#gluedStart = false;
    }
    const tail = trailingNewlines(body);
    if (tail === body.length) {
      this.#wait(body, from);
    } else {
      this.#flushPending();
      this.#emit(body.slice(0, body.length - tail), from);
      if (tail > 0) this.#wait(body.slice(body.length - tail), from + body.length - tail);
    }
    this.#overflow();
  }

  /** A mark stands here: the newlines before it are glue. Spaces stay where visible text precedes them. */
  mark(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    const at = this.#pendingAt;
    this.#pending = "";
    if (this.#holdAll) {
      this.#drop(text, at, "glue");
      return;
    }
    const glue = Math.min(trailingNewlines(text), GLUE_LIMIT);
    if (glue < text.length) this.#emit(text.slice(0, text.length - glue), at);
    this.#drop(text.slice(text.length - glue), at + text.length - glue, "glue");
  }

  /** Switches the channel at a mark; newlines behind it are glue, unless they part it from text of the channel before the mark. */
  enter(channel: Channel, glued = true): void {
    this.mark();
    this.#flushRun();
    this.#channel = channel;
    this.#holdAll = true;
    this.#gluedStart = glued;
  }

  /** Words that the text says in another form, which is `raw` and starts at `at`. */
  answer(text: string, raw: string, at: number): void {
    this.mark();
    if (text.trim() === "") this.#drop(raw, at, "blank");
    else this.#push({ type: this.#channel, at, text, raw });
    this.#holdAll = true;
  }

  /** `at` is where the call's raw text starts. */
  call(call: ToolCall, at: number): void {
    this.mark();
    this.#push({ type: "call", at, call });
    this.#behindCall();
  }

  issue(issue: FormatIssue): void {
    if (issue.raw !== undefined) this.#holdAll = true;
    this.#issues += 1;
    if (this.#issues <= MOST_ISSUES || issue.at === undefined) this.#push({ type: "issue", issue });
    else this.#drop(issue.raw ?? "", issue.at, UNREPORTED_ISSUE);
  }

  /** Markup that nobody sees. */
  drop(raw: string, at: number, why: string): void {
    if (raw !== "") this.#drop(raw, at, why);
  }

  /** The text is over: what waits is content if visible text precedes it, else nothing. */
  end(): void {
    if (this.#pending === "") return;
    if (this.#holdAll) this.#drop(this.#pending, this.#pendingAt, "blank");
    else this.#emit(this.#pending, this.#pendingAt);
    this.#pending = "";
  }

  #behindCall(): void {
    this.#holdAll = true;
    this.#gluedStart = false;
  }

  #wait(text: string, at: number): void {
    if (this.#pending === "") this.#pendingAt = at;
    this.#pending += text;
  }

  /** More newlines than a template writes: the surplus is data. */
  #overflow(): void {
    const surplus = this.#pending.length - GLUE_LIMIT;
    if (this.#holdAll || surplus <= 0) return;
    this.#emit(this.#pending.slice(0, surplus), this.#pendingAt);
    this.#pending = this.#pending.slice(surplus);
    this.#pendingAt += surplus;
  }

  #flushPending(): void {
    if (this.#pending !== "") this.#emit(this.#pending, this.#pendingAt);
    this.#pending = "";
  }

  #dropLeadingNewlines(): void {
    let newlines = 0;
    while (newlines < this.#pending.length && isNewline(this.#pending.charCodeAt(newlines))) newlines += 1;
    this.#drop(this.#pending.slice(0, newlines), this.#pendingAt, "glue");
    this.#pending = this.#pending.slice(newlines);
    this.#pendingAt += newlines;
  }

  /** One piece of input is one piece of output, however many characters of it might have begun a mark. */
  #emit(text: string, at: number): void {
    if (this.#run === "") this.#runAt = at;
    this.#run += text;
  }

  #flushRun(): void {
    if (this.#run === "") return;
    // Written character by character it is a tree: looked at once it is text, else whoever gets it pays for all trees at once.
    this.#run.charCodeAt(0);
    this.#events.push({ type: this.#channel, at: this.#runAt, text: this.#run });
    this.#run = "";
  }

  #push(event: ParserEvent): void {
    this.#flushRun();
    this.#events.push(event);
  }

  #drop(raw: string, at: number, why: string): void {
    if (raw !== "") this.#push({ type: "dropped", at, raw, why });
  }
}

function isNewline(code: number): boolean {
  return code === NEWLINE || code === RETURN;
}

function leadingBlank(text: string): number {
  let i = 0;
  while (i < text.length && isBlank(text.charCodeAt(i))) i += 1;
  return i;
}

function trailingNewlines(text: string): number {
  let i = text.length;
  while (i > 0 && isNewline(text.charCodeAt(i - 1))) i -= 1;
  return text.length - i;
}

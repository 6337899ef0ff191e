// What all grammars of one model turn share: the source, the sink, the offered tools, and the ways to emit what was read.
// Knows no format.

import type { FormatIssue, FormatIssueCode } from "../../core/issues.ts";
import type { ToolCall, ToolSpec } from "../../core/messages.ts";
import { bodyLimitWords } from "../bodies/bodyLimits.ts";
import type { CallCandidate } from "../bodies/CallCandidate.ts";
import { WIRES } from "../families/tables.ts";
import type { WireRow } from "../families/wires.ts";
import { fitCall } from "../fitting/fitCall.ts";
import { OfferedNames } from "../fitting/resolveName.ts";
import { NEWLINE } from "../text/codes.ts";
import { END, type Source } from "../text/Source.ts";
import { isBlank, trimBlanks, trimBlanksEnd } from "../text/whiteSpace.ts";
import type { ParserOptions, ReleasedCandidate } from "./ParserEvent.ts";
import type { TextSink } from "./TextSink.ts";
import { WaitingCalls } from "./WaitingCalls.ts";

/** Whether the upstream ended the turn by itself, or the text was cut (token limit, dead connection). */
export type Finish = "normal" | "cut";

/** Captures of one turn that may be read a second time. */
const SECOND_READINGS = 8;

/** Released candidates that are remembered: a hostile text has one a line. */
const REMEMBERED = 100;

/** What fitting one candidate costs, and reporting an issue, in looks at a character. */
const CANDIDATE_WORK = 400;
const ISSUE_WORK = 100;

export class Turn {
  readonly source: Source;
  readonly sink: TextSink;
  readonly options: ParserOptions;
  readonly parameters: (tool: string) => readonly string[];
  /** False where no tool is offered, or none may be called: the gate through which every call leaves, and every fault of one. */
  readonly mayCall: boolean;
  /** Names that may still be called. */
  offered: readonly string[];
  /** The chat template whose framing the model writes, where its row or its text has said so. */
  wire: WireRow | undefined;
  /** True until a visible character of the line has been written. */
  lineStart = true;
  /** True where the line holds a list's bullet, behind which `lineStart` holds too. */
  behindBullet = false;
  /** Set before the source ends. */
  finish: Finish = "normal";
  /** Visible characters of content so far, and the last of them. */
  shown = 0;
  lastShown = "";
  /** The visible character before that one. */
  shownBefore = "";
  /** Set where the rest of the text is dropped: why. */
  rest: "capture-limit" | "after-turn-end" | "after-action" | "after-answer" | undefined;
  /** True once marks made a call or an issue: closers that follow are markup. */
  announced = false;
  /** Calls that left, and the visible characters of content at the last of them. */
  callCount = 0;
  shownAtCall = -1;
  /** Visible characters of content at the last mark that nobody sees, and at the last call or issue. */
  #shownAtMark = 0;
  #shownAtMarkup = -1;
  /** Visible characters of content before the heading of another message of the assistant. */
  shownAtHeading = -1;
  /** Before this offset no shape without marks is tried again. */
  floor = 0;
  /** Before this offset no value is read by its brackets again: they did not balance. */
  bracketFloor = 0;
  /** Captures that were read a second time. */
  #readAgain = 0;
  /** What looked like a call and is text again, for explanations only. */
  readonly released: ReleasedCandidate[] = [];
  /** Why fitting refused the candidates of the capture that starts at `at`. */
  #refusal: { readonly at: number; readonly family: string; readonly issue: FormatIssue } | undefined;
  /** Calls without marks that what follows may say again, and where they stood. */
  #waiting: { readonly calls: WaitingCalls<FittedCall>; readonly raw: string; readonly at: number } | undefined;
  readonly #ids = new Set<string>();
  readonly #names: OfferedNames;
  readonly #fitting: Pick<ParserOptions, "tools" | "fractions" | "without">;

  constructor(source: Source, sink: TextSink, options: ParserOptions) {
    this.source = source;
    this.sink = sink;
    this.options = options;
    const { tools, fractions, without } = options;
    this.#fitting = { tools, fractions, without };
    this.mayCall = options.callsAllowed && options.tools.length > 0;
    this.offered = this.mayCall ? options.tools.map((tool) => tool.name) : [];
    this.#names = new OfferedNames(this.offered);
    this.wire = WIRES.find(({ id }) => id === options.wire);
    const properties = new Map(options.tools.map((tool) => [tool.name, propertyNames(tool)]));
    this.parameters = (tool) => properties.get(tool) ?? [];
  }

  /** Nothing has been shown, called or reported yet. */
  get isUntouched(): boolean {
    return this.shown === 0 && !this.announced && this.sink.channel === "text";
  }

  /** No content since the turn began, or since the last mark that nobody sees. */
  get isAtBound(): boolean {
    return this.shown === this.#shownAtMark;
  }

  /** Nothing but white space and marks since the last call or issue. */
  get isBehindCall(): boolean {
    return this.shown === this.#shownAtMarkup && this.sink.channel === "text";
  }

  /** From here on nothing is a call. */
  endCalls(): void {
    this.offered = [];
  }

  /** The offered name that `name` means, if exactly one fits. */
  resolve(name: string): string | undefined {
    return this.#names.resolve(name)?.name;
  }

  /** Writes characters that the cursor has just passed. */
  write(text: string): void {
    if (text === "") return;
    if (this.#waiting && trimBlanks(text) !== "") this.leave();
    this.sink.write(text, this.source.offset - text.length);
    for (let i = text.length - 1; i >= 0; i -= 1) {
      const code = text.charCodeAt(i);
      if (code === NEWLINE) {
        this.lineStart = true;
        this.behindBullet = false;
        break;
      }
      if (!isBlank(code)) {
        this.lineStart = false;
        break;
      }
    }
    if (this.sink.channel === "text") {
      const visible = trimBlanksEnd(text);
      if (visible !== "") {
        this.shown += visible.length;
        this.shownBefore = trimBlanksEnd(visible.slice(0, -1)).slice(-1) || this.lastShown;
        this.lastShown = visible.charAt(visible.length - 1);
      }
    }
  }

  /** Moves the cursor over `characters` and writes them. */
  pass(characters: number): void {
    const text = this.source.ahead(characters);
    this.source.skip(characters);
    this.write(text);
  }

  /** Moves the cursor to the end of a text whose end has been seen. */
  skipToEnd(): void {
    while (this.source.code() !== END) this.source.skip(1);
  }

  /** Moves the cursor over a mark of `characters` that nobody sees. */
  dropMark(characters: number, why = "mark"): void {
    const at = this.source.offset;
    const raw = this.source.ahead(characters);
    this.source.skip(characters);
    this.sink.mark();
    this.sink.drop(raw, at, why);
    this.#shownAtMark = this.shown;
  }

  /** Begins to capture at the cursor: what is read from here on becomes calls, issues, dropped marks, or text again. */
  begin(): void {
    this.source.hold();
  }

  /** The captured text between two offsets. */
  captured(from: number, to: number): string {
    return this.source.held(from, to);
  }

  /** Leaves the capture, the rest of it being markup. */
  endCapture(why = "mark"): void {
    const at = this.source.heldFrom;
    const raw = this.source.release();
    if (raw !== "") this.sink.mark();
    this.sink.drop(raw, at, why);
    if (raw !== "") this.#shownAtMark = this.shown;
    this.lineStart = false;
  }

  /** The capture was no call after all: it is text again, unread. `from` is where reading goes on; what precedes it is written. */
  giveBack(from: number): void {
    const text = this.source.held(this.source.heldFrom, from);
    this.source.rewind(from);
    this.write(text);
  }

  /** What fitting said of the candidates of this capture, if it refused them. */
  get refusal(): { readonly family: string; readonly issue: FormatIssue } | undefined {
    return this.#refusal?.at === this.source.heldFrom ? this.#refusal : undefined;
  }

  /** Remembers that the capture up to the cursor is no call: because fitting refused it, else because of `why`. */
  noteRelease(why: string): void {
    if (this.released.length >= REMEMBERED) return;
    const at = this.source.heldFrom;
    const length = this.source.peekHeld().trimEnd().length;
    if (length === 0) return;
    const { refusal } = this;
    this.released.push({ at, length, family: refusal?.family, why: refusal?.issue.message ?? why });
  }

  /** Emits what an explicit mark announced: each candidate is a call or an issue. The capture up to the cursor is their raw text. */
  emit(candidates: readonly CallCandidate[], family: string): void {
    if (this.#isClosed()) return;
    this.#announce();
    this.sink.mark();
    const at = this.source.heldFrom;
    const raw = this.source.take();
    this.source.spend(CANDIDATE_WORK * candidates.length);
    candidates.forEach((candidate, index) => {
      const own = index === 0 ? raw : "";
      const fit = fitCall(candidate, { ...this.#fitting, family, raw, at });
      if (fit.type === "issue") this.note({ ...fit.issue, raw: own });
      else
        this.#send(
          {
            id: candidate.id,
            name: fit.name,
            arguments: fit.arguments,
            repairs: fit.repairs,
            origin: family,
            raw: own,
          },
          at,
        );
    });
  }

  /** Fits candidates of a generic shape; undefined unless every one of them is a call. */
  fit(candidates: readonly CallCandidate[], family: string): readonly FittedCall[] | undefined {
    const calls: FittedCall[] = [];
    this.source.spend(CANDIDATE_WORK * candidates.length);
    for (const candidate of candidates) {
      const fit = fitCall(candidate, { ...this.#fitting, family, raw: "" });
      if (fit.type === "issue") {
        this.#refusal = { at: this.source.heldFrom, family, issue: fit.issue };
        return undefined;
      }
      calls.push({
        name: fit.name,
        arguments: fit.arguments,
        repairs: fit.repairs,
        id: candidate.id,
        origin: family,
        raw: "",
      });
    }
    return calls.length > 0 ? calls : undefined;
  }

  /** Emits calls that were fitted before; the capture up to the cursor is their raw text. */
  emitFitted(calls: readonly FittedCall[]): void {
    if (this.#isClosed()) return;
    this.#announce();
    const at = this.source.heldFrom;
    const raw = this.source.take();
    calls.forEach((call, index) => {
      this.#send({ ...call, raw: index === 0 ? raw : "" }, at);
    });
  }

  /** As `emitFitted`, for calls without marks: if a call with marks that says the same follows at once, it is that call. */
  deferFitted(calls: readonly FittedCall[]): void {
    if (this.#isClosed()) return;
    this.leave();
    this.#announce();
    this.callCount += calls.length;
    this.shownAtCall = this.shown;
    const at = this.source.heldFrom;
    this.sink.defer();
    this.#waiting = { calls: new WaitingCalls(calls), raw: this.source.take(), at };
  }

  /** Lets the calls that wait leave: what follows them is something else. */
  leave(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const { calls, raw, at } = waiting;
    this.#waiting = undefined;
    const left = calls.rest().map((call, index) => this.#withId({ ...call, raw: index === 0 ? raw : "" }));
    if (left.length > 0) this.sink.settle(left.map((call) => ({ type: "call", at, call })));
    else this.sink.settle([{ type: "dropped", at, raw, why: "preview" }]);
  }

  /** Writes the words that the capture up to the cursor says in another form. */
  answer(text: string): void {
    this.leave();
    const at = this.source.heldFrom;
    this.sink.answer(text, this.source.release(), at);
    this.shown += text.length;
    this.lineStart = false;
  }

  /** Reports the capture up to the cursor as an issue. */
  issue(code: FormatIssueCode, message: string, family: string): void {
    this.report({ code, message, family });
  }

  /** As `issue`, with what else is known of it. */
  report(issue: Omit<FormatIssue, "at" | "raw">): void {
    if (issue.code !== "stray-mark" && this.#isClosed()) return;
    const at = this.source.heldFrom;
    this.leave();
    this.#announce();
    this.source.spend(ISSUE_WORK);
    this.sink.mark();
    const raw = this.source.take();
    const limit = issue.code === "malformed-call" ? bodyLimitWords(raw) : undefined;
    const message = limit === undefined ? issue.message : `${issue.message} It may be its size: ${limit}.`;
    this.sink.issue({ ...issue, message, at, raw });
  }

  /** Whether a capture whose end was not found may be read a second time; few of a turn may, so that time stays linear. */
  mayReadAgain(): boolean {
    this.#readAgain += 1;
    return this.#readAgain <= SECOND_READINGS;
  }

  /** A capture outgrew its limit: nothing behind it is read. */
  abandon(): void {
    this.rest = "capture-limit";
  }

  /** The turn is over although text follows: nothing behind it is this turn's. */
  closeTurn(): void {
    this.rest = "after-turn-end";
  }

  /** Reports something whose characters are accounted for elsewhere, or a mark of its own (`raw`) at the cursor. */
  note(issue: FormatIssue): void {
    this.leave();
    this.source.spend(ISSUE_WORK);
    if (issue.raw !== undefined) this.sink.mark();
    this.sink.issue(issue);
  }

  /** True where nothing may be called: what was captured as a call is then the words of an answer. */
  #isClosed(): boolean {
    if (!this.mayCall) this.write(this.source.take());
    return !this.mayCall;
  }

  #announce(): void {
    this.announced = true;
    this.#shownAtMark = this.shown;
    this.#shownAtMarkup = this.shown;
  }

  #send(call: FittedCall, at: number): void {
    const isWaiting = this.#waiting?.calls.take(call) === true;
    if (isWaiting) this.callCount -= 1;
    if (!isWaiting || this.#waiting?.calls.isEmpty) this.leave();
    this.callCount += 1;
    this.shownAtCall = this.shown;
    this.sink.call(this.#withId(call), at);
  }

  /** The wire's id if it is legal and new, else one that is drawn. */
  #withId(call: FittedCall): ToolCall {
    const { id: wireId } = call;
    const legal = wireId !== undefined && /^[\w.:-]{1,64}$/.test(wireId) && !this.#ids.has(wireId);
    if (!legal) return { ...call, id: this.options.ids.callId() };
    this.#ids.add(wireId);
    return { ...call, id: wireId };
  }
}

/** A candidate that fits, before it has its id. */
export interface FittedCall extends Omit<ToolCall, "id"> {
  readonly id?: string | undefined;
}

function propertyNames(tool: ToolSpec): readonly string[] {
  const properties = tool.parameters?.properties;
  return typeof properties === "object" && properties !== null && !Array.isArray(properties)
    ? Object.keys(properties)
    : [];
}

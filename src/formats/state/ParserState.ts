// State that all grammars of one model turn share: the source, the sink, the offered tools, and the methods that emit results.
import type { FormatIssue } from "../../core/events/issues.ts";
import type { CallCandidate } from "../decoders/CallCandidate.ts";
import type { Source } from "../scanner/Source.ts";
import { findVisibleEnd } from "../scanner/whitespace.ts";
import type { ChatTemplateSpec } from "../specs/chatTemplates.ts";
import { CHAT_TEMPLATES } from "../specs/lookupTables.ts";
import { type FitContext, type FitResult, fitCall } from "../validation/fitCall.ts";
import { compileToolSet, type ToolSet } from "../validation/ToolSet.ts";
import { BacktrackGuard } from "./BacktrackGuard.ts";
import type { ParserOptions } from "./ParserEvent.ts";
import { type FittedCall, TextSink } from "./TextSink.ts";

/** Reason why the rest of a turn is dropped. */
type DroppedRest = "capture-limit" | "after-turn-end" | "after-action" | "after-answer";

/** End of the turn: by the upstream itself, or cut (token limit, lost connection). */
export type Finish = "normal" | "cut";

/** Cost of fitting one candidate, and of reporting an issue, in units of one examined character. */
const CANDIDATE_WORK = 400;
const ISSUE_WORK = 100;

export class ParserState {
  readonly source: Source;
  readonly sink: TextSink;
  readonly options: ParserOptions;
  readonly guard: BacktrackGuard;
  /** The parameters that a tool declares. */
  readonly parameters = (tool: string): readonly string[] => this.offer.declared(tool);
  /** False if no tool is offered, or none may be called. All calls and issues depend on it. */
  readonly mayCall: boolean;
  /** The tools of the request, whether or not they may be called. */
  readonly offer: ToolSet;
  /** Names that may still be called. */
  offered: readonly string[];
  /** Chat template whose framing the model writes, if its profile or its text has shown it. */
  wire: ChatTemplateSpec | undefined;
  /** True until a visible character of the line was emitted. Readers that drop text set it. */
  lineStart = true;
  /** True if the line has a list's bullet, after which `lineStart` is true too. */
  behindBullet = false;
  /** Set before the source ends. */
  finish: Finish = "normal";
  /** Visible characters of content so far, and the last of them. */
  shown = 0;
  lastShown = "";
  /** The visible character before that one. */
  shownBefore = "";
  /** Reason why nothing from the cursor on is read; undefined if it is read. */
  rest: DroppedRest | undefined;
  /** True if markers made a call or an issue: closers that follow are markup. */
  announced = false;
  #shownAtCall = -1;
  /** Number of visible characters of content at the last dropped marker, and at the last call or issue. */
  #shownAtMark = 0;
  #shownAtMarkup = -1;
  /** Visible characters of content before the heading of another message of the assistant. */
  #shownAtHeading = -1;

  constructor(source: Source, options: ParserOptions) {
    this.source = source;
    this.sink = new TextSink(options.ids);
    this.options = options;
    this.guard = new BacktrackGuard(source);
    this.mayCall = options.callsAllowed && options.tools.length > 0;
    this.offer = compileToolSet(options.tools);
    this.offered = this.mayCall ? this.offer.toolNames : [];
    this.wire = CHAT_TEMPLATES.find(({ id }) => id === options.wire);
  }

  /** True if only markers stand between here and the last call, or the heading of this message. */
  get isBehindCallOrHeading(): boolean {
    return this.isAtCall || this.shown === this.#shownAtHeading;
  }

  /** No content since the last call. */
  get isAtCall(): boolean {
    return this.shown === this.#shownAtCall;
  }

  /** Nothing has been shown, called or reported yet. */
  get isUntouched(): boolean {
    return this.shown === 0 && !this.announced && this.sink.channel === "text";
  }

  /** True if there is no content since the turn began, or since the last dropped marker. */
  get isAtBound(): boolean {
    return this.shown === this.#shownAtMark;
  }

  /** True if there are only white space and markers since the last call or issue. */
  get isBehindCall(): boolean {
    return this.shown === this.#shownAtMarkup && this.sink.channel === "text";
  }

  /** The offered name that `name` means, if exactly one fits. */
  resolve(name: string): string | undefined {
    return this.mayCall ? this.offer.names.resolve(name)?.name : undefined;
  }

  /** Writes characters that the cursor has just passed. */
  write(text: string): void {
    if (text === "") return;
    this.sink.write(text, this.source.offset - text.length);
    const end = findVisibleEnd(text);
    if (text.includes("\n", end)) {
      this.lineStart = true;
      this.behindBullet = false;
    } else if (end > 0) this.lineStart = false;
    if (end === 0 || this.sink.channel !== "text") return;
    this.shown += end;
    const before = findVisibleEnd(text, end - 1);
    this.shownBefore = before > 0 ? text.charAt(before - 1) : this.lastShown;
    this.lastShown = text.charAt(end - 1);
  }

  /** Moves the cursor over `characters` and writes them. */
  pass(characters: number): void {
    const text = this.source.ahead(characters);
    this.source.skip(characters);
    this.write(text);
  }

  /** Another message of the assistant begins at the cursor. */
  beginMessage(): void {
    this.#shownAtHeading = this.shown;
  }

  /** Sets how the text ends, by the upstream's reason. Called before the source ends. */
  endBy(finishReason: string | null): void {
    this.finish = finishReason === "length" || finishReason === null ? "cut" : "normal";
  }

  /** Starts a line at the cursor, whatever stands before it: a dropped marker, or a list's bullet. */
  beginLine(behindBullet = false): void {
    this.lineStart = true;
    this.behindBullet ||= behindBullet;
  }

  /** Records text on the line that no `write` has reported: the line no longer begins at the cursor. */
  passLineStart(): void {
    this.lineStart = false;
  }

  /** Nothing from the cursor on is read. */
  dropRest(why: DroppedRest): void {
    this.rest = why;
  }

  /** Records the framing that the text has shown. Earlier knowledge has precedence. */
  knowWire(wire: ChatTemplateSpec | undefined): void {
    this.wire ??= wire;
  }

  /** Lets no further text be a call. */
  offerNothing(): void {
    this.offered = [];
  }

  /** Moves the cursor to the end of a text whose end has been seen. */
  skipToEnd(): void {
    this.source.skip(this.source.rest().length);
  }

  /** Moves the cursor over a marker of `characters` that is not emitted. */
  dropMark(characters: number, why = "mark"): void {
    const at = this.source.offset;
    const raw = this.source.ahead(characters);
    this.source.skip(characters);
    this.dropPassed(raw, at, why);
  }

  /** Drops markup that the cursor has passed. */
  dropPassed(raw: string, at: number, why: string): void {
    if (raw === "") return;
    this.sink.mark();
    this.sink.drop(raw, at, why);
    this.#shownAtMark = this.shown;
  }

  /** Fits a candidate to the tool that it names. `raw` and `at` describe the announced text, if a marker announced it. */
  fitOne(candidate: CallCandidate, context: Pick<FitContext, "family" | "raw" | "at" | "among">): Fitted {
    this.source.spend(CANDIDATE_WORK);
    const { tools, fractions, without } = this.options;
    const fit = fitCall(candidate, { tools, fractions, without, ...context });
    if (fit.type === "issue") return fit;
    const { type, ...said } = fit;
    return { type, call: { ...said, id: candidate.id, origin: context.family, raw: "" } };
  }

  /** Fits candidates of a generic shape; undefined unless every one of them is a call. */
  fit(candidates: readonly CallCandidate[], family: string): readonly FittedCall[] | undefined {
    const calls: FittedCall[] = [];
    for (const candidate of candidates) {
      const fit = this.fitOne(candidate, { family, raw: "", among: candidates.length });
      if (fit.type === "issue") {
        this.guard.remember(family, fit.issue);
        return undefined;
      }
      calls.push(fit.call);
    }
    return calls.length > 0 ? calls : undefined;
  }

  /** A call leaves; its raw text starts at `at`. */
  send(call: FittedCall, at: number): void {
    this.sink.call(call, at);
    this.#shownAtCall = this.shown;
  }

  /** Stores calls that wait for the text after them. */
  defer(calls: readonly FittedCall[], raw: string, at: number): void {
    this.sink.defer(calls, raw, at);
    this.#shownAtCall = this.shown;
  }

  /** Writes the answer that `raw`, which the cursor has passed, expresses in another form. */
  answer(text: string, raw: string, at: number): void {
    this.sink.answer(text, raw, at);
    this.shown += text.length;
    this.lineStart = false;
  }

  /** Reports an issue whose characters are accounted for elsewhere, or a marker of its own (`raw`) at the cursor. */
  note(issue: FormatIssue): void {
    this.source.spend(ISSUE_WORK);
    this.sink.issue(issue);
  }

  /** Records a marker that makes a call or an issue. */
  announce(): void {
    this.announced = true;
    this.#shownAtMark = this.shown;
    this.#shownAtMarkup = this.shown;
    this.sink.mark();
  }
}

/** Result of fitting a candidate. */
type Fitted = { readonly type: "call"; readonly call: FittedCall } | Extract<FitResult, { readonly type: "issue" }>;

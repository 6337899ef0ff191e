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
  readonly listParameters = (tool: string): readonly string[] => this.toolSet.declared(tool);
  /** False if no tool is offered, or none may be called. All calls and issues depend on it. */
  readonly mayCall: boolean;
  /** The tools of the request, whether or not they may be called. */
  readonly toolSet: ToolSet;
  /** Names that may still be called. */
  callableNames: readonly string[];
  /** Chat template whose framing the model writes, if its profile or its text has shown it. */
  template: ChatTemplateSpec | undefined;
  /** True until a visible character of the line was emitted. Readers that drop text set it. */
  isAtLineStart = true;
  /** True if the line has a list's bullet, after which `lineStart` is true too. */
  isAfterBullet = false;
  /** Set before the source ends. */
  finish: Finish = "normal";
  /** Visible characters of content so far, and the last of them. */
  visibleCount = 0;
  lastVisible = "";
  /** The visible character before that one. */
  secondLastVisible = "";
  /** Reason why nothing from the cursor on is read; undefined if it is read. */
  dropReason: DroppedRest | undefined;
  /** True if markers made a call or an issue: closers that follow are markup. */
  hasCallMarker = false;
  #visibleCountAtCall = -1;
  /** Number of visible characters of content at the last dropped marker, and at the last call or issue. */
  #visibleCountAtMarker = 0;
  #visibleCountAtCallMarker = -1;
  /** Visible characters of content before the heading of another message of the assistant. */
  #visibleCountAtHeading = -1;

  constructor(source: Source, options: ParserOptions) {
    this.source = source;
    this.sink = new TextSink(options.ids);
    this.options = options;
    this.guard = new BacktrackGuard(source);
    this.mayCall = options.callsAllowed && options.tools.length > 0;
    this.toolSet = compileToolSet(options.tools);
    this.callableNames = this.mayCall ? this.toolSet.toolNames : [];
    this.template = CHAT_TEMPLATES.find(({ id }) => id === options.wire);
  }

  /** True if only markers stand between here and the last call, or the heading of this message. */
  get isAfterCallOrHeading(): boolean {
    return this.isAtCall || this.visibleCount === this.#visibleCountAtHeading;
  }

  /** No content since the last call. */
  get isAtCall(): boolean {
    return this.visibleCount === this.#visibleCountAtCall;
  }

  /** Nothing has been shown, called or reported yet. */
  get isAtStart(): boolean {
    return this.visibleCount === 0 && !this.hasCallMarker && this.sink.channel === "text";
  }

  /** True if there is no content since the turn began, or since the last dropped marker. */
  get isAfterMarker(): boolean {
    return this.visibleCount === this.#visibleCountAtMarker;
  }

  /** True if there are only white space and markers since the last call or issue. */
  get isAfterCall(): boolean {
    return this.visibleCount === this.#visibleCountAtCallMarker && this.sink.channel === "text";
  }

  /** The offered name that `name` means, if exactly one fits. */
  resolve(name: string): string | undefined {
    return this.mayCall ? this.toolSet.names.resolve(name)?.name : undefined;
  }

  /** Writes characters that the cursor has just passed. */
  write(text: string): void {
    if (text === "") return;
    this.sink.write(text, this.source.offset - text.length);
    const end = findVisibleEnd(text);
    if (text.includes("\n", end)) {
      this.isAtLineStart = true;
      this.isAfterBullet = false;
    } else if (end > 0) this.isAtLineStart = false;
    if (end === 0 || this.sink.channel !== "text") return;
    this.visibleCount += end;
    const before = findVisibleEnd(text, end - 1);
    this.secondLastVisible = before > 0 ? text.charAt(before - 1) : this.lastVisible;
    this.lastVisible = text.charAt(end - 1);
  }

  /** Moves the cursor over `characters` and writes them. */
  writeNext(characters: number): void {
    const text = this.source.peekText(characters);
    this.source.skip(characters);
    this.write(text);
  }

  /** Another message of the assistant begins at the cursor. */
  beginMessage(): void {
    this.#visibleCountAtHeading = this.visibleCount;
  }

  /** Sets how the text ends, by the upstream's reason. Called before the source ends. */
  setFinish(finishReason: string | null): void {
    this.finish = finishReason === "length" || finishReason === null ? "cut" : "normal";
  }

  /** Starts a line at the cursor, whatever stands before it: a dropped marker, or a list's bullet. */
  beginLine(isAfterBullet = false): void {
    this.isAtLineStart = true;
    this.isAfterBullet ||= isAfterBullet;
  }

  /** Records text on the line that no `write` has reported: the line no longer begins at the cursor. */
  leaveLineStart(): void {
    this.isAtLineStart = false;
  }

  /** Nothing from the cursor on is read. */
  dropRest(reason: DroppedRest): void {
    this.dropReason = reason;
  }

  /** Records the framing that the text has shown. Earlier knowledge has precedence. */
  setTemplate(template: ChatTemplateSpec | undefined): void {
    this.template ??= template;
  }

  /** Lets no further text be a call. */
  forbidCalls(): void {
    this.callableNames = [];
  }

  /** Moves the cursor to the end of a text whose end has been seen. */
  skipToEnd(): void {
    this.source.skip(this.source.getRest().length);
  }

  /** Moves the cursor over a marker of `characters` that is not emitted. */
  dropMarker(characters: number, reason = "mark"): void {
    const at = this.source.offset;
    const raw = this.source.peekText(characters);
    this.source.skip(characters);
    this.dropText(raw, at, reason);
  }

  /** Drops markup that the cursor has passed. */
  dropText(raw: string, at: number, reason: string): void {
    if (raw === "") return;
    this.sink.dropGlue();
    this.sink.drop(raw, at, reason);
    this.#visibleCountAtMarker = this.visibleCount;
  }

  /** Fits a candidate to the tool that it names. `raw` and `at` describe the announced text, if a marker announced it. */
  fitCandidate(candidate: CallCandidate, context: Pick<FitContext, "family" | "raw" | "at" | "among">): Fitted {
    this.source.addWork(CANDIDATE_WORK);
    const { tools, fractions, without } = this.options;
    const fit = fitCall(candidate, { tools, fractions, without, ...context });
    if (fit.type === "issue") return fit;
    const { type, ...fields } = fit;
    return { type, call: { ...fields, id: candidate.id, origin: context.family, raw: "" } };
  }

  /** Fits candidates of a generic shape; undefined unless every one of them is a call. */
  fitAll(candidates: readonly CallCandidate[], formatId: string): readonly FittedCall[] | undefined {
    const calls: FittedCall[] = [];
    for (const candidate of candidates) {
      const fit = this.fitCandidate(candidate, { family: formatId, raw: "", among: candidates.length });
      if (fit.type === "issue") {
        this.guard.setRefusal(formatId, fit.issue);
        return undefined;
      }
      calls.push(fit.call);
    }
    return calls.length > 0 ? calls : undefined;
  }

  /** A call leaves; its raw text starts at `at`. */
  emitCall(call: FittedCall, at: number): void {
    this.sink.emitCall(call, at);
    this.#visibleCountAtCall = this.visibleCount;
  }

  /** Stores calls that wait for the text after them. */
  deferCalls(calls: readonly FittedCall[], raw: string, at: number): void {
    this.sink.deferCalls(calls, raw, at);
    this.#visibleCountAtCall = this.visibleCount;
  }

  /** Writes the answer that `raw`, which the cursor has passed, expresses in another form. */
  emitAnswer(text: string, raw: string, at: number): void {
    this.sink.emitAnswer(text, raw, at);
    this.visibleCount += text.length;
    this.isAtLineStart = false;
  }

  /** Reports an issue whose characters are accounted for elsewhere, or a marker of its own (`raw`) at the cursor. */
  reportIssue(issue: FormatIssue): void {
    this.source.addWork(ISSUE_WORK);
    this.sink.emitIssue(issue);
  }

  /** Records a marker that makes a call or an issue. */
  countCallMarker(): void {
    this.hasCallMarker = true;
    this.#visibleCountAtMarker = this.visibleCount;
    this.#visibleCountAtCallMarker = this.visibleCount;
    this.sink.dropGlue();
  }
}

/** Result of fitting a candidate. */
type Fitted = { readonly type: "call"; readonly call: FittedCall } | Extract<FitResult, { readonly type: "issue" }>;

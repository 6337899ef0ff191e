// Text that is captured from an offset on, and its end: as calls, as an issue, as markup, or as text again.

import type { FormatIssue } from "../../core/events/issues.ts";
import { describeBodyLimit } from "../decoders/bodyLimits.ts";
import type { CallCandidate } from "../decoders/CallCandidate.ts";
import { DEPTH_LIMIT } from "../scanner/scanBalanced.ts";
import type { ParserState } from "./ParserState.ts";
import type { FittedCall } from "./TextSink.ts";

/**
 * Begins at the cursor of its turn and takes all text that the cursor passes, until one of its ending methods is called. Until then nothing
 * of it is emitted. Events of an ending follow the last character that was read.
 */
export class Capture {
  /** The offset at which it began. */
  readonly start: number;
  /** The offset at which it is longer than a capture may be. */
  readonly maxOffset: number;
  /** True once it has ended. */
  hasEnded = false;
  readonly #state: ParserState;

  constructor(state: ParserState) {
    this.#state = state;
    this.start = state.source.offset;
    this.maxOffset = this.start + state.options.captureChars;
    state.source.startBuffering();
  }

  /** Returns the text from the offset `from` on. */
  getText(from: number): string {
    return this.#state.source.getBuffered(from);
  }

  /** Ends as calls that a marker announced: each candidate is a call or an issue of its own. */
  endAsCalls(candidates: readonly CallCandidate[], formatId: string): void {
    const raw = this.#endAtCallMarker();
    if (raw === undefined) return;
    const state = this.#state;
    const count = candidates.length;
    candidates.forEach((candidate, index) => {
      const fit = state.fitCandidate(candidate, { family: formatId, raw, at: this.start, among: count });
      const rawOfCall = index === 0 ? raw : "";
      if (fit.type === "issue") state.reportIssue({ ...fit.issue, raw: rawOfCall });
      else state.emitCall({ ...fit.call, raw: rawOfCall }, this.start);
    });
  }

  /** Calls that were fitted before. */
  endAsFittedCalls(calls: readonly FittedCall[]): void {
    const raw = this.#endAtCallMarker();
    if (raw === undefined) return;
    for (const [index, call] of calls.entries())
      this.#state.emitCall({ ...call, raw: index === 0 ? raw : "" }, this.start);
  }

  /** Ends as calls without markers. If a call with markers and the same content follows at once, it is the same call. The line start is restored. */
  endAsDeferredCalls(calls: readonly FittedCall[]): void {
    const { isAtLineStart } = this.#state;
    const raw = this.#endAtCallMarker();
    if (raw !== undefined) this.#state.deferCalls(calls, raw, this.start);
    if (isAtLineStart) this.#state.beginLine();
  }

  /** Ends as a call that the text cut off; `place` names the part. */
  endAsCutCall(formatId: string, cutPosition = "inside this tool call"): void {
    this.endAsIssue({ code: "truncated-call", message: `The text ended ${cutPosition}.`, family: formatId });
  }

  /** It was meant as a call and is none. */
  endAsMalformedCall(reason: string, formatId: string): void {
    this.endAsIssue({ code: "malformed-call", message: reason, family: formatId });
  }

  /** Ends a capture that is too long, or nested too deeply. Nothing after it is read. */
  endAsOversizedCall(formatId: string): void {
    const { source, options } = this.#state;
    const message =
      source.offset >= this.maxOffset
        ? `This tool call is longer than ${options.captureChars} characters, the limit of one capture.`
        : `This tool call is nested too deeply: more than ${DEPTH_LIMIT} levels.`;
    this.endAsIssue({ code: "truncated-call", message, family: formatId });
    this.#state.dropRest("capture-limit");
  }

  /** Any other fault of a call. */
  endAsIssue(issue: Omit<FormatIssue, "at" | "raw">): void {
    const raw = this.#endAtCallMarker();
    if (raw === undefined) return;
    const limit = issue.code === "malformed-call" ? describeBodyLimit(raw) : undefined;
    const message = limit === undefined ? issue.message : `${issue.message} It may be its size: ${limit}.`;
    this.#state.reportIssue({ ...issue, message, at: this.start, raw });
  }

  /** Ends as markup; `why` is the parser's reason. */
  endAsMarkup(reason = "mark"): void {
    this.#state.dropText(this.#end(), this.start, reason);
    this.#state.leaveLineStart();
  }

  /** Ends as an answer in another form. */
  endAsAnswer(text: string): void {
    this.#state.emitAnswer(text, this.#end(), this.start);
  }

  /** Ends as text: emits the text before the offset `from`, and reading continues there. */
  endAsText(from = this.#state.source.offset): void {
    const text = this.#state.source.getBuffered(this.start, from);
    this.hasEnded = true;
    this.#state.source.rewind(from);
    this.#state.write(text);
  }

  /** It was no call: it is unread again, and up to the cursor no call is looked for a second time. */
  rejectAsCall(reason: string): false {
    this.hasEnded = true;
    this.#state.guard.refuse(this.start, reason);
    return false;
  }

  /** Returns the raw text of the announced calls; undefined if no call is allowed, and then all of it is text of the answer. */
  #endAtCallMarker(): string | undefined {
    const raw = this.#end();
    if (this.#state.mayCall) this.#state.countCallMarker();
    else this.#state.write(raw);
    this.#state.leaveLineStart();
    return this.#state.mayCall ? raw : undefined;
  }

  #end(): string {
    this.hasEnded = true;
    return this.#state.source.endAndGetBuffered();
  }
}

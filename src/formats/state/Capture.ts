// Text that is captured from an offset on, and its end: as calls, as an issue, as markup, or as text again.

import type { FormatIssue } from "../../core/events/issues.ts";
import { describeBodyLimit } from "../decoders/bodyLimits.ts";
import type { CallCandidate } from "../decoders/CallCandidate.ts";
import { DEPTH_LIMIT } from "../scanner/scanBalanced.ts";
import type { ParserState } from "./ParserState.ts";
import type { FittedCall } from "./TextSink.ts";

/**
 * Begins at the cursor of its turn and takes what the cursor moves over, up to the one ending that is called: until then nothing of it
 * has left. What an ending is given stands behind the last character that was read.
 */
export class Capture {
  /** The offset at which it began. */
  readonly start: number;
  /** The offset at which it is longer than a capture may be. */
  readonly until: number;
  /** True once it has ended. */
  isOver = false;
  readonly #turn: ParserState;

  constructor(turn: ParserState) {
    this.#turn = turn;
    this.start = turn.source.offset;
    this.until = this.start + turn.options.captureChars;
    turn.source.hold();
  }

  /** Returns the text from the offset `from` on. */
  since(from: number): string {
    return this.#turn.source.held(from);
  }

  /** A mark announced calls: each candidate is a call or an issue of its own. */
  calls(candidates: readonly CallCandidate[], family: string): void {
    const raw = this.#announce();
    if (raw === undefined) return;
    const turn = this.#turn;
    const among = candidates.length;
    candidates.forEach((candidate, index) => {
      const fit = turn.fitOne(candidate, { family, raw, at: this.start, among });
      const own = index === 0 ? raw : "";
      if (fit.type === "issue") turn.note({ ...fit.issue, raw: own });
      else turn.send({ ...fit.call, raw: own }, this.start);
    });
  }

  /** Calls that were fitted before. */
  fitted(calls: readonly FittedCall[]): void {
    const raw = this.#announce();
    if (raw === undefined) return;
    for (const [index, call] of calls.entries()) this.#turn.send({ ...call, raw: index === 0 ? raw : "" }, this.start);
  }

  /** Calls without marks: if one with marks that says the same follows at once, it is that call. The line goes on as it began. */
  deferred(calls: readonly FittedCall[]): void {
    const { lineStart } = this.#turn;
    const raw = this.#announce();
    if (raw !== undefined) this.#turn.defer(calls, raw, this.start);
    if (lineStart) this.#turn.beginLine();
  }

  /** The text ended in the middle of it: `place` says of what. */
  cut(family: string, place = "inside this tool call"): void {
    this.issue({ code: "truncated-call", message: `The text ended ${place}.`, family });
  }

  /** It was meant as a call and is none. */
  malformed(why: string, family: string): void {
    this.issue({ code: "malformed-call", message: why, family });
  }

  /** It is longer than a capture may be, or nested too deeply: nothing behind it is read. */
  refused(family: string): void {
    const { source, options } = this.#turn;
    const message =
      source.offset >= this.until
        ? `This tool call is longer than ${options.captureChars} characters, the limit of one capture.`
        : `This tool call is nested too deeply: more than ${DEPTH_LIMIT} levels.`;
    this.issue({ code: "truncated-call", message, family });
    this.#turn.dropRest("capture-limit");
  }

  /** Any other fault of a call. */
  issue(issue: Omit<FormatIssue, "at" | "raw">): void {
    const raw = this.#announce();
    if (raw === undefined) return;
    const limit = issue.code === "malformed-call" ? describeBodyLimit(raw) : undefined;
    const message = limit === undefined ? issue.message : `${issue.message} It may be its size: ${limit}.`;
    this.#turn.note({ ...issue, message, at: this.start, raw });
  }

  /** It was markup; `why` is the parser's word for it. */
  drop(why = "mark"): void {
    this.#turn.dropPassed(this.#end(), this.start, why);
    this.#turn.passLineStart();
  }

  /** It says the words of an answer in another form. */
  answer(text: string): void {
    this.#turn.answer(text, this.#end(), this.start);
  }

  /** It is text: what stands before the offset `from` is written, and reading goes on there. */
  words(from = this.#turn.source.offset): void {
    const text = this.#turn.source.held(this.start, from);
    this.isOver = true;
    this.#turn.source.rewind(from);
    this.#turn.write(text);
  }

  /** It was no call: it is unread again, and up to the cursor no call is looked for a second time. */
  giveBack(why: string): false {
    this.isOver = true;
    this.#turn.guard.refuse(this.start, why);
    return false;
  }

  /** The raw text of what is announced; undefined where nothing may be called, and all of it is the words of an answer. */
  #announce(): string | undefined {
    const raw = this.#end();
    if (this.#turn.mayCall) this.#turn.announce();
    else this.#turn.write(raw);
    this.#turn.passLineStart();
    return this.#turn.mayCall ? raw : undefined;
  }

  #end(): string {
    this.isOver = true;
    return this.#turn.source.release();
  }
}

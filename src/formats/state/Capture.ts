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

  /** Ends as calls that a marker announced: each candidate is a call or an issue of its own. */
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

  /** Ends as calls without markers. If a call with markers and the same content follows at once, it is the same call. The line start is restored. */
  deferred(calls: readonly FittedCall[]): void {
    const { lineStart } = this.#turn;
    const raw = this.#announce();
    if (raw !== undefined) this.#turn.defer(calls, raw, this.start);
    if (lineStart) this.#turn.beginLine();
  }

  /** Ends as a call that the text cut off; `place` names the part. */
  cut(family: string, place = "inside this tool call"): void {
    this.issue({ code: "truncated-call", message: `The text ended ${place}.`, family });
  }

  /** It was meant as a call and is none. */
  malformed(why: string, family: string): void {
    this.issue({ code: "malformed-call", message: why, family });
  }

  /** Ends a capture that is too long, or nested too deeply. Nothing after it is read. */
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

  /** Ends as markup; `why` is the parser's reason. */
  drop(why = "mark"): void {
    this.#turn.dropPassed(this.#end(), this.start, why);
    this.#turn.passLineStart();
  }

  /** Ends as an answer in another form. */
  answer(text: string): void {
    this.#turn.answer(text, this.#end(), this.start);
  }

  /** Ends as text: emits the text before the offset `from`, and reading continues there. */
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

  /** Returns the raw text of the announced calls; undefined if no call is allowed, and then all of it is text of the answer. */
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

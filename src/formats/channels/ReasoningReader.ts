// A reasoning block from its opener to whatever ends it: its closer, the answer's mark, the turn's end, or a call. Reads no call itself.

import { LEAD } from "../families/callTags.ts";
import { isMark, literalAt, literalRole, type MarkRole, nameOfMark, roleOf } from "../families/marks.ts";
import type { ReasoningRow } from "../families/reasoning.ts";
import { kindIn } from "../families/wires.ts";
import { BACKTICK, CLOSE_BRACKET, LESS_THAN, NEWLINE, OPEN_BRACKET } from "../text/codes.ts";
import { END, type Reading, StopTable, WAIT } from "../text/Source.ts";
import { readTag, readTagOrCut, type Tag } from "../text/Tag.ts";
import { lengthOf, seek, startsWith } from "../text/waiting.ts";
import { dropCutMark } from "../turn/cutMarks.ts";
import type { Turn } from "../turn/Turn.ts";
import { ReasoningMarks } from "./ReasoningMarks.ts";
import type { Framing } from "./turnBounds.ts";

const STOPS = new StopTable("<[◁]`\n");
const MARKS = new StopTable("<[◁");
const BRACKET_CALL = "[TOOL_CALL]";
const BAR = new StopTable("|｜");

/** How the reader of the text channel reads marks that may hold calls. */
export interface CallMarks {
  literal(): Reading<unknown>;
  lead(): Reading<unknown>;
  tag(role: MarkRole, tag: Tag): Reading<unknown>;
  framing(tag: Tag): Reading<Framing>;
}

/** A block that is open. */
interface Block {
  /** Absent where the prompt opened it: then closers of several rows close it. */
  readonly row: ReasoningRow | undefined;
  /** Between backticks on one line: marks of calls are quoted. */
  quoted: boolean;
  /** Where its closer stands, once a call inside it had to be judged; -1 if there is none. */
  closer: number | undefined;
}

export class ReasoningReader {
  /** A block has been closed. */
  had = false;
  readonly #turn: Turn;
  readonly #calls: CallMarks;
  #block: Block | undefined;
  readonly #marks: ReasoningMarks;

  constructor(turn: Turn, calls: CallMarks) {
    this.#turn = turn;
    this.#calls = calls;
    this.#marks = new ReasoningMarks(turn);
  }

  /** A closer of `length` characters without its block stands at the cursor. */
  *lateCloser(row: ReasoningRow, length: number): Reading<void> {
    const turn = this.#turn;
    const at = turn.source.offset;
    const closer = yield* this.#marks.loneCloser(row, length, this.had);
    if (closer === "text") return turn.pass(length);
    turn.dropMark(length, "stray-mark");
    this.had = true;
    if (closer === "markup") return;
    const message = "Reasoning was closed that was not known to be open: what precedes the mark was sent as content.";
    turn.note({ code: "stray-mark", message, at });
  }

  get isOpen(): boolean {
    return this.#block !== undefined;
  }

  /** The prompt has opened a block before the text began. */
  begin(): void {
    this.#open(undefined);
  }

  /** An opener of `length` characters stands at the cursor; where it is not believed it is text. */
  *open(row: ReasoningRow, length: number): Reading<void> {
    const turn = this.#turn;
    if (!this.#marks.opens(row)) return turn.pass(length);
    const word = row.word ?? "";
    const seen = yield* lengthOf(turn.source, word, length);
    if (seen < word.length) {
      const cut = turn.source.code(length + seen) === END && turn.finish === "cut";
      return turn.dropMark(cut ? length + seen : length, cut ? "cut-mark" : "stray-mark");
    }
    turn.dropMark(length + seen);
    this.#open(row);
  }

  /** A sentence by which some models open their reasoning, at the start of the text. */
  *openBySentence(): Reading<boolean> {
    for (const row of this.#marks.own) {
      for (const opener of row.open) {
        if (!isSentence(opener) || !(yield* startsWith(this.#turn.source, opener))) continue;
        yield* this.open(row, opener.length);
        return true;
      }
    }
    return false;
  }

  /** Reads on; false at the end of the text. */
  *step(): Reading<boolean> {
    const turn = this.#turn;
    const block = this.#block;
    if (!block) return true;
    turn.write(turn.source.run(STOPS));
    const code = turn.source.code();
    switch (code) {
      case WAIT:
        yield;
        return true;
      case END:
        return false;
      case NEWLINE:
        yield* this.#newline(block);
        return true;
      case BACKTICK:
        block.quoted = !block.quoted;
        turn.pass(1);
        return true;
      case OPEN_BRACKET:
      case 0x25c1:
        yield* this.#literal(block);
        return true;
      default:
        yield* this.#tag(block, code === CLOSE_BRACKET);
        return true;
    }
  }

  *#newline(block: Block): Reading<void> {
    this.#turn.pass(1);
    block.quoted = false;
    const closer = block.row?.close[0] ?? "";
    if (isSentence(closer) && (yield* startsWith(this.#turn.source, closer))) this.#close(closer.length);
  }

  *#literal(block: Block): Reading<void> {
    if (yield* startsWith(this.#turn.source, BRACKET_CALL))
      return yield* this.#callInside(block, () => this.#calls.literal(), BRACKET_CALL.length);
    const literal = yield* literalAt(this.#turn.source);
    const role = literal === undefined ? undefined : literalRole(literal);
    if (literal === undefined || !role) this.#turn.pass(1);
    else if (role.type === "reasoning-close" && this.#closes(role.row, block)) this.#close(literal.length);
    else if (role.type === "wrapper") yield* this.#callInside(block, () => this.#calls.literal(), literal.length);
    else this.#turn.pass(1);
  }

  *#tag(block: Block, bracket: boolean): Reading<void> {
    const turn = this.#turn;
    const { source } = turn;
    if (bracket && !(yield* startsWith(source, LEAD))) return turn.pass(1);
    const ahead = bracket ? LEAD.length : 0;
    const tag = yield* readTagOrCut(source, isMark, ahead);
    if (tag === "cut" && !bracket && BAR.has(source.code(1)) && dropCutMark(turn)) return;
    const role = tag === "cut" ? undefined : tag && roleOf(tag);
    if (!tag || tag === "cut" || !role) return turn.pass(Math.max(ahead, 1));
    const length = tag.raw.length + ahead;
    switch (role.type) {
      case "reasoning-close":
        return this.#closes(role.row, block) ? this.#close(length) : turn.pass(length);
      case "reasoning-open":
        return turn.sink.hasVisible ? turn.pass(length) : yield* this.#reopened(role.row, length);
      case "frame":
        return yield* this.#framing(tag);
      case "wrapper":
      case "section":
      case "braces":
      case "call":
      case "call-group":
        return yield* this.#callInside(
          block,
          bracket ? () => this.#calls.lead() : () => this.#calls.tag(role, tag),
          length,
        );
      default:
        return turn.pass(length);
    }
  }

  /** The answer's own opener ends a thought, and so does the heading of the next message; else the mark is the thought's. */
  *#framing(tag: Tag): Reading<void> {
    const { wire } = this.#turn;
    if (wire && kindIn(wire, nameOfMark(tag)) === "open") return this.#close(tag.raw.length);
    if ((yield* this.#calls.framing(tag)) === "message") this.#end();
  }

  /** The opener that the prompt has written already, written again. */
  *#reopened({ word }: ReasoningRow, length: number): Reading<void> {
    const whole = word !== undefined && (yield* startsWith(this.#turn.source, word, length));
    this.#turn.dropMark(whole ? length + word.length : length);
  }

  /**
   * A call mark inside reasoning. Where the prompt opened the block, or the model never closes it, a call ends the reasoning;
   * inside a block that the model opens and closes it is a thought about a call.
   */
  *#callInside(block: Block, read: () => Reading<unknown>, length: number): Reading<void> {
    const turn = this.#turn;
    if (turn.offered.length === 0 || block.quoted) return turn.pass(length);
    if (block.row) {
      block.closer ??= yield* this.#findCloser(block.row);
      if (turn.source.offset < block.closer) return turn.pass(length);
    }
    const before = turn.callCount;
    const at = turn.source.offset;
    yield* read();
    if (turn.callCount > before) this.#end();
    else if (turn.source.offset === at) turn.pass(length);
  }

  /** The offset of the block's closer, or -1; nothing is consumed. */
  *#findCloser(row: ReasoningRow): Reading<number> {
    const { source } = this.#turn;
    const start = source.offset;
    source.hold();
    let found = -1;
    for (;;) {
      const code = yield* seek(source, MARKS, Number.MAX_SAFE_INTEGER);
      if (code === END) break;
      const tag = code === LESS_THAN ? yield* readTag(source, isMark) : undefined;
      const literal = code === LESS_THAN ? undefined : yield* literalAt(source);
      const role = tag ? roleOf(tag) : literal === undefined ? undefined : literalRole(literal);
      if (role?.type === "reasoning-close" && role.row === row) {
        found = source.offset;
        break;
      }
      source.skip(1);
    }
    source.rewind(start);
    return found;
  }

  #closes(row: ReasoningRow, block: Block): boolean {
    return block.row ? block.row === row : this.#marks.closesOpened(row);
  }

  #open(row: ReasoningRow | undefined): void {
    this.#turn.sink.enter("reasoning");
    this.#block = { row, quoted: false, closer: undefined };
  }

  #close(length: number): void {
    this.#turn.dropMark(length);
    this.#end();
  }

  #end(): void {
    this.#block = undefined;
    this.had = true;
    this.#turn.startLine();
    this.#turn.sink.enter("text", this.#turn.shown === 0);
  }
}

function isSentence(mark: string): boolean {
  return mark.startsWith("Here ");
}

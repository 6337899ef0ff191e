// A wrapper (`<tool_call>…</tool_call>` and its many cousins): its body's first characters decide how the calls in it are read.
// The wrappers themselves stand in the families' rows.

import { decodeJson } from "../../bodies/decodeJson.ts";
import { CODE_TOOLS, LEAD } from "../../families/callTags.ts";
import type { Dialect } from "../../families/FamilyRow.ts";
import { beginsMark } from "../../families/marks.ts";
import {
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  LESS_THAN,
  OPEN_BRACE,
  OPEN_BRACKET,
  SEMICOLON,
  SLASH,
} from "../../text/codes.ts";
import { END, type Reading } from "../../text/Source.ts";
import { type ScanEnd, scanBalanced } from "../../text/scanBalanced.ts";
import { readTag, readTagOrCut, type Tag } from "../../text/Tag.ts";
import { peek, skipBlanks, skipComment, startsWith } from "../../text/waiting.ts";
import type { Turn } from "../../turn/Turn.ts";
import { announcesCall, beginsBuiltin, beginsValue, isSlip } from "../elements/bodyAhead.ts";
import { isNameChild, nameOf, opensCall } from "../elements/callMarks.ts";
import { beginsPython, isStrayBracket, isWordCode, readNamedBody } from "./namedBody.ts";
import { readProgram } from "./programCode.ts";
import { WrappedElements } from "./WrappedElements.ts";
import { WrappedFamilies } from "./WrappedFamilies.ts";
import { WrappedOutcome } from "./WrappedOutcome.ts";
import type { Wrapper } from "./Wrapper.ts";
import {
  bracketCloser,
  familiesOf,
  findEnd,
  isOwn,
  isOwnNoise,
  passCloser,
  skipToMark,
  spelling,
  WRAPS,
} from "./wrapperEnds.ts";

/** Reads a block whose opening mark stands at the cursor, and emits what it holds. */
export function* readWrapped(turn: Turn, open: Wrapper): Reading<void> {
  yield* new BlockReader(turn, open).read();
}

/** The walk through one block. Each step says whether the block is over. */
class BlockReader {
  readonly #turn: Turn;
  readonly #open: Wrapper;
  readonly #families: WrappedFamilies;
  readonly #outcome: WrappedOutcome;
  readonly #elements: WrappedElements;
  /** Behind the mark that opened the block, or the last of several: what stands before it is not read twice. */
  #markEnd: number;
  /** Anything that is no mark, blank or comma has been read. */
  #any = false;
  /** Between the lines of a fence: a call a line. */
  #fenced = false;
  /** The last body was a Python call. */
  #python = false;
  /** The block's own closer has been read. */
  #closed = false;
  /** A bracket that opens nothing has been read. */
  #stray = false;
  /** Behind the last thing that belongs to the block. */
  #end = 0;
  /** The opener stands at the start of a line. */
  readonly #onLine: boolean;

  constructor(turn: Turn, open: Wrapper) {
    this.#turn = turn;
    this.#open = open;
    this.#families = new WrappedFamilies(open, turn.options.formats);
    this.#outcome = new WrappedOutcome(turn, this.#families);
    this.#elements = new WrappedElements({ turn, open, families: this.#families, outcome: this.#outcome });
    this.#markEnd = turn.source.offset + open.raw.length;
    this.#onLine = turn.lineStart;
  }

  *read(): Reading<void> {
    const { source } = this.#turn;
    source.skip(this.#open.raw.length);
    const tag = this.#open.tag;
    if (tag && nameOf(tag) !== undefined && opensCall(tag)) {
      yield* this.#elements.read(tag);
    } else while (!(yield* this.#step()));
    this.#outcome.end();
  }

  /** Reads one thing of the body; true where the block is over. */
  *#step(): Reading<boolean> {
    const { source } = this.#turn;
    const blanks = source.offset;
    const code = yield* skipBlanks(source);
    if (code === END) return this.#atEnd();
    if (source.offset - source.heldFrom > this.#turn.options.captureChars) return this.#overlong();
    if ((code === COMMA || code === SEMICOLON) && this.#any) return this.#pass();
    if (code === SLASH && !this.#any && (yield* skipComment(source))) return false;
    if (code === LESS_THAN) return yield* this.#mark();
    if (code === CLOSE_BRACKET && (yield* startsWith(source, LEAD))) return yield* this.#mark();
    if (code === OPEN_BRACKET || code === CLOSE_BRACKET) {
      const over = yield* this.#squareBracket(code);
      if (over !== undefined) return over;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (!this.#any && !(yield* beginsValue(source))) return yield* this.#refute();
      return yield* this.#bracketed("json");
    }
    if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && this.#any) return this.#pass();
    if (code === BACKTICK && (yield* startsWith(source, "```"))) return yield* this.#fence();
    if (
      (this.#outcome.isPending || this.#any) &&
      !this.#fenced &&
      !(this.#python && (yield* beginsPython(this.#turn)))
    ) {
      if (!this.#outcome.isPending) source.back(blanks);
      return this.#flush();
    }
    return (yield* this.#isProgram()) ? yield* this.#program() : yield* this.#named();
  }

  /** Whether program code begins here: any words could be some, so where the mark stands and whose it is decides. */
  *#isProgram(): Reading<boolean> {
    const { row } = this.#open;
    if (!row.code) return false;
    const runs = isOwn(this.#turn, row) || CODE_TOOLS.some((tool) => this.#turn.offered.includes(tool));
    return (this.#onLine && runs) || (yield* beginsBuiltin(this.#turn.source));
  }

  /** A character that means nothing here. */
  #pass(): false {
    this.#turn.source.skip(1);
    return false;
  }

  /** A square bracket that is no value's: the block's closer, the next block's opener, or one that opens nothing. */
  *#squareBracket(code: number): Reading<boolean | undefined> {
    const { source } = this.#turn;
    const closer = yield* bracketCloser(this.#turn, this.#open.row);
    if (closer !== undefined) {
      source.skip(closer.length);
      this.#closed = true;
      return this.#flush();
    }
    if (code !== OPEN_BRACKET || !this.#isUnclosed) return undefined;
    if (this.#any) return this.#flush();
    if (!(yield* isStrayBracket(source))) return undefined;
    this.#stray = true;
    return this.#pass();
  }

  /** The one block whose opener stands before every call and which nothing closes. */
  get #isUnclosed(): boolean {
    return this.#open.row.open === "[TOOL_CALLS]";
  }

  /** A value in brackets, of the call `name` if that has been read; a Python call begins at `from`, before its brackets. */
  *#bracketed(dialect: Dialect, name?: string, from = this.#turn.source.offset): Reading<boolean> {
    const { source } = this.#turn;
    const array = source.code() === OPEN_BRACKET;
    const scan = yield* scanBalanced(source, source.heldFrom + this.#turn.options.captureChars);
    this.#any = true;
    if (scan !== "balanced") return yield* this.#unreadable(scan, from);
    this.#python = dialect === "python";
    this.#outcome.add({ from, to: source.offset, name, dialect: array && dialect === "json" ? "array" : dialect });
    if (this.#stray && (yield* peek(source)) === CLOSE_BRACKET) source.skip(1);
    this.#end = source.offset;
    if (!this.#isUnclosed) return false;
    // Behind its arguments, only another block of its kind goes on.
    yield* peek(source);
    return this.#flush();
  }

  /** A body whose brackets do not balance: cut, or broken by something that no value holds. */
  *#unreadable(scan: ScanEnd, from: number): Reading<boolean> {
    if (scan === "refused") return this.#overlong();
    if (scan === "broken" && this.#open.row.looseArray && (yield* this.#looseArray())) return false;
    if ((scan === "broken" || this.#turn.finish === "normal") && (yield* findEnd(this.#turn, this.#open.row, from))) {
      this.#keepFound(from);
      return yield* this.#resume();
    }
    if (scan === "cut") {
      this.#outcome.cutInside();
      return true;
    }
    yield* skipToMark(this.#turn, this.#open.row);
    this.#outcome.unbalanced();
    return yield* this.#resume();
  }

  /** A body whose end was looked for and found at the cursor. */
  #keepFound(from: number): void {
    const to = this.#turn.source.offset;
    if (decodeJson(this.#turn.captured(from, to))) this.#outcome.add({ from, to, dialect: "json" });
    else this.#outcome.unbalanced();
    this.#end = to;
  }

  /** An array whose closing bracket was left out right before the block's closer. */
  *#looseArray(): Reading<boolean> {
    const closer = yield* readTag(this.#turn.source, (name) => this.#open.row.close.includes(`/${name}`));
    return closer?.closing === true && this.#outcome.mend(this.#markEnd);
  }

  *#mark(): Reading<boolean> {
    const { source } = this.#turn;
    const lead = (yield* peek(source)) === CLOSE_BRACKET;
    const tag = lead ? yield* readTag(source, () => true, LEAD.length) : yield* readTagOrCut(source, () => true);
    if (tag === "cut") {
      this.#closed = this.#turn.finish === "normal" && beginsMark(source.rest(), true);
      if (this.#closed || this.#turn.finish === "cut") this.#turn.skipToEnd();
      return this.#atEnd();
    }
    if (!tag) return this.#any ? this.#flush() : yield* this.#refute();
    const raw = lead ? LEAD + tag.raw : tag.raw;
    if (this.#open.row.close.includes(spelling(tag))) {
      source.skip(raw.length);
      this.#closed = true;
      return this.#any ? this.#flush() : yield* this.#empty();
    }
    if (!opensCall(tag) && !isNameChild(tag)) return yield* this.#otherMark(tag, raw.length);
    this.#outcome.settle();
    this.#any = true;
    if (!isNameChild(tag)) source.skip(raw.length);
    yield* this.#elements.read({ ...tag, raw }, lead);
    return false;
  }

  /** A mark that neither closes the block nor opens a call. */
  *#otherMark(tag: Tag, length: number): Reading<boolean> {
    const { source } = this.#turn;
    if (tag.name === this.#open.row.open || WRAPS.has(tag.name)) {
      if (this.#outcome.isPending) return tag.closing ? this.#flush() : yield* this.#openerBehind(length);
      source.skip(length);
      if (!this.#any) this.#markEnd = source.offset;
      return tag.closing && !this.#any ? this.#flush() : false;
    }
    const program = tag.name === "|interpreter|";
    if (tag.closing || tag.name === "|plugin|" || program) {
      source.skip(length);
      return program && !tag.closing ? yield* this.#program() : false;
    }
    return this.#any ? this.#flush() : yield* this.#refute();
  }

  /** An opener behind a whole call begins the next block, or, as the text's last word, it was meant to be the closer. */
  *#openerBehind(length: number): Reading<boolean> {
    const { source } = this.#turn;
    source.skip(length);
    if ((yield* skipBlanks(source)) === END && this.#turn.finish === "normal") this.#closed = true;
    return this.#flush();
  }

  *#program(): Reading<boolean> {
    const program = yield* readProgram(this.#turn, this.#open.row);
    if (program === "overlong") return this.#overlong();
    const family = this.#families.of("python");
    if (program !== "cut") this.#outcome.calls(program, family);
    else this.#outcome.cut(family, "inside this program code");
    return true;
  }

  *#named(): Reading<boolean> {
    const body = yield* readNamedBody(this.#turn, this.#open.row);
    switch (body.type) {
      case "python":
        return yield* this.#bracketed("python", undefined, body.from);
      case "arguments":
        return yield* this.#bracketed("header", body.name);
      case "pairs":
        this.#any = true;
        return yield* this.#elements.readPairs(body);
      case "empty":
        this.#outcome.calls(
          [{ name: body.name, arguments: { type: "list", list: [] }, repairs: [] }],
          this.#families.ofPairs(false, body.onLine),
        );
        return true;
      case "filler":
        return false;
      case "cut":
        return this.#atEnd();
      case "prose":
        return yield* this.#refute();
      default:
        return body satisfies never;
    }
  }

  /** A fence around the body: its lines are nothing. */
  *#fence(): Reading<boolean> {
    const { source } = this.#turn;
    source.skip(3);
    while (isWordCode(yield* peek(source))) source.skip(1);
    if (this.#outcome.isPending) this.#end = source.offset;
    this.#fenced = !this.#fenced;
    return false;
  }

  /** The text ended: what is complete is a call only if the model stopped by itself. */
  #atEnd(): boolean {
    if (this.#outcome.isPending && this.#turn.finish === "normal") return this.#flush();
    if (this.#any && !this.#outcome.isPending) return true;
    this.#outcome.cutBefore();
    return true;
  }

  /** An opener and its closer with nothing between: a slip of markup, or the names of two marks. */
  *#empty(): Reading<boolean> {
    const ownLine = this.#onLine && isOwn(this.#turn, this.#open.row);
    this.#outcome.empty(ownLine || (yield* isSlip(this.#turn)));
    return true;
  }

  /** The block is over: what stands behind its last body, if that is no mark of its own, is not part of it. */
  #flush(): boolean {
    if (this.#outcome.isPending && !this.#closed) this.#turn.source.back(this.#end);
    this.#outcome.settle();
    return true;
  }

  /**
   * What follows the opener cannot be a call, so the mark is a word of the answer; but as the first thing of a turn a model's own
   * mark announced one, and up to its closer nothing is an answer.
   */
  *#refute(): Reading<boolean> {
    const { row } = this.#open;
    const announced =
      announcesCall(this.#turn, familiesOf(row)) && !row.noisy && this.#turn.source.heldFrom < this.#markEnd;
    if (announced && (yield* passCloser(this.#turn, row)))
      this.#outcome.malformed("The body of this tool call is neither JSON nor parameters.");
    else if (announced && row.special) this.#outcome.emptyMark(this.#markEnd);
    else this.#outcome.refute(this.#markEnd, isOwnNoise(this.#turn, row));
    return true;
  }

  /** After a malformed call: go on with the block at the mark that stands here. */
  *#resume(): Reading<boolean> {
    const code = yield* peek(this.#turn.source);
    this.#any = true;
    return code === END;
  }

  #overlong(): boolean {
    this.#outcome.overlong();
    return true;
  }
}

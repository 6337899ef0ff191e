// Reads a wrapper (`<tool_call>…</tool_call>` and its variants). The first characters of its body select the reader of its calls.
// Format specs list the wrappers.

import { listCall } from "../../decoders/CallCandidate.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import {
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  LESS_THAN,
  OPEN_BRACE,
  OPEN_BRACKET,
  SLASH,
} from "../../scanner/charCodes.ts";
import { matchesLiteral, measureWhile, peek, skipBlanks, skipComment } from "../../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../../scanner/Source.ts";
import { type ScanEnd, scanBalanced } from "../../scanner/scanBalanced.ts";
import { readTag, readTagOrCut, type Tag } from "../../scanner/Tag.ts";
import { CODE_TOOLS, LEAD } from "../../specs/callTags.ts";
import type { Dialect } from "../../specs/FormatSpec.ts";
import { mayBeginMarker } from "../../specs/markers.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { ANY_NAME, getName, getSpelling, isNameChild, opensCall } from "../elements/callMarkers.ts";
import { isBuiltinNext, isSlip, isValueNext } from "../elements/lookahead.ts";
import { Block, isOwn, type Wrapper } from "./Block.ts";
import { findEnd, matchLiteral, skipToMark, WRAPS } from "./blockEnds.ts";
import { isPythonNext, isStrayBracket, isWordCode, readNamedBody, readProgram } from "./namedBody.ts";

/** Reads a block whose opening marker stands at the cursor, and emits its content. */
export function* readWrappedCall(turn: ParserState, open: Wrapper): Parser<void> {
  yield* new BlockReader(turn, open).read();
}

const SEPARATORS = new StopTable(",;");

/** Reads one block. Each step returns true if the block is over. */
class BlockReader {
  readonly #turn: ParserState;
  readonly #open: Wrapper;
  readonly #block: Block;
  /** Offset after the marker that opened the block, or after the last of several. Text before it is not read twice. */
  #markEnd: number;
  /** True once anything but a marker, blank or comma was read. */
  #any = false;
  /** Between the lines of a fence: a call a line. */
  #fenced = false;
  /** The last body was a Python call. */
  #python = false;
  /** The block's own closer has been read. */
  #closed = false;
  /** A bracket that opens nothing has been read. */
  #stray = false;
  /** Offset after the last text that belongs to the block. */
  #end = 0;
  /** The opener stands at the start of a line. */
  readonly #onLine: boolean;
  /** True for the one block whose opener precedes every call and that has no closer. */
  readonly #isUnclosed: boolean;

  constructor(turn: ParserState, open: Wrapper) {
    this.#turn = turn;
    this.#open = open;
    this.#block = new Block(turn, open);
    this.#markEnd = turn.source.offset + open.raw.length;
    this.#onLine = turn.lineStart;
    this.#isUnclosed = open.row.open === "[TOOL_CALLS]";
  }

  *read(): Parser<void> {
    const { raw, tag } = this.#open;
    this.#turn.source.skip(raw.length);
    if (tag && getName(tag) !== undefined && opensCall(tag)) yield* this.#block.element(tag, false);
    else while (!(yield* this.#step()));
    // The rest of the block is markup.
    if (!this.#block.capture.isOver) this.#block.capture.drop();
  }

  /** Reads one part of the body. Returns true if the block is over. */
  *#step(): Parser<boolean> {
    const { source } = this.#turn;
    const blanks = source.offset;
    const code = yield* skipBlanks(source);
    if (code === END) return this.#atEnd();
    if (source.offset > this.#block.capture.until) return this.#block.overlong();
    if (SEPARATORS.has(code) && this.#any) return this.#pass();
    if (code === SLASH && !this.#any && (yield* skipComment(source))) return false;
    if (code === LESS_THAN) return yield* this.#mark("");
    if (code === CLOSE_BRACKET && (yield* matchesLiteral(source, LEAD))) return yield* this.#mark(LEAD);
    const over = code === OPEN_BRACKET ? yield* this.#openBracket() : undefined;
    if (over !== undefined) return over;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (!this.#any && !(yield* isValueNext(source))) return yield* this.#refute();
      return yield* this.#bracketed("json");
    }
    if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && this.#any) return this.#pass();
    if (code === BACKTICK && (yield* matchesLiteral(source, "```"))) return yield* this.#fence();
    if (this.#any && !this.#fenced && !(this.#python && (yield* isPythonNext(this.#turn)))) {
      if (this.#block.bodies.length === 0) source.back(blanks);
      return this.#flush();
    }
    return (yield* this.#isProgram()) ? yield* this.#program() : yield* this.#named();
  }

  /** A character that means nothing here. */
  #pass(): false {
    this.#turn.source.skip(1);
    return false;
  }

  /** A bracket that opens no value: the block's closer, the next block's opener, or nothing; undefined if it does. */
  *#openBracket(): Parser<boolean | undefined> {
    const { source } = this.#turn;
    const closer = yield* matchLiteral(source, this.#open.row.close);
    if (closer !== undefined) {
      source.skip(closer.length);
      this.#closed = true;
      return this.#flush();
    }
    if (!this.#isUnclosed) return undefined;
    if (this.#any) return this.#flush();
    if (!(yield* isStrayBracket(source))) return undefined;
    this.#stray = true;
    return this.#pass();
  }

  /** A value in brackets, of the call `name` if that has been read; a Python call begins at `from`, before its brackets. */
  *#bracketed(dialect: Dialect, name?: string, from = this.#turn.source.offset): Parser<boolean> {
    const { source } = this.#turn;
    const array = source.code() === OPEN_BRACKET && dialect === "json";
    const scan = yield* scanBalanced(source, this.#block.capture.until);
    this.#any = true;
    if (scan !== "balanced") return yield* this.#unreadable(scan, from);
    this.#python = dialect === "python";
    this.#block.bodies.push({ from, to: source.offset, name, dialect: array ? "array" : dialect });
    if (this.#stray && (yield* peek(source)) === CLOSE_BRACKET) source.skip(1);
    this.#end = source.offset;
    if (!this.#isUnclosed) return false;
    // After its arguments, only another block of the same kind continues.
    yield* peek(source);
    return this.#flush();
  }

  /** Handles a body with unbalanced brackets: cut, or broken by text that no value contains. */
  *#unreadable(scan: ScanEnd, from: number): Parser<boolean> {
    const { row } = this.#open;
    const block = this.#block;
    if (scan === "refused") return this.#block.overlong();
    if (scan === "broken" && row.looseArray && (yield* this.#looseArray())) return false;
    if ((scan === "broken" || this.#turn.finish === "normal") && (yield* findEnd(this.#turn, row, from))) {
      const to = this.#turn.source.offset;
      this.#end = to;
      if (decodeJson(this.#turn.source.held(from, to))) block.bodies.push({ from, to, dialect: "json" });
      else block.unbalanced();
    } else if (scan === "cut") {
      block.settle();
      return block.cut();
    } else {
      yield* skipToMark(this.#turn, row);
      block.unbalanced();
    }
    return (yield* peek(this.#turn.source)) === END;
  }

  /** Reads an array whose closing bracket is missing directly before the block's closer. */
  *#looseArray(): Parser<boolean> {
    const closer = yield* readTag(this.#turn.source, (name) => this.#open.row.close.includes(`/${name}`));
    return closer?.closing === true && this.#block.mend(this.#markEnd);
  }

  *#mark(lead: string): Parser<boolean> {
    const { source } = this.#turn;
    const read = yield* readTagOrCut(source, ANY_NAME, lead.length);
    if (read === "cut" && lead === "") {
      this.#closed = this.#turn.finish === "normal" && mayBeginMarker(source.rest(), true);
      if (this.#closed || this.#turn.finish === "cut") this.#turn.skipToEnd();
      return this.#atEnd();
    }
    if (!read || read === "cut") return this.#any ? this.#flush() : yield* this.#refute();
    const tag = { ...read, raw: lead + read.raw };
    if (this.#open.row.close.includes(getSpelling(tag))) {
      source.skip(tag.raw.length);
      this.#closed = true;
      return this.#any ? this.#flush() : yield* this.#empty();
    }
    if (!opensCall(tag) && !isNameChild(tag)) return yield* this.#otherMark(tag);
    this.#block.settle();
    this.#any = true;
    if (!isNameChild(tag)) source.skip(tag.raw.length);
    yield* this.#block.element(tag, lead !== "");
    return false;
  }

  /** Handles a marker that neither closes the block nor opens a call. */
  *#otherMark({ name, closing, raw }: Tag): Parser<boolean> {
    const { source } = this.#turn;
    const program = name === "|interpreter|";
    const wraps = name === this.#open.row.open || WRAPS.has(name);
    if (!wraps && !closing && !program && name !== "|plugin|") return this.#any ? this.#flush() : yield* this.#refute();
    if (wraps && this.#block.bodies.length > 0) return closing ? this.#flush() : yield* this.#openerBehind(raw.length);
    source.skip(raw.length);
    if (!wraps) return program && !closing ? yield* this.#program() : false;
    if (!this.#any) this.#markEnd = source.offset;
    return closing && !this.#any ? this.#flush() : false;
  }

  /** Handles an opener after a complete call: it begins the next block, or, at the end of the text, it was meant as the closer. */
  *#openerBehind(length: number): Parser<boolean> {
    const { source } = this.#turn;
    source.skip(length);
    if ((yield* skipBlanks(source)) === END && this.#turn.finish === "normal") this.#closed = true;
    return this.#flush();
  }

  /** Returns true if program code begins here. Any text could be code, so the marker's position and format decide. */
  *#isProgram(): Parser<boolean> {
    const { row } = this.#open;
    if (!row.code) return false;
    const runs = isOwn(this.#turn, row) || CODE_TOOLS.some((tool) => this.#turn.offered.includes(tool));
    return (this.#onLine && runs) || (yield* isBuiltinNext(this.#turn.source));
  }

  *#program(): Parser<boolean> {
    const program = yield* readProgram(this.#turn, this.#open.row);
    const family = this.#block.family("python");
    if (program === "overlong") return this.#block.overlong();
    if (program === "cut") return this.#block.cut("inside this program code", family);
    return this.#block.calls(program, family);
  }

  /** Reads a body that begins with a word. */
  *#named(): Parser<boolean> {
    const body = yield* readNamedBody(this.#turn, this.#open.row);
    switch (body.type) {
      case "python":
        return yield* this.#bracketed("python", undefined, body.from);
      case "arguments":
        return yield* this.#bracketed("header", body.name);
      case "pairs":
        this.#any = true;
        return yield* this.#block.pairs(body);
      case "empty": {
        const family = this.#block.familyOfPairs(false, body.onLine);
        return this.#block.calls([listCall(body.name, [])], family);
      }
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
  *#fence(): Parser<boolean> {
    const { source } = this.#turn;
    source.skip(yield* measureWhile(source, isWordCode, 3));
    if (this.#block.bodies.length > 0) this.#end = source.offset;
    this.#fenced = !this.#fenced;
    return false;
  }

  /** Ends the block with the text: a complete body is a call only if the model stopped by itself. */
  #atEnd(): true {
    const block = this.#block;
    if (block.bodies.length > 0 && this.#turn.finish === "normal") return this.#flush();
    if (this.#any && block.bodies.length === 0) return true;
    block.bodies = [];
    return block.cut("before this tool call was complete");
  }

  /** Handles an opener and its closer with nothing between: a markup slip, or a mention of both. */
  *#empty(): Parser<true> {
    const isOwnLine = this.#onLine && isOwn(this.#turn, this.#open.row);
    if (isOwnLine || (yield* isSlip(this.#turn))) this.#block.capture.drop("empty-block");
    else this.#block.capture.words();
    return true;
  }

  /** Ends the block. Text after its last body, if it is no marker of its own, is not part of it. */
  #flush(): true {
    if (this.#block.bodies.length > 0 && !this.#closed) this.#turn.source.back(this.#end);
    this.#block.settle();
    return true;
  }

  /** The text after the opener cannot be a call. */
  *#refute(): Parser<true> {
    yield* this.#block.refute(this.#markEnd);
    return true;
  }
}

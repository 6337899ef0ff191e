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
export function* readWrappedCall(state: ParserState, wrapper: Wrapper): Parser<void> {
  yield* new BlockReader(state, wrapper).read();
}

const SEPARATORS = new StopTable(",;");

/** Reads one block. Each step returns true if the block is over. */
class BlockReader {
  readonly #state: ParserState;
  readonly #wrapper: Wrapper;
  readonly #block: Block;
  /** Offset after the marker that opened the block, or after the last of several. Text before it is not read twice. */
  #markerEnd: number;
  /** True once anything but a marker, blank or comma was read. */
  #hasContent = false;
  /** Between the lines of a fence: a call a line. */
  #isFenced = false;
  /** The last body was a Python call. */
  #isPython = false;
  /** The block's own closer has been read. */
  #isClosed = false;
  /** A bracket that opens nothing has been read. */
  #hasStrayMarker = false;
  /** Offset after the last text that belongs to the block. */
  #end = 0;
  /** The opener stands at the start of a line. */
  readonly #isOnLine: boolean;
  /** True for the one block whose opener precedes every call and that has no closer. */
  readonly #isUnclosed: boolean;

  constructor(state: ParserState, wrapper: Wrapper) {
    this.#state = state;
    this.#wrapper = wrapper;
    this.#block = new Block(state, wrapper);
    this.#markerEnd = state.source.offset + wrapper.raw.length;
    this.#isOnLine = state.isAtLineStart;
    this.#isUnclosed = wrapper.row.open === "[TOOL_CALLS]";
  }

  *read(): Parser<void> {
    const { raw, tag } = this.#wrapper;
    this.#state.source.skip(raw.length);
    if (tag && getName(tag) !== undefined && opensCall(tag)) yield* this.#block.readElement(tag, false);
    else while (!(yield* this.#step()));
    // The rest of the block is markup.
    if (!this.#block.capture.hasEnded) this.#block.capture.endAsMarkup();
  }

  /** Reads one part of the body. Returns true if the block is over. */
  *#step(): Parser<boolean> {
    const { source } = this.#state;
    const blanks = source.offset;
    const code = yield* skipBlanks(source);
    if (code === END) return this.#endAtTextEnd();
    if (source.offset > this.#block.capture.maxOffset) return this.#block.endAsOversizedCall();
    if (SEPARATORS.has(code) && this.#hasContent) return this.#skipNoise();
    if (code === SLASH && !this.#hasContent && (yield* skipComment(source))) return false;
    if (code === LESS_THAN) return yield* this.#readMarker("");
    if (code === CLOSE_BRACKET && (yield* matchesLiteral(source, LEAD))) return yield* this.#readMarker(LEAD);
    const isOver = code === OPEN_BRACKET ? yield* this.#openBracket() : undefined;
    if (isOver !== undefined) return isOver;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (!this.#hasContent && !(yield* isValueNext(source))) return yield* this.#rejectBlock();
      return yield* this.#readBracketed("json");
    }
    if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && this.#hasContent) return this.#skipNoise();
    if (code === BACKTICK && (yield* matchesLiteral(source, "```"))) return yield* this.#readFence();
    if (this.#hasContent && !this.#isFenced && !(this.#isPython && (yield* isPythonNext(this.#state)))) {
      if (this.#block.bodies.length === 0) source.moveBack(blanks);
      return this.#endCalls();
    }
    return (yield* this.#isProgram()) ? yield* this.#program() : yield* this.#readNamed();
  }

  /** A character that means nothing here. */
  #skipNoise(): false {
    this.#state.source.skip(1);
    return false;
  }

  /** A bracket that opens no value: the block's closer, the next block's opener, or nothing; undefined if it does. */
  *#openBracket(): Parser<boolean | undefined> {
    const { source } = this.#state;
    const closer = yield* matchLiteral(source, this.#wrapper.row.close);
    if (closer !== undefined) {
      source.skip(closer.length);
      this.#isClosed = true;
      return this.#endCalls();
    }
    if (!this.#isUnclosed) return undefined;
    if (this.#hasContent) return this.#endCalls();
    if (!(yield* isStrayBracket(source))) return undefined;
    this.#hasStrayMarker = true;
    return this.#skipNoise();
  }

  /** A value in brackets, of the call `name` if that has been read; a Python call begins at `from`, before its brackets. */
  *#readBracketed(dialect: Dialect, name?: string, from = this.#state.source.offset): Parser<boolean> {
    const { source } = this.#state;
    const isArray = source.code() === OPEN_BRACKET && dialect === "json";
    const scan = yield* scanBalanced(source, this.#block.capture.maxOffset);
    this.#hasContent = true;
    if (scan !== "balanced") return yield* this.#readUnreadable(scan, from);
    this.#isPython = dialect === "python";
    this.#block.bodies.push({ from, to: source.offset, name, dialect: isArray ? "array" : dialect });
    if (this.#hasStrayMarker && (yield* peek(source)) === CLOSE_BRACKET) source.skip(1);
    this.#end = source.offset;
    if (!this.#isUnclosed) return false;
    // After its arguments, only another block of the same kind continues.
    yield* peek(source);
    return this.#endCalls();
  }

  /** Handles a body with unbalanced brackets: cut, or broken by text that no value contains. */
  *#readUnreadable(scan: ScanEnd, from: number): Parser<boolean> {
    const { row } = this.#wrapper;
    const block = this.#block;
    if (scan === "refused") return this.#block.endAsOversizedCall();
    if (scan === "broken" && row.looseArray && (yield* this.#readLooseArray())) return false;
    if ((scan === "broken" || this.#state.finish === "normal") && (yield* findEnd(this.#state, row, from))) {
      const to = this.#state.source.offset;
      this.#end = to;
      if (decodeJson(this.#state.source.getBuffered(from, to))) block.bodies.push({ from, to, dialect: "json" });
      else block.endAsUnbalanced();
    } else if (scan === "cut") {
      block.endAsBodies();
      return block.endAsCutCall();
    } else {
      yield* skipToMark(this.#state, row);
      block.endAsUnbalanced();
    }
    return (yield* peek(this.#state.source)) === END;
  }

  /** Reads an array whose closing bracket is missing directly before the block's closer. */
  *#readLooseArray(): Parser<boolean> {
    const closer = yield* readTag(this.#state.source, (name) => this.#wrapper.row.close.includes(`/${name}`));
    return closer?.isClosing === true && this.#block.repairUnclosedArray(this.#markerEnd);
  }

  *#readMarker(leadText: string): Parser<boolean> {
    const { source } = this.#state;
    const read = yield* readTagOrCut(source, ANY_NAME, leadText.length);
    if (read === "cut" && leadText === "") {
      this.#isClosed = this.#state.finish === "normal" && mayBeginMarker(source.getRest(), true);
      if (this.#isClosed || this.#state.finish === "cut") this.#state.skipToEnd();
      return this.#endAtTextEnd();
    }
    if (!read || read === "cut") return this.#hasContent ? this.#endCalls() : yield* this.#rejectBlock();
    const tag = { ...read, raw: leadText + read.raw };
    if (this.#wrapper.row.close.includes(getSpelling(tag))) {
      source.skip(tag.raw.length);
      this.#isClosed = true;
      return this.#hasContent ? this.#endCalls() : yield* this.#readEmpty();
    }
    if (!opensCall(tag) && !isNameChild(tag)) return yield* this.#readOtherMarker(tag);
    this.#block.endAsBodies();
    this.#hasContent = true;
    if (!isNameChild(tag)) source.skip(tag.raw.length);
    yield* this.#block.readElement(tag, leadText !== "");
    return false;
  }

  /** Handles a marker that neither closes the block nor opens a call. */
  *#readOtherMarker({ name, isClosing, raw }: Tag): Parser<boolean> {
    const { source } = this.#state;
    const program = name === "|interpreter|";
    const isWrapper = name === this.#wrapper.row.open || WRAPS.has(name);
    if (!isWrapper && !isClosing && !program && name !== "|plugin|")
      return this.#hasContent ? this.#endCalls() : yield* this.#rejectBlock();
    if (isWrapper && this.#block.bodies.length > 0)
      return isClosing ? this.#endCalls() : yield* this.#isOpenerNext(raw.length);
    source.skip(raw.length);
    if (!isWrapper) return program && !isClosing ? yield* this.#program() : false;
    if (!this.#hasContent) this.#markerEnd = source.offset;
    return isClosing && !this.#hasContent ? this.#endCalls() : false;
  }

  /** Handles an opener after a complete call: it begins the next block, or, at the end of the text, it was meant as the closer. */
  *#isOpenerNext(length: number): Parser<boolean> {
    const { source } = this.#state;
    source.skip(length);
    if ((yield* skipBlanks(source)) === END && this.#state.finish === "normal") this.#isClosed = true;
    return this.#endCalls();
  }

  /** Returns true if program code begins here. Any text could be code, so the marker's position and format decide. */
  *#isProgram(): Parser<boolean> {
    const { row } = this.#wrapper;
    if (!row.code) return false;
    const runs = isOwn(this.#state, row) || CODE_TOOLS.some((tool) => this.#state.callableNames.includes(tool));
    return (this.#isOnLine && runs) || (yield* isBuiltinNext(this.#state.source));
  }

  *#program(): Parser<boolean> {
    const program = yield* readProgram(this.#state, this.#wrapper.row);
    const formatId = this.#block.getFormatId("python");
    if (program === "overlong") return this.#block.endAsOversizedCall();
    if (program === "cut") return this.#block.endAsCutCall("inside this program code", formatId);
    return this.#block.endAsCalls(program, formatId);
  }

  /** Reads a body that begins with a word. */
  *#readNamed(): Parser<boolean> {
    const body = yield* readNamedBody(this.#state, this.#wrapper.row);
    switch (body.type) {
      case "python":
        return yield* this.#readBracketed("python", undefined, body.from);
      case "arguments":
        return yield* this.#readBracketed("header", body.name);
      case "pairs":
        this.#hasContent = true;
        return yield* this.#block.readPairs(body);
      case "empty": {
        const formatId = this.#block.getPairFormatId(false, body.isOnLine);
        return this.#block.endAsCalls([listCall(body.name, [])], formatId);
      }
      case "filler":
        return false;
      case "cut":
        return this.#endAtTextEnd();
      case "prose":
        return yield* this.#rejectBlock();
      default:
        return body satisfies never;
    }
  }

  /** A fence around the body: its lines are nothing. */
  *#readFence(): Parser<boolean> {
    const { source } = this.#state;
    source.skip(yield* measureWhile(source, isWordCode, 3));
    if (this.#block.bodies.length > 0) this.#end = source.offset;
    this.#isFenced = !this.#isFenced;
    return false;
  }

  /** Ends the block with the text: a complete body is a call only if the model stopped by itself. */
  #endAtTextEnd(): true {
    const block = this.#block;
    if (block.bodies.length > 0 && this.#state.finish === "normal") return this.#endCalls();
    if (this.#hasContent && block.bodies.length === 0) return true;
    block.bodies = [];
    return block.endAsCutCall("before this tool call was complete");
  }

  /** Handles an opener and its closer with nothing between: a markup slip, or a mention of both. */
  *#readEmpty(): Parser<true> {
    const isOwnLine = this.#isOnLine && isOwn(this.#state, this.#wrapper.row);
    if (isOwnLine || (yield* isSlip(this.#state))) this.#block.capture.endAsMarkup("empty-block");
    else this.#block.capture.endAsText();
    return true;
  }

  /** Ends the block. Text after its last body, if it is no marker of its own, is not part of it. */
  #endCalls(): true {
    if (this.#block.bodies.length > 0 && !this.#isClosed) this.#state.source.moveBack(this.#end);
    this.#block.endAsBodies();
    return true;
  }

  /** The text after the opener cannot be a call. */
  *#rejectBlock(): Parser<true> {
    yield* this.#block.rejectBlock(this.#markerEnd);
    return true;
  }
}

// Reads runs of consecutive calls without markers, bare or in a fence. They count only if the position is an answer's, the names are
// offered and the arguments fit; otherwise all is text again.

import { decodeYaml } from "../../decoders/decodeYaml.ts";
import { BACKTICK, COLON, NEWLINE, SLASH, SPACE, TILDE } from "../../scanner/charCodes.ts";
import {
  findNext,
  measureWhile,
  pauseIfSpent,
  peek,
  skipAny,
  skipBlanks,
  skipComment,
} from "../../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import type { CallShape } from "../../specs/FormatSpec.ts";
import { getFormatForForm } from "../../specs/lookupTables.ts";
import { Capture } from "../../state/Capture.ts";
import type { ParserState } from "../../state/ParserState.ts";
import type { FittedCall } from "../../state/TextSink.ts";
import { fitShape, isShapeWritten, resolveShapeFormat, type ShapeRead } from "./acceptance.ts";
import { isOpener, measureCallsEnd, readItem, skipItem } from "./callItems.ts";
import { getCallee, isLineEnd, isWordStart, readWord, skipJoints } from "./callTokens.ts";
import { PARTIAL, readNearMiss, retry } from "./nearMisses.ts";

const STARTS = new StopTable("{[`~");
/** Maximum characters of a fence's marker, and of the blanks before the closing one, that are examined. */
export const WIDEST_FENCE = 256;
/** Maximum characters of the text after an opening fence. */
const INFO_LIMIT = 40;
/** Languages of a fence that may contain calls: those that announce one, and those of code and data. */
const LANGUAGE =
  /^(?:tool_calls?|tool_code|tool_use|tool|function_call|json[c5]?|python|py|xml|ya?ml|javascript|js|plaintext|text)?$/;

/**
 * Tries to read calls at the cursor, at the start of a line. Returns true if they were emitted. Otherwise the text is unread again, and
 * the same text is not tried twice.
 */
export function* readBareShape(turn: ParserState): Parser<boolean> {
  const { source } = turn;
  const capture = new Capture(turn);
  const { calls, shape, partial, end, code } = yield* readRun(turn);
  if (calls.length === 0) return yield* readNearMiss(turn, capture);
  const closer = shape === "python" ? yield* measureCallsEnd(turn) : 0;
  const closed = closer > 1;
  const whole = closer > 0 || (code === END && turn.finish === "normal");
  const trusted = isShapeWritten(turn, shape);
  if (partial && whole && turn.shown === 0 && trusted) {
    capture.malformed(PARTIAL, resolveShapeFormat(turn, shape));
    return true;
  }
  if (partial) return capture.giveBack(PARTIAL);
  if (!trusted && !whole) return capture.giveBack("Text follows it: an answer's calls are its last words.");
  if (closer > 0) source.skip(closer);
  else if (!whole) source.back(end);
  capture.deferred(closed ? calls.map((call) => ({ ...call, origin: getFormatForForm("closed-python") })) : calls);
  // The rest is the model's comment on its calls.
  if (closed) turn.dropRest("after-action");
  return true;
}

interface CallRun {
  readonly calls: readonly FittedCall[];
  /** That of the first call. */
  readonly shape: CallShape;
  /** True if an unreadable call stands between the calls, or before or after them. */
  readonly partial: boolean;
  /** Offset after the last item. */
  readonly end: number;
  /** Character after the separators, at the cursor, if no further item began there. */
  readonly code: number;
}

/** The calls from the cursor on that have nothing but joints between them. */
function* readRun(turn: ParserState): Parser<CallRun> {
  const { source } = turn;
  const calls: FittedCall[] = [];
  let shape: CallShape | undefined;
  let partial = false;
  let listed = false;
  let end = source.offset;
  let code = yield* peek(source);
  while (code !== END && (STARTS.has(code) || isWordStart(code) || end === source.heldFrom)) {
    yield* pauseIfSpent(source);
    const from = source.offset;
    const read = yield* readShape(turn, code);
    if (read) for (const call of read.calls) calls.push(call);
    else if (!(yield* retry(turn, from, source.offset, skipItem(turn, listed)))) break;
    shape ??= read?.shape;
    partial ||= read === undefined;
    end = source.offset;
    code = yield* skipJoints(source);
    listed = /[,;]/.test(source.held(end, source.offset));
  }
  return { calls, shape: shape ?? "python", partial, end, code };
}

/** The shape at the cursor, which begins with `code`; a comment may stand in front of brackets. */
function* readShape(turn: ParserState, code: number): Parser<ShapeRead | undefined> {
  if (code === BACKTICK || code === TILDE) return yield* readFence(turn, code);
  if (code !== SLASH) return yield* readItem(turn);
  if (!(yield* skipComment(turn.source)) || !isOpener(yield* skipBlanks(turn.source))) return undefined;
  return yield* readItem(turn);
}

interface Fence {
  /** The character it is made of, and how many of them opened it. */
  readonly mark: number;
  readonly width: number;
}

/** Number of fence characters at `ahead` from the cursor, up to `WIDEST_FENCE`. */
export function* measureFence(source: Source, mark: number, ahead = 0): Parser<number> {
  return (yield* measureWhile(source, (code) => code === mark, ahead, WIDEST_FENCE)) - ahead;
}

/** Reads the calls of a fence or of inline code with the marker `mark`; undefined if it contains other text and so is a quotation. */
function* readFence(turn: ParserState, mark: number): Parser<ShapeRead | undefined> {
  const { source } = turn;
  const width = yield* measureFence(source, mark);
  if (width === WIDEST_FENCE) return undefined;
  source.skip(width);
  if (width < 3) return width === 1 && mark === BACKTICK ? yield* readInlineCode(turn) : undefined;
  const language = yield* readLanguage(turn);
  if (!LANGUAGE.test(language)) return undefined;
  return yield* language.startsWith("y") ? readYaml(turn, { mark, width }) : readFenced(turn, { mark, width });
}

/** A line that is nothing but calls in inline code, for models that were asked for the bare call. */
function* readInlineCode(turn: ParserState): Parser<ShapeRead | undefined> {
  const { source } = turn;
  const read = yield* readItem(turn, true);
  if (!read || !isShapeWritten(turn, read.shape) || (yield* peek(source)) !== BACKTICK) return undefined;
  source.skip(1);
  const behind = yield* peek(source);
  return isLineEnd(behind) || behind === SPACE ? read : undefined;
}

/** Returns the word after an opening fence, in lower case; empty if a call stands there. */
function* readLanguage(turn: ParserState): Parser<string> {
  const belongs = (code: number): boolean => code !== END && code !== NEWLINE && !isOpener(code);
  const length = yield* measureWhile(turn.source, belongs, 0, INFO_LIMIT);
  const language = turn.source.ahead(length).trim().toLowerCase();
  if (turn.resolve(getCallee(language.replace(/\(.*/s, ""))) !== undefined) return "";
  turn.source.skip(length);
  return language;
}

/** Reads the calls up to the closing fence, or to the end of an uncut text. A variable with a call may be printed. */
function* readFenced(turn: ParserState, fence: Fence): Parser<ShapeRead | undefined> {
  const { source } = turn;
  const calls: FittedCall[] = [];
  let printed = "";
  for (;;) {
    const code = yield* skipJoints(source);
    yield* pauseIfSpent(source);
    if (printed !== "" && (yield* skipAny(source, printed))) continue;
    const closer = code === END ? (turn.finish === "normal" ? 0 : undefined) : yield* closingWidth(turn, fence);
    if (closer !== undefined) {
      source.skip(closer);
      return calls.length > 0 ? { calls, shape: "fence" } : undefined;
    }
    if (!isOpener(code) && !isWordStart(code)) return undefined;
    const from = source.offset;
    const word = yield* readWord(source, 0);
    if (calls.length === 0 && word === "name" && (yield* peek(source, word.length)) === COLON)
      return yield* readYaml(turn, fence);
    const read = yield* readItem(turn);
    if (!read) return undefined;
    if (source.held(from).startsWith(`${word} = `)) printed = `print(${word})`;
    for (const call of read.calls) calls.push(call);
  }
}

function* readYaml(turn: ParserState, fence: Fence): Parser<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  const stops = new StopTable(String.fromCharCode(fence.mark));
  const width = yield* findNext(source, stops, from + turn.options.captureChars, () => closingWidth(turn, fence));
  if (width === undefined) return undefined;
  const candidate = decodeYaml(source.held(from));
  source.skip(width);
  return fitShape(turn, "fence", candidate && [candidate], getFormatForForm("yaml"));
}

/** Returns the number of characters of the closing fence at the cursor; undefined if there is none. */
function* closingWidth({ source }: ParserState, { mark, width }: Fence): Parser<number | undefined> {
  const length = yield* measureWhile(source, (code) => code === mark);
  return length >= width ? length : undefined;
}

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
export function* readBareShape(state: ParserState): Parser<boolean> {
  const { source } = state;
  const capture = new Capture(state);
  const { calls, shape, isPartial, end, code } = yield* readRun(state);
  if (calls.length === 0) return yield* readNearMiss(state, capture);
  const closer = shape === "python" ? yield* measureCallsEnd(state) : 0;
  const isClosed = closer > 1;
  const isWhole = closer > 0 || (code === END && state.finish === "normal");
  const isTrusted = isShapeWritten(state, shape);
  if (isPartial && isWhole && state.visibleCount === 0 && isTrusted) {
    capture.endAsMalformedCall(PARTIAL, resolveShapeFormat(state, shape));
    return true;
  }
  if (isPartial) return capture.rejectAsCall(PARTIAL);
  if (!isTrusted && !isWhole) return capture.rejectAsCall("Text follows it: an answer's calls are its last words.");
  if (closer > 0) source.skip(closer);
  else if (!isWhole) source.moveBack(end);
  capture.endAsDeferredCalls(
    isClosed ? calls.map((call) => ({ ...call, origin: getFormatForForm("closed-python") })) : calls,
  );
  // The rest is the model's comment on its calls.
  if (isClosed) state.dropRest("after-action");
  return true;
}

interface CallRun {
  readonly calls: readonly FittedCall[];
  /** That of the first call. */
  readonly shape: CallShape;
  /** True if an unreadable call stands between the calls, or before or after them. */
  readonly isPartial: boolean;
  /** Offset after the last item. */
  readonly end: number;
  /** Character after the separators, at the cursor, if no further item began there. */
  readonly code: number;
}

/** The calls from the cursor on that have nothing but joints between them. */
function* readRun(state: ParserState): Parser<CallRun> {
  const { source } = state;
  const calls: FittedCall[] = [];
  let shape: CallShape | undefined;
  let isPartial = false;
  let isListed = false;
  let end = source.offset;
  let code = yield* peek(source);
  while (code !== END && (STARTS.has(code) || isWordStart(code) || end === source.bufferStart)) {
    yield* pauseIfSpent(source);
    const from = source.offset;
    const shapeRead = yield* readShape(state, code);
    if (shapeRead) for (const call of shapeRead.calls) calls.push(call);
    else if (!(yield* retry(state, from, source.offset, skipItem(state, isListed)))) break;
    shape ??= shapeRead?.shape;
    isPartial ||= shapeRead === undefined;
    end = source.offset;
    code = yield* skipJoints(source);
    isListed = /[,;]/.test(source.getBuffered(end, source.offset));
  }
  return { calls, shape: shape ?? "python", isPartial, end, code };
}

/** The shape at the cursor, which begins with `code`; a comment may stand in front of brackets. */
function* readShape(state: ParserState, code: number): Parser<ShapeRead | undefined> {
  if (code === BACKTICK || code === TILDE) return yield* readFence(state, code);
  if (code !== SLASH) return yield* readItem(state);
  if (!(yield* skipComment(state.source)) || !isOpener(yield* skipBlanks(state.source))) return undefined;
  return yield* readItem(state);
}

interface Fence {
  /** The character it is made of, and how many of them opened it. */
  readonly markerCode: number;
  readonly width: number;
}

/** Number of fence characters at `ahead` from the cursor, up to `WIDEST_FENCE`. */
export function* measureFence(source: Source, marker: number, ahead = 0): Parser<number> {
  return (yield* measureWhile(source, (code) => code === marker, ahead, WIDEST_FENCE)) - ahead;
}

/** Reads the calls of a fence or of inline code with the marker `mark`; undefined if it contains other text and so is a quotation. */
function* readFence(state: ParserState, marker: number): Parser<ShapeRead | undefined> {
  const { source } = state;
  const width = yield* measureFence(source, marker);
  if (width === WIDEST_FENCE) return undefined;
  source.skip(width);
  if (width < 3) return width === 1 && marker === BACKTICK ? yield* readInlineCode(state) : undefined;
  const language = yield* readLanguage(state);
  if (!LANGUAGE.test(language)) return undefined;
  return yield* language.startsWith("y")
    ? readYaml(state, { markerCode: marker, width })
    : readFenced(state, { markerCode: marker, width });
}

/** A line that is nothing but calls in inline code, for models that were asked for the bare call. */
function* readInlineCode(state: ParserState): Parser<ShapeRead | undefined> {
  const { source } = state;
  const shapeRead = yield* readItem(state, true);
  if (!shapeRead || !isShapeWritten(state, shapeRead.shape) || (yield* peek(source)) !== BACKTICK) return undefined;
  source.skip(1);
  const nextCode = yield* peek(source);
  return isLineEnd(nextCode) || nextCode === SPACE ? shapeRead : undefined;
}

/** Returns the word after an opening fence, in lower case; empty if a call stands there. */
function* readLanguage(state: ParserState): Parser<string> {
  const accepts = (code: number): boolean => code !== END && code !== NEWLINE && !isOpener(code);
  const length = yield* measureWhile(state.source, accepts, 0, INFO_LIMIT);
  const language = state.source.peekText(length).trim().toLowerCase();
  if (state.resolve(getCallee(language.replace(/\(.*/s, ""))) !== undefined) return "";
  state.source.skip(length);
  return language;
}

/** Reads the calls up to the closing fence, or to the end of an uncut text. A variable with a call may be printed. */
function* readFenced(state: ParserState, fence: Fence): Parser<ShapeRead | undefined> {
  const { source } = state;
  const calls: FittedCall[] = [];
  let printed = "";
  for (;;) {
    const code = yield* skipJoints(source);
    yield* pauseIfSpent(source);
    if (printed !== "" && (yield* skipAny(source, printed))) continue;
    const closer =
      code === END ? (state.finish === "normal" ? 0 : undefined) : yield* measureClosingFence(state, fence);
    if (closer !== undefined) {
      source.skip(closer);
      return calls.length > 0 ? { calls, shape: "fence" } : undefined;
    }
    if (!isOpener(code) && !isWordStart(code)) return undefined;
    const from = source.offset;
    const word = yield* readWord(source, 0);
    if (calls.length === 0 && word === "name" && (yield* peek(source, word.length)) === COLON)
      return yield* readYaml(state, fence);
    const shapeRead = yield* readItem(state);
    if (!shapeRead) return undefined;
    if (source.getBuffered(from).startsWith(`${word} = `)) printed = `print(${word})`;
    for (const call of shapeRead.calls) calls.push(call);
  }
}

function* readYaml(state: ParserState, fence: Fence): Parser<ShapeRead | undefined> {
  const { source } = state;
  const from = source.offset;
  const stops = new StopTable(String.fromCharCode(fence.markerCode));
  const width = yield* findNext(source, stops, from + state.options.captureChars, () =>
    measureClosingFence(state, fence),
  );
  if (width === undefined) return undefined;
  const candidate = decodeYaml(source.getBuffered(from));
  source.skip(width);
  return fitShape(state, "fence", candidate && [candidate], getFormatForForm("yaml"));
}

/** Returns the number of characters of the closing fence at the cursor; undefined if there is none. */
function* measureClosingFence({ source }: ParserState, { markerCode, width }: Fence): Parser<number | undefined> {
  const length = yield* measureWhile(source, (code) => code === markerCode);
  return length >= width ? length : undefined;
}

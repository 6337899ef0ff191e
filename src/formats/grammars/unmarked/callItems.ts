// Reads one call or one list of calls without markers at the cursor: brackets (JSON, Python calls), `f(a=1)`, `x = f(a=1)`, `NAME{json}`,
// `functools[…]`, and a label (`TOOL_CALL: {…}`, `call:NAME{k:v}`, `tool: NAME key=value`). Refuses other text early, so that it is not
// buffered. If it reads none, the cursor may have moved.

import { type Argument, createJsonCall, listCall } from "../../decoders/CallCandidate.ts";
import { ARGUMENT_KEYS, NAME_KEYS } from "../../decoders/callObjects.ts";
import { decodeBraces } from "../../decoders/decodeBraces.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import {
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACKET,
  COLON,
  EQUALS,
  HASH,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_ROUND,
  SPACE,
} from "../../scanner/charCodes.ts";
import {
  matchesLiteral,
  measurePartialMatch,
  measureWhile,
  peek,
  skipAny,
  skipBlanks,
} from "../../scanner/combinators.ts";
import { type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import { scanBalanced } from "../../scanner/scanBalanced.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { getFormatForForm } from "../../specs/lookupTables.ts";
import { decodeBody, decodePythonBody } from "../../state/decodeBody.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { fitShape, type ShapeRead } from "./acceptance.ts";
import { scanBraces } from "./braceCalls.ts";
import { CALLEE_WORDS, getCallee, isCallLabel, isLineEnd, isWordStart, MODULE, readWord } from "./callTokens.ts";

const OPENERS = new StopTable("{[");
const QUOTES = new StopTable("\"'");
const ITEM_JOINTS = new StopTable(",;");
/** Maximum blanks after an opening bracket of a call. */
const BLANKS_LIMIT = 256;
/** Brackets and blanks before a quoted callee. */
const NESTING_LIMIT = 64;
/** Spaces between a call and the end of its line. */
const SPACES_LIMIT = 128;
/** Maximum characters of a comment after a call, and of a line of pairs. */
const COMMENT_LIMIT = 1_000;
const LINE_LIMIT = 4_096;
/** The end of a body in which a stray quote is looked for: one that closes a string which nobody opened. */
const TAIL_LENGTH = 16;
const STRAY_TAIL = /([)\]}])["'](\s*\])\s*$/;

/** Marker with which one format ends its calls. */
const CALLS_END = "<bot_end>";
/** Prefixes of a Python string: a list of strings may contain calls. */
const STRING_PREFIXES: ReadonlySet<string> = new Set(["r", "f", "b", "u"]);
/** The first keys that a call object may begin with. */
export const CALL_KEYS: ReadonlySet<string> = new Set([
  ...NAME_KEYS,
  ...ARGUMENT_KEYS,
  ...["type", "id", "index", "thought", "thoughts", "tool_call", "tool_calls", "tool_uses"],
  ...["function_call", "tool_call_id", "command", "role"],
]);

/** Any of them but a label's inside another; `quoted`: in inline code, which a single backtick ends. */
export function* readItem(state: ParserState, isQuoted = false): Parser<ShapeRead | undefined> {
  const code = yield* peek(state.source);
  return isOpener(code) ? yield* readBracketed(state) : yield* readNamed(state, isQuoted);
}

/** Returns true if the character opens brackets. */
export function isOpener(code: number): boolean {
  return OPENERS.has(code);
}

/** Number of characters of the marker that ends calls, at `ahead` from the cursor: all of them, or those with which an uncut text ends. */
export function* measureCallsEnd({ source, finish }: ParserState, ahead = 0): Parser<number> {
  if (yield* matchesLiteral(source, CALLS_END, ahead)) return CALLS_END.length;
  return finish === "normal" ? yield* measurePartialMatch(source, CALLS_END, ahead) : 0;
}

function* readBracketed(state: ParserState): Parser<ShapeRead | undefined> {
  const { source } = state;
  const from = source.offset;
  if (!(yield* mayHoldCall(state))) return undefined;
  const maxOffset = from + state.options.captureChars;
  const end = yield* scanBalanced(source, maxOffset);
  const shapeRead = end === "balanced" ? decodeBracketedCalls(state, from) : undefined;
  if (shapeRead || end === "refused") return shapeRead;
  const nextCode = source.offset;
  const hasStrayCloser =
    end === "cut" && STRAY_TAIL.test(source.getBuffered(Math.max(from, nextCode - TAIL_LENGTH), nextCode));
  source.moveBack(from);
  if (!hasStrayCloser && !(yield* isQuotedCallNext(state))) source.skip(nextCode - from);
  else if ((yield* scanBalanced(source, maxOffset, true)) === "balanced") return decodeBracketedCalls(state, from);
  return undefined;
}

function decodeBracketedCalls(state: ParserState, from: number): ShapeRead | undefined {
  const body = state.source.getBuffered(from);
  const tail = body.slice(-TAIL_LENGTH);
  const repaired = tail.replace(STRAY_TAIL, "$1$2");
  const decoded =
    decodeBody(state, body, false) ??
    (repaired === tail ? undefined : decodeBody(state, body.slice(0, -TAIL_LENGTH) + repaired, false));
  return fitShape(state, decoded?.grammar ?? "json", decoded?.candidates);
}

/** Refutes early: an object must begin with a key that a call may have, a list with an object, a list, a string or an offered name. */
function* mayHoldCall(state: ParserState): Parser<boolean> {
  const { source } = state;
  const isObject = (yield* peek(source)) === OPEN_BRACE;
  const ahead = yield* measureWhile(source, isBlank, 1, BLANKS_LIMIT - 1);
  const code = yield* peek(source, ahead);
  if (code === OPEN_BRACE || (!isObject && (code === OPEN_BRACKET || code === OPEN_ROUND))) return true;
  if (code === BACKTICK) return yield* isQuotedCallNext(state);
  if (isObject && QUOTES.has(code)) {
    const key = yield* readWord(source, ahead + 1);
    return key === "" || CALL_KEYS.has(key) || state.resolve(key) !== undefined;
  }
  if (isObject) return isWordStart(code) || code === CLOSE_BRACKET;
  if (QUOTES.has(code)) return true;
  if (!isWordStart(code) && code !== BACKSLASH) return false;
  const word = yield* readWord(source, ahead);
  const nextCode = yield* peek(source, ahead + word.length);
  return (
    (STRING_PREFIXES.has(word.toLowerCase()) && QUOTES.has(nextCode)) ||
    state.resolve(getCallee(word)) !== undefined ||
    CALLEE_WORDS.has(word) ||
    nextCode === SPACE ||
    state.callableNames.some((name) => name.startsWith(word))
  );
}

/** Returns true if the brackets at the cursor begin with a quotation mark and a call. Their quotes may not pair. */
function* isQuotedCallNext(state: ParserState): Parser<boolean> {
  const { source } = state;
  const isSkipped = (code: number): boolean => isBlank(code) || isOpener(code) || code === OPEN_ROUND;
  const ahead = yield* measureWhile(source, isSkipped, 1, NESTING_LIMIT - 1);
  const code = yield* peek(source, ahead);
  if (!QUOTES.has(code) && code !== BACKTICK) return false;
  const word = yield* readWord(source, ahead + 1);
  return state.resolve(getCallee(word)) !== undefined && (yield* peek(source, ahead + 1 + word.length)) === OPEN_ROUND;
}

function* readNamed(state: ParserState, isQuoted: boolean): Parser<ShapeRead | undefined> {
  const { source } = state;
  const from = source.offset;
  const word = yield* readWord(source, 0);
  if (word === "") return undefined;
  const nextCode = yield* peek(source, word.length);
  if (word === MODULE && nextCode === OPEN_BRACKET) {
    source.skip(word.length);
    return yield* readBracketed(state);
  }
  if (isCallLabel(word) && (nextCode === COLON || nextCode === EQUALS))
    return yield* readLabelledCall(state, word.length + 1);
  if (word === "return" && (nextCode === SPACE || nextCode === OPEN_ROUND)) {
    source.skip(word.length);
    yield* skipBlanks(source);
    return yield* readItem(state);
  }
  const isOffered = state.resolve(getCallee(word)) !== undefined;
  if (!isOffered && (yield* matchesLiteral(source, " = ", word.length))) {
    source.skip(word.length + " = ".length);
    const right = yield* readWord(source, 0);
    if (state.resolve(getCallee(right)) === undefined || (yield* peek(source, right.length)) !== OPEN_ROUND)
      return undefined;
    source.skip(right.length);
    return yield* readCallLine(state, from, false);
  }
  const isCalled = nextCode === OPEN_ROUND && (isOffered || CALLEE_WORDS.has(word));
  if (!isCalled && !isOffered) return undefined;
  source.skip(word.length);
  if (isCalled) return yield* readCallLine(state, from, isQuoted);
  if (nextCode === OPEN_BRACKET) yield* skipAny(source, "[ARGS]");
  if ((yield* skipBlanks(source)) !== OPEN_BRACE || (nextCode === NEWLINE && state.visibleCount > 0)) return undefined;
  return yield* readNamedJson(state, getCallee(word));
}

/** Reads a JSON object at the cursor, whose tool name precedes it. */
function* readNamedJson(state: ParserState, name: string): Parser<ShapeRead | undefined> {
  const { source } = state;
  const body = source.offset;
  const isWhole = (yield* scanBalanced(source, body + state.options.captureChars)) === "balanced";
  const json = isWhole ? decodeJson(source.getBuffered(body)) : undefined;
  return json && fitShape(state, "named-json", [createJsonCall(name, json)]);
}

/** A Python call that begins at `from`, from its bracket on; nothing but a joint or a comment may follow it on its line. */
function* readCallLine(state: ParserState, from: number, isQuoted: boolean): Parser<ShapeRead | undefined> {
  const { source } = state;
  if ((yield* scanBalanced(source, from + state.options.captureChars)) !== "balanced") return undefined;
  const ahead = yield* measureBlanksInLine(source);
  const code = yield* peek(source, ahead);
  if (code === HASH) {
    const shapeRead = decodePythonCalls(state, from);
    const end = shapeRead ? yield* measureWhile(source, isInLine, ahead, COMMENT_LIMIT) : 0;
    source.skip(end);
    return end < ahead + COMMENT_LIMIT ? shapeRead : undefined;
  }
  const isEnd = isItemEnd(code) || code === BACKTICK || (yield* measureCallsEnd(state, ahead)) > 0;
  if (!isEnd || (code === BACKTICK && !isQuoted && !(yield* matchesLiteral(source, "```", ahead)))) return undefined;
  return decodePythonCalls(state, from);
}

/** The Python calls from `from` to the cursor. */
function decodePythonCalls(state: ParserState, from: number): ShapeRead | undefined {
  return fitShape(state, "python", decodePythonBody(state, state.source.getBuffered(from)));
}

/** Returns the offset of the first character after spaces, up to a limit. */
function measureBlanksInLine(source: Source): Parser<number> {
  return measureWhile(source, (code) => isBlank(code) && !isLineEnd(code), 0, SPACES_LIMIT);
}

function isInLine(code: number): boolean {
  return !isLineEnd(code);
}

function isItemEnd(code: number): boolean {
  return isLineEnd(code) || ITEM_JOINTS.has(code);
}

/**
 * Moves over an item that could not be read: an offered name and its brackets, or, after a comma (`listed`), brackets alone. Returns false
 * if there is no item.
 */
export function* skipItem(state: ParserState, isListed: boolean): Parser<boolean> {
  const { source } = state;
  const maxOffset = source.offset + state.options.captureChars;
  const word = yield* readWord(source, 0);
  const bracket = yield* peek(source, word.length);
  const isNamed = state.resolve(getCallee(word)) !== undefined && (bracket === OPEN_ROUND || bracket === OPEN_BRACE);
  if (!isNamed && !(isListed && word === "" && isOpener(bracket))) return false;
  source.skip(word.length);
  if ((yield* scanBalanced(source, maxOffset)) !== "balanced") return false;
  const ahead = yield* measureBlanksInLine(source);
  return ahead < SPACES_LIMIT && isItemEnd(yield* peek(source, ahead));
}

/** Reads a call after a label of `label` characters at the cursor: a name with its arguments in any form, or calls in brackets. */
export function* readLabelledCall(state: ParserState, label: number): Parser<ShapeRead | undefined> {
  const { source } = state;
  const from = source.offset;
  const maxOffset = from + state.options.captureChars;
  source.skip(label);
  if (isOpener(yield* skipBlanks(source))) return yield* readBracketed(state);
  const nameStart = source.offset;
  const word = yield* readWord(source, 0, true);
  const name = getCallee(word.slice(word.lastIndexOf(":") + 1));
  const tool = state.resolve(name);
  if (tool === undefined) return undefined;
  source.skip(word.length);
  const nextCode = yield* peek(source);
  if (nextCode === OPEN_ROUND)
    return (yield* scanBalanced(source, maxOffset)) === "balanced" ? decodePythonCalls(state, nameStart) : undefined;
  if (nextCode === OPEN_BRACE) {
    if ((yield* scanBraces(state, "<ctrl46>", undefined)) !== "balanced") return undefined;
    const options = { strings: ["<ctrl46>", '<|"|>'], knownParameters: state.listParameters };
    const candidates = decodeBraces(source.getBuffered(from), options);
    return fitShape(state, "named-json", candidates, getFormatForForm("labelled-braces"));
  }
  if (nextCode === SPACE && (yield* peek(source, 1)) === OPEN_BRACE) {
    source.skip(1);
    return yield* readNamedJson(state, name);
  }
  const line = source.peekText(yield* measureWhile(source, isInLine, 0, LINE_LIMIT));
  source.skip(line.length);
  const list = readLinePairs(line, state.listParameters(tool));
  return list && fitShape(state, "json", [listCall(name, list)]);
}

const PAIRS = /[\s,]*([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s,"']+))/gy;

/** Reads `key=value` pairs that fill a line; undefined if it has other text. Only keys of `known` are keys. */
function readLinePairs(line: string, parameterNames: readonly string[]): readonly Argument[] | undefined {
  const found = [...line.matchAll(PAIRS)];
  const rest = line.slice(found.reduce((end, [pair]) => end + pair.length, 0)).trim();
  const isWhole = rest === "" && found.length > 0 && found.length <= parameterNames.length;
  if (!isWhole || !found.every(([, key = ""]) => parameterNames.includes(key))) return undefined;
  return found.map(([, key, double, single, bare = ""]) => ({ key, value: double ?? single ?? bare, form: "raw" }));
}

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
export function* readItem(turn: ParserState, quoted = false): Parser<ShapeRead | undefined> {
  const code = yield* peek(turn.source);
  return isOpener(code) ? yield* readBracketed(turn) : yield* readNamed(turn, quoted);
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

function* readBracketed(turn: ParserState): Parser<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  if (!(yield* mayHoldCall(turn))) return undefined;
  const until = from + turn.options.captureChars;
  const end = yield* scanBalanced(source, until);
  const read = end === "balanced" ? bracketedCalls(turn, from) : undefined;
  if (read || end === "refused") return read;
  const behind = source.offset;
  const closesStray = end === "cut" && STRAY_TAIL.test(source.held(Math.max(from, behind - TAIL_LENGTH), behind));
  source.back(from);
  if (!closesStray && !(yield* opensQuotedCall(turn))) source.skip(behind - from);
  else if ((yield* scanBalanced(source, until, true)) === "balanced") return bracketedCalls(turn, from);
  return undefined;
}

function bracketedCalls(turn: ParserState, from: number): ShapeRead | undefined {
  const body = turn.source.held(from);
  const tail = body.slice(-TAIL_LENGTH);
  const mended = tail.replace(STRAY_TAIL, "$1$2");
  const decoded =
    decodeBody(turn, body, false) ??
    (mended === tail ? undefined : decodeBody(turn, body.slice(0, -TAIL_LENGTH) + mended, false));
  return fitShape(turn, decoded?.grammar ?? "json", decoded?.candidates);
}

/** Refutes early: an object must begin with a key that a call may have, a list with an object, a list, a string or an offered name. */
function* mayHoldCall(turn: ParserState): Parser<boolean> {
  const { source } = turn;
  const object = (yield* peek(source)) === OPEN_BRACE;
  const ahead = yield* measureWhile(source, isBlank, 1, BLANKS_LIMIT - 1);
  const code = yield* peek(source, ahead);
  if (code === OPEN_BRACE || (!object && (code === OPEN_BRACKET || code === OPEN_ROUND))) return true;
  if (code === BACKTICK) return yield* opensQuotedCall(turn);
  if (object && QUOTES.has(code)) {
    const key = yield* readWord(source, ahead + 1);
    return key === "" || CALL_KEYS.has(key) || turn.resolve(key) !== undefined;
  }
  if (object) return isWordStart(code) || code === CLOSE_BRACKET;
  if (QUOTES.has(code)) return true;
  if (!isWordStart(code) && code !== BACKSLASH) return false;
  const word = yield* readWord(source, ahead);
  const behind = yield* peek(source, ahead + word.length);
  return (
    (STRING_PREFIXES.has(word.toLowerCase()) && QUOTES.has(behind)) ||
    turn.resolve(getCallee(word)) !== undefined ||
    CALLEE_WORDS.has(word) ||
    behind === SPACE ||
    turn.offered.some((name) => name.startsWith(word))
  );
}

/** Returns true if the brackets at the cursor begin with a quotation mark and a call. Their quotes may not pair. */
function* opensQuotedCall(turn: ParserState): Parser<boolean> {
  const { source } = turn;
  const opens = (code: number): boolean => isBlank(code) || isOpener(code) || code === OPEN_ROUND;
  const ahead = yield* measureWhile(source, opens, 1, NESTING_LIMIT - 1);
  const code = yield* peek(source, ahead);
  if (!QUOTES.has(code) && code !== BACKTICK) return false;
  const word = yield* readWord(source, ahead + 1);
  return turn.resolve(getCallee(word)) !== undefined && (yield* peek(source, ahead + 1 + word.length)) === OPEN_ROUND;
}

function* readNamed(turn: ParserState, quoted: boolean): Parser<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  const word = yield* readWord(source, 0);
  if (word === "") return undefined;
  const after = yield* peek(source, word.length);
  if (word === MODULE && after === OPEN_BRACKET) {
    source.skip(word.length);
    return yield* readBracketed(turn);
  }
  if (isCallLabel(word) && (after === COLON || after === EQUALS)) return yield* readLabelledCall(turn, word.length + 1);
  if (word === "return" && (after === SPACE || after === OPEN_ROUND)) {
    source.skip(word.length);
    yield* skipBlanks(source);
    return yield* readItem(turn);
  }
  const offered = turn.resolve(getCallee(word)) !== undefined;
  if (!offered && (yield* matchesLiteral(source, " = ", word.length))) {
    source.skip(word.length + " = ".length);
    const right = yield* readWord(source, 0);
    if (turn.resolve(getCallee(right)) === undefined || (yield* peek(source, right.length)) !== OPEN_ROUND)
      return undefined;
    source.skip(right.length);
    return yield* readCallLine(turn, from, false);
  }
  const called = after === OPEN_ROUND && (offered || CALLEE_WORDS.has(word));
  if (!called && !offered) return undefined;
  source.skip(word.length);
  if (called) return yield* readCallLine(turn, from, quoted);
  if (after === OPEN_BRACKET) yield* skipAny(source, "[ARGS]");
  if ((yield* skipBlanks(source)) !== OPEN_BRACE || (after === NEWLINE && turn.shown > 0)) return undefined;
  return yield* readNamedJson(turn, getCallee(word));
}

/** Reads a JSON object at the cursor, whose tool name precedes it. */
function* readNamedJson(turn: ParserState, name: string): Parser<ShapeRead | undefined> {
  const { source } = turn;
  const body = source.offset;
  const isWhole = (yield* scanBalanced(source, body + turn.options.captureChars)) === "balanced";
  const json = isWhole ? decodeJson(source.held(body)) : undefined;
  return json && fitShape(turn, "named-json", [createJsonCall(name, json)]);
}

/** A Python call that begins at `from`, from its bracket on; nothing but a joint or a comment may follow it on its line. */
function* readCallLine(turn: ParserState, from: number, quoted: boolean): Parser<ShapeRead | undefined> {
  const { source } = turn;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return undefined;
  const ahead = yield* aheadInLine(source);
  const code = yield* peek(source, ahead);
  if (code === HASH) {
    const read = pythonCalls(turn, from);
    const end = read ? yield* measureWhile(source, isInLine, ahead, COMMENT_LIMIT) : 0;
    source.skip(end);
    return end < ahead + COMMENT_LIMIT ? read : undefined;
  }
  const ends = isItemEnd(code) || code === BACKTICK || (yield* measureCallsEnd(turn, ahead)) > 0;
  if (!ends || (code === BACKTICK && !quoted && !(yield* matchesLiteral(source, "```", ahead)))) return undefined;
  return pythonCalls(turn, from);
}

/** The Python calls from `from` to the cursor. */
function pythonCalls(turn: ParserState, from: number): ShapeRead | undefined {
  return fitShape(turn, "python", decodePythonBody(turn, turn.source.held(from)));
}

/** Returns the offset of the first character after spaces, up to a limit. */
function aheadInLine(source: Source): Parser<number> {
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
export function* skipItem(turn: ParserState, listed: boolean): Parser<boolean> {
  const { source } = turn;
  const until = source.offset + turn.options.captureChars;
  const word = yield* readWord(source, 0);
  const bracket = yield* peek(source, word.length);
  const named = turn.resolve(getCallee(word)) !== undefined && (bracket === OPEN_ROUND || bracket === OPEN_BRACE);
  if (!named && !(listed && word === "" && isOpener(bracket))) return false;
  source.skip(word.length);
  if ((yield* scanBalanced(source, until)) !== "balanced") return false;
  const ahead = yield* aheadInLine(source);
  return ahead < SPACES_LIMIT && isItemEnd(yield* peek(source, ahead));
}

/** Reads a call after a label of `label` characters at the cursor: a name with its arguments in any form, or calls in brackets. */
export function* readLabelledCall(turn: ParserState, label: number): Parser<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  const until = from + turn.options.captureChars;
  source.skip(label);
  if (isOpener(yield* skipBlanks(source))) return yield* readBracketed(turn);
  const nameFrom = source.offset;
  const word = yield* readWord(source, 0, true);
  const name = getCallee(word.slice(word.lastIndexOf(":") + 1));
  const tool = turn.resolve(name);
  if (tool === undefined) return undefined;
  source.skip(word.length);
  const after = yield* peek(source);
  if (after === OPEN_ROUND)
    return (yield* scanBalanced(source, until)) === "balanced" ? pythonCalls(turn, nameFrom) : undefined;
  if (after === OPEN_BRACE) {
    if ((yield* scanBraces(turn, "<ctrl46>", undefined)) !== "balanced") return undefined;
    const options = { strings: ["<ctrl46>", '<|"|>'], knownParameters: turn.parameters };
    const candidates = decodeBraces(source.held(from), options);
    return fitShape(turn, "named-json", candidates, getFormatForForm("labelled-braces"));
  }
  if (after === SPACE && (yield* peek(source, 1)) === OPEN_BRACE) {
    source.skip(1);
    return yield* readNamedJson(turn, name);
  }
  const line = source.ahead(yield* measureWhile(source, isInLine, 0, LINE_LIMIT));
  source.skip(line.length);
  const list = readLinePairs(line, turn.parameters(tool));
  return list && fitShape(turn, "json", [listCall(name, list)]);
}

const PAIRS = /[\s,]*([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s,"']+))/gy;

/** Reads `key=value` pairs that fill a line; undefined if it has other text. Only keys of `known` are keys. */
function readLinePairs(line: string, known: readonly string[]): readonly Argument[] | undefined {
  const found = [...line.matchAll(PAIRS)];
  const rest = line.slice(found.reduce((end, [pair]) => end + pair.length, 0)).trim();
  const isWhole = rest === "" && found.length > 0 && found.length <= known.length;
  if (!isWhole || !found.every(([, key = ""]) => known.includes(key))) return undefined;
  return found.map(([, key, double, single, bare = ""]) => ({ key, value: double ?? single ?? bare, form: "raw" }));
}

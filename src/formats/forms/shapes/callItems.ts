// One call without marks, or one list of them, at the cursor: brackets (JSON, Python calls), `f(a=1)`, `x = f(a=1)`, `NAME{json}`,
// `functools[…]`, and a label (`TOOL_CALL: {…}`, `call:NAME{k:v}`, `tool: NAME key=value`). Refuses early what cannot be a call, so that
// other text is not held back. Where it reads none, the cursor is somewhere behind.

import { type Argument, jsonCall, listCall } from "../../bodies/CallCandidate.ts";
import { ARGUMENT_KEYS, NAME_KEYS } from "../../bodies/callObjects.ts";
import { decodeBraces } from "../../bodies/decodeBraces.ts";
import { decodeJson } from "../../bodies/decodeJson.ts";
import { familyOfForm } from "../../families/tables.ts";
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
} from "../../text/codes.ts";
import { type Reading, type Source, StopTable } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { aheadWhile, endsInside, peek, skipBlanks, skipOneOf, startsWith } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import { decodeBody, decodePythonBody } from "../../turn/decodeBody.ts";
import type { Turn } from "../../turn/Turn.ts";
import { fitShape, type ShapeRead } from "./belief.ts";
import { scanBraces } from "./braceCalls.ts";
import { CALLEE_WORDS, callee, isCallLabel, isLineEnd, isWordStart, MODULE, readWord } from "./callWords.ts";

const OPENERS = new StopTable("{[");
const QUOTES = new StopTable("\"'");
const ITEM_JOINTS = new StopTable(",;");
/** Blanks behind an opening bracket; more are no call. */
const BLANKS_LIMIT = 256;
/** Brackets and blanks before a quoted callee. */
const NESTING_LIMIT = 64;
/** Spaces between a call and the end of its line. */
const SPACES_LIMIT = 128;
/** Characters of a comment behind a call, and of a line of pairs. */
const COMMENT_LIMIT = 1_000;
const LINE_LIMIT = 4_096;
/** The end of a body in which a stray quote is looked for: one that closes a string which nobody opened. */
const TAIL_LENGTH = 16;
const STRAY_TAIL = /([)\]}])["'](\s*\])\s*$/;

/** The mark by which one family ends its calls. */
const CALLS_END = "<bot_end>";
/** What may stand before a Python string: a list of strings may hold calls. */
const STRING_PREFIXES: ReadonlySet<string> = new Set(["r", "f", "b", "u"]);
/** The first keys that a call object may begin with. */
export const CALL_KEYS: ReadonlySet<string> = new Set([
  ...NAME_KEYS,
  ...ARGUMENT_KEYS,
  ...["type", "id", "index", "thought", "thoughts", "tool_call", "tool_calls", "tool_uses"],
  ...["function_call", "tool_call_id", "command", "role"],
]);

/** Any of them but a label's inside another; `quoted`: in inline code, which a single backtick ends. */
export function* readItem(turn: Turn, quoted = false): Reading<ShapeRead | undefined> {
  const code = yield* peek(turn.source);
  return isOpener(code) ? yield* readBracketed(turn) : yield* readNamed(turn, quoted);
}

/** Whether brackets of their own begin with a character. */
export function isOpener(code: number): boolean {
  return OPENERS.has(code);
}

/** Characters of the mark that ends calls, `ahead` of the cursor: all of them, or those in which a text that was not cut ends. */
export function* endsCalls({ source, finish }: Turn, ahead = 0): Reading<number> {
  if (yield* startsWith(source, CALLS_END, ahead)) return CALLS_END.length;
  return finish === "normal" ? yield* endsInside(source, CALLS_END, ahead) : 0;
}

function* readBracketed(turn: Turn): Reading<ShapeRead | undefined> {
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

function bracketedCalls(turn: Turn, from: number): ShapeRead | undefined {
  const body = turn.source.held(from);
  const tail = body.slice(-TAIL_LENGTH);
  const mended = tail.replace(STRAY_TAIL, "$1$2");
  const decoded =
    decodeBody(turn, body, false) ??
    (mended === tail ? undefined : decodeBody(turn, body.slice(0, -TAIL_LENGTH) + mended, false));
  return fitShape(turn, decoded?.grammar ?? "json", decoded?.candidates);
}

/** Refutes early: an object must begin with a key that a call may have, a list with an object, a list, a string or an offered name. */
function* mayHoldCall(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const object = (yield* peek(source)) === OPEN_BRACE;
  const ahead = yield* aheadWhile(source, isBlank, 1, BLANKS_LIMIT - 1);
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
    turn.resolve(callee(word)) !== undefined ||
    CALLEE_WORDS.has(word) ||
    behind === SPACE ||
    turn.offered.some((name) => name.startsWith(word))
  );
}

/** Whether the brackets at the cursor begin with a quotation mark and a call: its quotes may not pair. */
function* opensQuotedCall(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const opens = (code: number): boolean => isBlank(code) || isOpener(code) || code === OPEN_ROUND;
  const ahead = yield* aheadWhile(source, opens, 1, NESTING_LIMIT - 1);
  const code = yield* peek(source, ahead);
  if (!QUOTES.has(code) && code !== BACKTICK) return false;
  const word = yield* readWord(source, ahead + 1);
  return turn.resolve(callee(word)) !== undefined && (yield* peek(source, ahead + 1 + word.length)) === OPEN_ROUND;
}

function* readNamed(turn: Turn, quoted: boolean): Reading<ShapeRead | undefined> {
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
  const offered = turn.resolve(callee(word)) !== undefined;
  if (!offered && (yield* startsWith(source, " = ", word.length))) {
    source.skip(word.length + " = ".length);
    const right = yield* readWord(source, 0);
    if (turn.resolve(callee(right)) === undefined || (yield* peek(source, right.length)) !== OPEN_ROUND)
      return undefined;
    source.skip(right.length);
    return yield* readCallLine(turn, from, false);
  }
  const called = after === OPEN_ROUND && (offered || CALLEE_WORDS.has(word));
  if (!called && !offered) return undefined;
  source.skip(word.length);
  if (called) return yield* readCallLine(turn, from, quoted);
  if (after === OPEN_BRACKET) yield* skipOneOf(source, "[ARGS]");
  if ((yield* skipBlanks(source)) !== OPEN_BRACE || (after === NEWLINE && turn.shown > 0)) return undefined;
  return yield* readNamedJson(turn, callee(word));
}

/** A JSON object at the cursor, whose tool's name stands before it. */
function* readNamedJson(turn: Turn, name: string): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const body = source.offset;
  const isWhole = (yield* scanBalanced(source, body + turn.options.captureChars)) === "balanced";
  const json = isWhole ? decodeJson(source.held(body)) : undefined;
  return json && fitShape(turn, "named-json", [jsonCall(name, json)]);
}

/** A Python call that begins at `from`, from its bracket on; nothing but a joint or a comment may follow it on its line. */
function* readCallLine(turn: Turn, from: number, quoted: boolean): Reading<ShapeRead | undefined> {
  const { source } = turn;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return undefined;
  const ahead = yield* aheadInLine(source);
  const code = yield* peek(source, ahead);
  if (code === HASH) {
    const read = pythonCalls(turn, from);
    const end = read ? yield* aheadWhile(source, isInLine, ahead, COMMENT_LIMIT) : 0;
    source.skip(end);
    return end < ahead + COMMENT_LIMIT ? read : undefined;
  }
  const ends = isItemEnd(code) || code === BACKTICK || (yield* endsCalls(turn, ahead)) > 0;
  if (!ends || (code === BACKTICK && !quoted && !(yield* startsWith(source, "```", ahead)))) return undefined;
  return pythonCalls(turn, from);
}

/** The Python calls from `from` to the cursor. */
function pythonCalls(turn: Turn, from: number): ShapeRead | undefined {
  return fitShape(turn, "python", decodePythonBody(turn, turn.source.held(from)));
}

/** The first place behind spaces, or where there are too many of them. */
function aheadInLine(source: Source): Reading<number> {
  return aheadWhile(source, (code) => isBlank(code) && !isLineEnd(code), 0, SPACES_LIMIT);
}

function isInLine(code: number): boolean {
  return !isLineEnd(code);
}

function isItemEnd(code: number): boolean {
  return isLineEnd(code) || ITEM_JOINTS.has(code);
}

/**
 * Moves over an item that could not be read: an offered name and its brackets, or, behind a comma (`listed`), brackets alone. False where
 * what stands here is no item.
 */
export function* passItem(turn: Turn, listed: boolean): Reading<boolean> {
  const { source } = turn;
  const until = source.offset + turn.options.captureChars;
  const word = yield* readWord(source, 0);
  const bracket = yield* peek(source, word.length);
  const named = turn.resolve(callee(word)) !== undefined && (bracket === OPEN_ROUND || bracket === OPEN_BRACE);
  if (!named && !(listed && word === "" && isOpener(bracket))) return false;
  source.skip(word.length);
  if ((yield* scanBalanced(source, until)) !== "balanced") return false;
  const ahead = yield* aheadInLine(source);
  return ahead < SPACES_LIMIT && isItemEnd(yield* peek(source, ahead));
}

/** Behind a label of `label` characters at the cursor: a name with its arguments in any form, or calls in brackets. */
export function* readLabelledCall(turn: Turn, label: number): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  const until = from + turn.options.captureChars;
  source.skip(label);
  if (isOpener(yield* skipBlanks(source))) return yield* readBracketed(turn);
  const nameFrom = source.offset;
  const word = yield* readWord(source, 0, true);
  const name = callee(word.slice(word.lastIndexOf(":") + 1));
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
    return fitShape(turn, "named-json", candidates, familyOfForm("labelled-braces"));
  }
  if (after === SPACE && (yield* peek(source, 1)) === OPEN_BRACE) {
    source.skip(1);
    return yield* readNamedJson(turn, name);
  }
  const line = source.ahead(yield* aheadWhile(source, isInLine, 0, LINE_LIMIT));
  source.skip(line.length);
  const list = readLinePairs(line, turn.parameters(tool));
  return list && fitShape(turn, "json", [listCall(name, list)]);
}

const PAIRS = /[\s,]*([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s,"']+))/gy;

/** `key=value` pairs that fill a line; undefined where anything else stands there. Only keys of `known` are keys. */
function readLinePairs(line: string, known: readonly string[]): readonly Argument[] | undefined {
  const found = [...line.matchAll(PAIRS)];
  const rest = line.slice(found.reduce((end, [pair]) => end + pair.length, 0)).trim();
  const isWhole = rest === "" && found.length > 0 && found.length <= known.length;
  if (!isWhole || !found.every(([, key = ""]) => known.includes(key))) return undefined;
  return found.map(([, key, double, single, bare = ""]) => ({ key, value: double ?? single ?? bare, form: "raw" }));
}

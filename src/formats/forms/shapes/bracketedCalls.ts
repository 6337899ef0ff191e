// Calls in brackets of their own: a JSON object or list, a list of Python calls. Finds the partner of the first bracket, and refuses
// early what cannot be a call, so that other JSON is not held back.

import { ARGUMENT_KEYS, NAME_KEYS } from "../../bodies/callObjects.ts";
import {
  APOSTROPHE,
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_ROUND,
  QUOTE,
  SPACE,
} from "../../text/codes.ts";
import { END, type Reading } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { peek, skipBlanks, skipComment } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import { type DecodedBody, decodeBody } from "../../turn/decodeBody.ts";
import type { Turn } from "../../turn/Turn.ts";
import { CALLEE_WORDS, callee, isWordStart, readWord } from "./callWords.ts";
import { familyOf, fitShape, type ShapeRead } from "./fitShape.ts";

/** Blanks behind an opening bracket; more are no call. */
const BLANKS_LIMIT = 256;
/** Brackets and blanks before a quoted callee. */
const NESTING_LIMIT = 64;
/** The end of a body in which a stray quote is looked for. */
const TAIL_LENGTH = 16;
const STRAY_TAIL = /([)\]}])["'](\s*\])\s*$/;

/** Reads the brackets at the cursor; undefined where they are no calls, and then the cursor is somewhere behind it. */
export function* readBracketed(turn: Turn): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  const object = (yield* peek(source)) === OPEN_BRACE;
  if (!(yield* mayHoldCall(turn, object))) return undefined;
  const until = from + turn.options.captureChars;
  const end = yield* scanBalanced(source, until);
  const read = end === "balanced" ? bracketedCalls(turn, from) : undefined;
  if (read || end === "refused") return read;
  const behind = source.offset;
  const closesStray = end === "cut" && endsInStrayQuote(turn.captured(Math.max(from, behind - TAIL_LENGTH), behind));
  source.back(from);
  if (closesStray || (yield* opensQuotedCall(turn))) {
    if ((yield* scanBalanced(source, until, true)) === "balanced") return bracketedCalls(turn, from);
  } else source.skip(behind - from);
  return undefined;
}

/** A comment and brackets behind it. */
export function* readCommented(turn: Turn): Reading<ShapeRead | undefined> {
  if (!(yield* skipComment(turn.source))) return undefined;
  const code = yield* skipBlanks(turn.source);
  return code === OPEN_BRACE || code === OPEN_BRACKET ? yield* readBracketed(turn) : undefined;
}

/**
 * Whether the capture is a JSON list of calls that the end of the text cut off behind one of them: the list is a unit of which nothing
 * is finished (design §5), and too much of a call to be an answer.
 */
export function* isCutList(turn: Turn): Reading<boolean> {
  const { source } = turn;
  if ((yield* peek(source)) !== END) return false;
  const body = source.peekHeld();
  const last = body.lastIndexOf("}");
  if (!/^\[\s*\{/.test(body) || last < 0) return false;
  const decoded = decodeBody(turn, `${body.slice(0, last + 1)}]`, false);
  return decoded !== undefined && turn.fit(decoded.candidates, familyOf(turn, "json")) !== undefined;
}

function bracketedCalls(turn: Turn, from: number): ShapeRead | undefined {
  const body = turn.captured(from, turn.source.offset);
  const decoded = decodeBody(turn, body, false) ?? decodeStrayEnd(turn, body);
  return fitShape(turn, decoded?.grammar === "python" ? "python" : "json", decoded?.candidates);
}

function decodeStrayEnd(turn: Turn, body: string): DecodedBody | undefined {
  const head = body.slice(0, -TAIL_LENGTH);
  const tail = body.slice(head.length);
  return endsInStrayQuote(tail) ? decodeBody(turn, head + tail.replace(STRAY_TAIL, "$1$2"), false) : undefined;
}

/** Whether brackets end in `}']`: the quote opens no string, it closes one that nobody opened. */
function endsInStrayQuote(tail: string): boolean {
  return STRAY_TAIL.test(tail);
}

/** Refutes early: an object must begin with a key that a call may have, a list with an object, a list, a string or an offered name. */
function* mayHoldCall(turn: Turn, object: boolean): Reading<boolean> {
  const { source } = turn;
  let ahead = 1;
  let code = yield* peek(source, ahead);
  while (isBlank(code) && ahead < BLANKS_LIMIT) {
    ahead += 1;
    code = yield* peek(source, ahead);
  }
  if (code === OPEN_BRACE || (!object && (code === OPEN_BRACKET || code === OPEN_ROUND))) return true;
  if (code === BACKTICK) return yield* opensQuotedCall(turn);
  if (isQuote(code)) return !object || (yield* mayBeKey(turn, ahead + 1));
  if (object) return isWordStart(code) || code === CLOSE_BRACKET;
  return (isWordStart(code) || code === BACKSLASH) && (yield* mayBeItem(turn, ahead));
}

/** Whether the key `ahead` of the cursor is one that a call object begins with, or its tool's name. */
function* mayBeKey(turn: Turn, ahead: number): Reading<boolean> {
  const key = yield* readWord(turn.source, ahead);
  return CALL_KEYS.has(key) || turn.resolve(key) !== undefined || key === "";
}

/** Whether the word `ahead` of the cursor begins a call, or a string that may hold some. */
function* mayBeItem(turn: Turn, ahead: number): Reading<boolean> {
  const word = yield* readWord(turn.source, ahead);
  const behind = yield* peek(turn.source, ahead + word.length);
  return (
    (STRING_PREFIXES.has(word.toLowerCase()) && isQuote(behind)) ||
    turn.resolve(callee(word)) !== undefined ||
    CALLEE_WORDS.has(word) ||
    behind === SPACE ||
    turn.offered.some((name) => name.startsWith(word))
  );
}

/** Whether the brackets at the cursor begin with a quotation mark and a call: its quotes may not pair. */
function* opensQuotedCall(turn: Turn): Reading<boolean> {
  const { source } = turn;
  let ahead = 1;
  let code = yield* peek(source, ahead);
  while (
    ahead < NESTING_LIMIT &&
    (isBlank(code) || code === OPEN_BRACKET || code === OPEN_BRACE || code === OPEN_ROUND)
  ) {
    ahead += 1;
    code = yield* peek(source, ahead);
  }
  if (!isQuote(code) && code !== BACKTICK) return false;
  const word = yield* readWord(source, ahead + 1);
  return turn.resolve(callee(word)) !== undefined && (yield* peek(source, ahead + 1 + word.length)) === OPEN_ROUND;
}

function isQuote(code: number): boolean {
  return code === QUOTE || code === APOSTROPHE;
}

/** What may stand before a Python string: a list of strings may hold calls. */
const STRING_PREFIXES = new Set(["r", "f", "b", "u"]);

/** The first keys that a call object may begin with. */
export const CALL_KEYS: ReadonlySet<string> = new Set([
  ...NAME_KEYS,
  ...ARGUMENT_KEYS,
  "type",
  "id",
  "index",
  "thought",
  "thoughts",
  "tool_call",
  "tool_calls",
  "tool_uses",
  "function_call",
  "tool_call_id",
  "command",
  "role",
]);

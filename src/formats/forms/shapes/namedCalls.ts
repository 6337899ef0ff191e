// Calls that begin with a word: `f(a=1)`, `x = f(a=1)`, `NAME{json}`, `functools[…]`, a label. Knows no fence.
import { announcedBy } from "../../families/tables.ts";
import {
  BACKTICK,
  COLON,
  COMMA,
  EQUALS,
  HASH,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_ROUND,
  SEMICOLON,
  SPACE,
} from "../../text/codes.ts";
import type { Reading } from "../../text/Source.ts";
import { endsInside, peek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import type { Turn } from "../../turn/Turn.ts";
import { readBracketed } from "./bracketedCalls.ts";
import { CALLEE_WORDS, callee, isCallLabel, isLineEnd, readWord } from "./callWords.ts";
import type { ShapeRead } from "./fitShape.ts";
import { readLabelledCall } from "./labelledCall.ts";
import { pythonCalls, readNamedJson, skipArguments } from "./namedArguments.ts";

/** The mark by which one family ends its calls. */
const CALLS_END = "<bot_end>";

/** Characters of that mark `ahead` of the cursor: all of them, or those in which a text that was not cut ends. */
export function* endsCalls({ source, finish }: Turn, ahead = 0): Reading<number> {
  if (yield* startsWith(source, CALLS_END, ahead)) return CALLS_END.length;
  return finish === "normal" ? yield* endsInside(source, CALLS_END, ahead) : 0;
}

/** The module whose name stands before a list of calls. */
const MODULE = announcedBy("module");
/** Spaces between a call and the end of its line. */
const SPACES_LIMIT = 128;
/** Characters of a comment behind a call. */
const COMMENT_LIMIT = 1_000;

/**
 * `f(a=1)`, `NAME{json}`, `NAME` and JSON on the next line, `call:NAME{…}`, `functools[…]`. `quoted`: inside inline code, which a
 * single backtick ends.
 */
export function* readNamed(turn: Turn, quoted = false): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  const word = yield* readWord(source, 0);
  if (word === "") return undefined;
  const after = yield* peek(source, word.length);
  if (MODULE.headers.includes(word) && after === OPEN_BRACKET) {
    source.skip(word.length);
    return yield* readBracketed(turn);
  }
  if (isCallLabel(word) && (after === COLON || after === EQUALS)) return yield* readLabelledCall(turn, word.length + 1);
  if (word === "return" && (after === SPACE || after === OPEN_ROUND)) return yield* readReturned(turn);
  const name = callee(word);
  const offered = turn.resolve(name) !== undefined;
  if (!offered && after === SPACE && (yield* startsWith(source, " = ", word.length))) {
    source.skip(word.length + " = ".length);
    return yield* readAssigned(turn, from);
  }
  if (after === OPEN_ROUND && (offered || CALLEE_WORDS.has(word))) {
    source.skip(word.length);
    return yield* readCallLine(turn, from, quoted);
  }
  if (!offered) return undefined;
  source.skip(word.length);
  if (after === OPEN_BRACKET && (yield* startsWith(source, "[ARGS]"))) source.skip("[ARGS]".length);
  if ((yield* skipBlanks(source)) !== OPEN_BRACE || (after === NEWLINE && turn.shown > 0)) return undefined;
  return yield* readNamedJson(turn, name);
}

/** What a function of Python code returns: calls. */
function* readReturned(turn: Turn): Reading<ShapeRead | undefined> {
  turn.source.skip("return".length);
  const code = yield* skipBlanks(turn.source);
  return code === OPEN_BRACKET || code === OPEN_BRACE ? yield* readBracketed(turn) : yield* readNamed(turn);
}

/** The right side of an assignment that begins at `from`. */
function* readAssigned(turn: Turn, from: number): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const right = yield* readWord(source, 0);
  const after = yield* peek(source, right.length);
  if (turn.resolve(callee(right)) === undefined || after !== OPEN_ROUND) return undefined;
  source.skip(right.length);
  return yield* readCallLine(turn, from, false);
}

/** A Python call from its bracket on; nothing but a joint or a comment may follow it on its line. */
function* readCallLine(turn: Turn, from: number, quoted: boolean): Reading<ShapeRead | undefined> {
  const { source } = turn;
  if (!(yield* skipArguments(turn, from))) return undefined;
  let ahead = 0;
  let code = yield* peek(source, ahead);
  while (isBlank(code) && !isLineEnd(code) && ahead < SPACES_LIMIT) {
    ahead += 1;
    code = yield* peek(source, ahead);
  }
  if (code === HASH) {
    const read = pythonCalls(turn, from);
    return read && (yield* skipLineComment(turn, ahead)) ? read : undefined;
  }
  const ends =
    isLineEnd(code) || code === SEMICOLON || code === COMMA || code === BACKTICK || (yield* endsCalls(turn, ahead)) > 0;
  if (!ends || (code === BACKTICK && !quoted && !(yield* startsWith(source, "```", ahead)))) return undefined;
  return pythonCalls(turn, from);
}

/** Moves over the `#` comment that begins `ahead` of the cursor, up to the end of its line; false where it is too long for one. */
function* skipLineComment(turn: Turn, ahead: number): Reading<boolean> {
  const { source } = turn;
  const until = ahead + COMMENT_LIMIT;
  let length = ahead;
  while (length < until && !isLineEnd(yield* peek(source, length))) length += 1;
  source.skip(length);
  return length < until;
}

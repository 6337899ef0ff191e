// Reads tokens of calls without markers: identifiers, callees, line ends, and the joints between two calls.

import {
  ASTERISK,
  BACKSLASH,
  CLOSE_ROUND,
  COLON,
  COMMA,
  DIGITS,
  DOT,
  LETTERS,
  MINUS,
  NEWLINE,
  SEMICOLON,
  SPACE,
} from "../../scanner/charCodes.ts";
import { matchesLiteral, measureWhile, peek, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import { ANSWER_FUNCTION } from "../../specs/chatTemplates.ts";
import { findAnnounced } from "../../specs/lookupTables.ts";
import type { ParserState } from "../../state/ParserState.ts";

const WORD_LIMIT = 128;
const WORD_STARTS = new StopTable(`${LETTERS}_`);
const WORD_PARTS = new StopTable(`${LETTERS}${DIGITS}_.-\\`);
const NUMBER = new StopTable(DIGITS);
const LINE_ENDS = new StopTable("\n\r");

/** Words before a bracket that are no callee, and the module whose name stands before a list of calls. */
export const CALLEE_WORDS: ReadonlySet<string> = new Set(["print", "await", "return", "call", "Call"]);
export const MODULE = findAnnounced("module").header;
/** Words that announce a call before `:` or `=`. */
const LABELS: ReadonlySet<string> = new Set(["tool", "call", "tool_call", "tool_calls", "function_call"]);
/** Words that begin a call, or an answer in the form of one, though no tool has the name. */
const CALL_WORDS: ReadonlySet<string> = new Set([MODULE, ...CALLEE_WORDS, ANSWER_FUNCTION.name]);
/** Separator of a name and its namespace, escaped or not. */
const NAMESPACED = /[.\\]|__/;

/** Returns true if a word before `:` or `=` announces a call. */
export function isCallLabel(word: string): boolean {
  return LABELS.has(word.toLowerCase());
}

/** Returns true if a call may begin with the word at the cursor, whose first character is `code`. In ordinary sentences none does. */
export function* mayBeginCall(state: Pick<ParserState, "toolSet" | "source">, code: number): Parser<boolean> {
  if (yield* mayName(state, code)) return true;
  const word = yield* readWord(state.source, 0);
  if (CALL_WORDS.has(word) || isCallLabel(word) || word.startsWith("function")) return true;
  return yield* matchesLiteral(state.source, " = ", word.length);
}

/** Returns true if the word at the cursor, which begins with `code`, may name an offered tool: by that character, or after a namespace. */
export function* mayName({ toolSet, source }: Pick<ParserState, "toolSet" | "source">, code: number): Parser<boolean> {
  return toolSet.nameStarts.has(code) || NAMESPACED.test(yield* readWord(source, 0));
}

/** Returns the identifier at `ahead` from the cursor, including dots and Markdown escapes, without a move. */
export function* readWord(source: Source, ahead: number, allowsColons = false): Parser<string> {
  const accepts = (code: number): boolean => WORD_PARTS.has(code) || (allowsColons && code === COLON);
  const end = yield* measureWhile(source, accepts, ahead, WORD_LIMIT + 1);
  return source.peekText(end).slice(ahead);
}

/** Returns the name of the called tool, without the namespace of one vendor's runtime and without Markdown escapes. */
export function getCallee(word: string): string {
  return word.replaceAll("\\_", "_").replace(/^default_api\./, "");
}

/** Returns true if an identifier may begin with the character. */
export function isWordStart(code: number): boolean {
  return WORD_STARTS.has(code);
}

/** Returns true if a line ends before the character, or with the text. */
export function isLineEnd(code: number): boolean {
  return code === END || LINE_ENDS.has(code);
}

/** Moves over white space and separators of calls (commas, semicolons, bullets, numbers). Returns the first character after them. */
export function* skipJoints(source: Source): Parser<number> {
  for (;;) {
    const code = yield* skipBlanks(source);
    if (code === COMMA || code === SEMICOLON) source.skip(1);
    else if (code === MINUS && (yield* peek(source, 1)) === SPACE) source.skip(2);
    // A backslash at the line's end continues the line.
    else if (code === BACKSLASH && (yield* peek(source, 1)) === NEWLINE) source.skip(2);
    else {
      const number = yield* listNumber(source);
      if (number === 0) return code;
      source.skip(number);
    }
  }
}

/** Returns the length of a list's bullet or number at the cursor, after which an item may be a call; 0 if there is none. */
export function* measureBullet(source: Source, code: number): Parser<number> {
  if (code === MINUS || code === ASTERISK) return (yield* peek(source, 1)) === SPACE ? 2 : 0;
  return NUMBER.has(code) ? yield* listNumber(source) : 0;
}

/** The length of a list's number with its dot and space (`2. `), or 0. */
function* listNumber(source: Source): Parser<number> {
  const digits = yield* measureWhile(source, (code) => NUMBER.has(code), 0, 3);
  const sign = digits === 0 ? END : yield* peek(source, digits);
  return (sign === DOT || sign === CLOSE_ROUND) && (yield* peek(source, digits + 1)) === SPACE ? digits + 2 : 0;
}

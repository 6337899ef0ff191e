// The words that calls are made of: identifiers, callees, what ends a line. Knows no shape and no tool.

import { ANSWER_FUNCTION } from "../../families/finalAnswer.ts";
import { announcedBy } from "../../families/tables.ts";
import {
  BACKSLASH,
  COLON,
  DIGIT_0,
  DIGIT_9,
  DOT,
  LOWER_A,
  LOWER_Z,
  MINUS,
  NEWLINE,
  RETURN,
  UNDERSCORE,
  UPPER_A,
  UPPER_Z,
} from "../../text/codes.ts";
import { END, type Reading, type Source } from "../../text/Source.ts";
import { aheadWhile, startsWith } from "../../text/waiting.ts";
import type { Turn } from "../../turn/Turn.ts";

const WORD_LIMIT = 128;

/** The words in front of a bracket that are no callee. */
export const CALLEE_WORDS: ReadonlySet<string> = new Set(["print", "await", "return", "call", "Call"]);

/** The words that announce a call before `:` or `=`. */
const LABELS: ReadonlySet<string> = new Set(["tool", "call", "tool_call", "tool_calls", "function_call"]);

/** Words that begin a call, or the answer in the clothes of one, though no tool is named so. */
const CALL_WORDS: ReadonlySet<string> = new Set([
  ...announcedBy("module").headers,
  ...CALLEE_WORDS,
  ANSWER_FUNCTION.name,
]);

/** Whether a word before `:` or `=` announces a call. */
export function isCallLabel(word: string): boolean {
  return LABELS.has(word.toLowerCase());
}

/** Whether a call may begin with the word at the cursor, whose first character is `code`: in a sentence none does. */
export function* mayBeginCall(turn: Turn, code: number): Reading<boolean> {
  if (yield* mayName(turn, code)) return true;
  const word = yield* readWord(turn.source, 0);
  if (CALL_WORDS.has(word) || isCallLabel(word) || word.startsWith("function")) return true;
  return yield* startsWith(turn.source, " = ", word.length);
}

/** The identifier `ahead` of the cursor, dots and Markdown escapes included, without moving. */
export function* readWord(source: Source, ahead: number, colons = false): Reading<string> {
  const belongs = (code: number): boolean => isWordPart(code) || (colons && code === COLON);
  const end = yield* aheadWhile(source, belongs, ahead, WORD_LIMIT + 1);
  return source.ahead(end).slice(ahead);
}

/** Whether the word at the cursor, which begins with `code`, may name an offered tool: by that character, or behind a namespace. */
export function* mayName({ nameStarts, source }: Turn, code: number): Reading<boolean> {
  return nameStarts.has(code) || NAMESPACED.test(yield* readWord(source, 0));
}

/** What parts a name from its namespace, escaped or not. */
const NAMESPACED = /[.\\]|__/;

/** What a spelling calls: without the namespace that one vendor's runtime puts in front, and without Markdown's escapes. */
export function callee(word: string): string {
  return word.replaceAll("\\_", "_").replace(/^default_api\./, "");
}

/** Whether an identifier may begin with a character. */
export function isWordStart(code: number): boolean {
  return (code >= LOWER_A && code <= LOWER_Z) || (code >= UPPER_A && code <= UPPER_Z) || code === UNDERSCORE;
}

/** Whether a line ends before a character, or with the text. */
export function isLineEnd(code: number): boolean {
  return code === END || code === NEWLINE || code === RETURN;
}

function isWordPart(code: number): boolean {
  return (
    isWordStart(code) || (code >= DIGIT_0 && code <= DIGIT_9) || code === DOT || code === MINUS || code === BACKSLASH
  );
}

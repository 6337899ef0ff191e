// The words that calls are made of: identifiers, callees, what ends a line. Knows no shape and no tool.
import { END, type Reading, type Source } from "../Source.ts";
import { peek } from "../Tag.ts";

const WORD_LIMIT = 128;

/** The words in front of a bracket that are no callee. */
export const CALLEE_WORDS: ReadonlySet<string> = new Set(["print", "await", "return", "call", "Call"]);

/** The identifier `ahead` of the cursor, dots and Markdown escapes included, without moving. */
export function* readWord(source: Source, ahead: number, colons = false): Reading<string> {
  let i = ahead;
  for (;;) {
    const code = yield* peek(source, i);
    const fits = isWordPart(code) || (colons && code === 58);
    if (!fits || i - ahead > WORD_LIMIT) break;
    i += 1;
  }
  return source.ahead(i).slice(ahead);
}

/** What a spelling calls: without the namespace that one vendor's runtime puts in front, and without Markdown's escapes. */
export function callee(word: string): string {
  return word.replaceAll("\\_", "_").replace(/^default_api\./, "");
}

/** Whether an identifier may begin with a character. */
export function isWordStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

/** Whether a line ends before a character, or with the text. */
export function isLineEnd(code: number): boolean {
  return code === END || code === 10 || code === 13;
}

function isWordPart(code: number): boolean {
  return isWordStart(code) || (code >= 48 && code <= 57) || code === 46 || code === 45 || code === 92;
}

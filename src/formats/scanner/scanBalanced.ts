// Finds the end of a bracketed value while it streams: JSON, JSON with single quotes, Python literals and calls.
import {
  APOSTROPHE,
  BACKSLASH,
  CLOSE_ROUND,
  DIGITS,
  LESS_THAN,
  LETTERS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_ROUND,
  QUOTE,
} from "./charCodes.ts";
import { measureWhile, peek, skipBlanks } from "./combinators.ts";
import { END, type Parser, type Source, StopTable, WAIT } from "./Source.ts";

/** Nesting beyond this is refused (design §9). */
export const DEPTH_LIMIT = 64;
/** Characters of a callee. */
const NAME_LIMIT = 126;
const CALLEE = new StopTable(`${LETTERS}${DIGITS}_.`);

export type ScanEnd =
  /** The cursor stands after the closing bracket. */
  | "balanced"
  /** The text ended first. */
  | "cut"
  /** The cursor stands at a character that no such value contains outside a string. */
  | "broken"
  /** Deeper than the limit, or longer than the capture may be. */
  | "refused";

const PLAIN = new StopTable("\"'<()[]{}");
const IN_DOUBLE = new StopTable('"\\');
const AFTER_STRING = new StopTable(",:)]}+;=<\"'");
const IN_SINGLE = new StopTable("'\\");

/**
 * Reads from an opening bracket to its partner. A quote closes a string only if `,` `:` `)` `]` `}` `+` or the end follows, so
 * that quotes which a model forgot to escape stay inside; in well-formed text that is always so. Stops at the
 * offset `until`. With `strayQuotes`, a quote before a callee and one after a bracket are no quotes: some models open one
 * around a call and forget the other.
 */
export function* scanBalanced(source: Source, maxOffset: number, allowsStrayQuotes = false): Parser<ScanEnd> {
  const openBrackets: number[] = [];
  let closerEnd = -1;
  /** The quote of the string that is being read; 0 outside. */
  let quote = 0;
  let stops = PLAIN;
  for (;;) {
    source.advance(stops, maxOffset);
    if (source.offset >= maxOffset) return "refused";
    const code = source.code();
    if (code === WAIT) {
      yield;
      continue;
    }
    if (code === END) return "cut";
    if (code === LESS_THAN) return "broken";
    if (code === BACKSLASH) {
      source.skip(1);
      let escaped = source.code();
      if (escaped === WAIT) escaped = yield* peek(source);
      if (escaped !== END) source.skip(1);
    } else if (quote !== 0) {
      source.skip(1);
      // The next character nearly always decides, so no generator is created for each string.
      if (AFTER_STRING.has(source.code()) || (yield* isStringEnd(source))) {
        quote = 0;
        stops = PLAIN;
      }
    } else if (code === QUOTE || code === APOSTROPHE) {
      const isStray = allowsStrayQuotes && (source.offset === closerEnd || (yield* isCalleeNext(source)));
      source.skip(1);
      if (isStray) continue;
      quote = code;
      stops = code === QUOTE ? IN_DOUBLE : IN_SINGLE;
    } else if (code === OPEN_ROUND || code === OPEN_BRACKET || code === OPEN_BRACE) {
      source.skip(1);
      openBrackets.push(code);
      if (openBrackets.length > DEPTH_LIMIT) return "refused";
    } else {
      source.skip(1);
      const opener = openBrackets.pop();
      closerEnd = source.offset;
      if (opener !== (code === CLOSE_ROUND ? OPEN_ROUND : code - 2)) return "broken";
      if (openBrackets.length === 0) return "balanced";
    }
  }
}

/** Returns true if a dotted name and an opening bracket follow the quote at the cursor. */
function* isCalleeNext(source: Source): Parser<boolean> {
  const end = yield* measureWhile(source, (code) => CALLEE.has(code), 1, NAME_LIMIT);
  return end > 1 && (yield* peek(source, end)) === OPEN_ROUND;
}

/** Returns true if the text after a quote lets it close a string. Consumes the blanks, which belong to either reading. */
function* isStringEnd(source: Source): Parser<boolean> {
  // A callee in quotes.
  if ((yield* peek(source)) === OPEN_ROUND) return true;
  const code = yield* skipBlanks(source);
  return code === END || AFTER_STRING.has(code);
}

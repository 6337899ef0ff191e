// What stands between two calls without marks: commas, semicolons, bullets, numbers. Knows no call.

import {
  BACKSLASH,
  CLOSE_ROUND,
  COMMA,
  DIGIT_0,
  DIGIT_9,
  DOT,
  MINUS,
  NEWLINE,
  SEMICOLON,
  SPACE,
} from "../../text/codes.ts";
import { END, type Reading, type Source } from "../../text/Source.ts";
import { peek, skipBlanks } from "../../text/waiting.ts";

/** Moves over white space and the joints between calls; returns the first character behind them. */
export function* skipJoints(source: Source): Reading<number> {
  for (;;) {
    const code = yield* skipBlanks(source);
    if (code === COMMA || code === SEMICOLON) source.skip(1);
    else if (code === MINUS && (yield* peek(source, 1)) === SPACE) source.skip(2);
    // A line that goes on behind a backslash.
    else if (code === BACKSLASH && (yield* peek(source, 1)) === NEWLINE) source.skip(2);
    else {
      const number = yield* listNumber(source);
      if (number === 0) return code;
      source.skip(number);
    }
  }
}

/** The length of a list's number with its dot and space (`2. `), or 0. */
export function* listNumber(source: Source): Reading<number> {
  let digits = 0;
  for (
    let code = yield* peek(source);
    code >= DIGIT_0 && code <= DIGIT_9 && digits < 3;
    code = yield* peek(source, digits)
  ) {
    digits += 1;
  }
  const sign = digits === 0 ? END : yield* peek(source, digits);
  return (sign === DOT || sign === CLOSE_ROUND) && (yield* peek(source, digits + 1)) === SPACE ? digits + 2 : 0;
}

// What stands between two calls without marks: commas, semicolons, bullets, numbers. Knows no call.
import { END, type Reading, type Source } from "../Source.ts";
import { peek } from "../Tag.ts";
import { skipBlanks } from "../Turn.ts";

/** Moves over white space and the joints between calls; returns the first character behind them. */
export function* skipJoints(source: Source): Reading<number> {
  for (;;) {
    const code = yield* skipBlanks(source);
    if (code === 44 || code === 59) source.skip(1);
    else if (code === 45 && (yield* peek(source, 1)) === 32) source.skip(2);
    // A line that goes on behind a backslash.
    else if (code === 92 && (yield* peek(source, 1)) === 10) source.skip(2);
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
  for (let code = yield* peek(source); code >= 48 && code <= 57 && digits < 3; code = yield* peek(source, digits)) {
    digits += 1;
  }
  const sign = digits === 0 ? END : yield* peek(source, digits);
  return (sign === 46 || sign === 41) && (yield* peek(source, digits + 1)) === 32 ? digits + 2 : 0;
}

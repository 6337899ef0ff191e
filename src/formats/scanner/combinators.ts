// Functions that read text which may not have arrived yet. Only they wait for it.
import { END, type Parser, type Source, type StopTable, WAIT } from "./Source.ts";
import { isBlank } from "./whitespace.ts";

/** Waits for the character at `ahead` from the cursor; END after the last one. */
export function* peek(source: Source, ahead = 0): Parser<number> {
  let code = source.code(ahead);
  while (code === WAIT) {
    source.keepCursor();
    yield;
    code = source.code(ahead);
  }
  return code;
}

/** Distance of the first character at or after `from` that does not belong; at most `limit` characters further. */
export function* measureWhile(
  source: Source,
  accepts: (code: number) => boolean,
  from = 0,
  limit = Number.MAX_SAFE_INTEGER,
): Parser<number> {
  for (let ahead = from; ; ahead += 1) {
    // Most characters have arrived already, so no generator is created for each: a hostile text could have a marker at each.
    let code = source.code(ahead);
    if (code === WAIT) code = yield* peek(source, ahead);
    if (!accepts(code) || ahead - from >= limit) return ahead;
  }
}

/** Ends the slice if it has used its share: for loops whose rounds cost more than characters. */
export function* pauseIfSpent(source: Source): Parser<void> {
  if (source.shouldPause()) yield;
}

/** Returns true if `literal` stands at `ahead` from the cursor. Examines no character after the first difference. */
export function* matchesLiteral(source: Source, literal: string, ahead = 0): Parser<boolean> {
  return (yield* measureMatch(source, literal, ahead)) === literal.length;
}

/** Number of characters of `literal` that stand at `ahead` from the cursor. */
export function* measureMatch(source: Source, literal: string, ahead = 0): Parser<number> {
  for (let i = 0; i < literal.length; i += 1) {
    let code = source.code(ahead + i);
    if (code === WAIT) code = yield* peek(source, ahead + i);
    if (code !== literal.charCodeAt(i)) return i;
  }
  return literal.length;
}

/** Number of characters of `literal` at `ahead` from the cursor if the text ends inside it; otherwise 0. */
export function* measurePartialMatch(source: Source, literal: string, ahead = 0): Parser<number> {
  const length = yield* measureMatch(source, literal, ahead);
  return length < literal.length && source.code(ahead + length) === END ? length : 0;
}

/** Moves to the next of `stops` and returns it; END at the end of the text and at the offset `until`. */
export function* seekStop(source: Source, stops: StopTable, maxOffset: number): Parser<number> {
  for (;;) {
    source.advance(stops, maxOffset);
    if (source.offset >= maxOffset) return END;
    // The source may have moved on meanwhile (see `wake`): look again after each wait.
    const code = source.code();
    if (code !== WAIT) return code;
    yield;
  }
}

/** Moves to the first of `stops` at which `look` finds something, and returns that; undefined at the end of the text and at the offset `until`. */
export function* findNext<Found>(
  source: Source,
  stops: StopTable,
  maxOffset: number,
  tryRead: (code: number) => Parser<Found | false | undefined>,
): Parser<Found | undefined> {
  for (;;) {
    const code = yield* seekStop(source, stops, maxOffset);
    if (code === END) return undefined;
    const found = yield* tryRead(code);
    if (found !== undefined && found !== false) return found;
    source.skip(1);
  }
}

/** Like `seek`, for text that is emitted at once: passes on the text that it moves over, piece by piece. */
export function* flowUntil(source: Source, stops: StopTable, emitText: (text: string) => void): Parser<number> {
  for (;;) {
    const text = source.readUntilStop(stops);
    if (text !== "") emitText(text);
    const code = source.code();
    if (code !== WAIT) return code;
    yield;
  }
}

/** Moves over the first of `literals` that stands here. Returns false if none does. */
export function* skipAny(source: Source, ...literals: readonly string[]): Parser<boolean> {
  for (const literal of literals) {
    if (!(yield* matchesLiteral(source, literal))) continue;
    source.skip(literal.length);
    return true;
  }
  return false;
}

/** Characters of a comment; a longer one is text. */
const COMMENT_LIMIT = 1_000;

/** Moves over a comment of a JSON dialect at the cursor (slash and star, or two slashes to the line's end). Returns false if there is none. */
export function* skipComment(source: Source): Parser<boolean> {
  const isLine = yield* matchesLiteral(source, "//");
  if (!isLine && !(yield* matchesLiteral(source, "/*"))) return false;
  const closer = isLine ? "\n" : "*/";
  for (let ahead = 2; ahead < COMMENT_LIMIT && (yield* peek(source, ahead)) !== END; ahead += 1) {
    if (!(yield* matchesLiteral(source, closer, ahead))) continue;
    source.skip(ahead + closer.length);
    return true;
  }
  return false;
}

/** Moves over white space and returns the first character after it. */
export function* skipBlanks(source: Source): Parser<number> {
  for (;;) {
    let code = source.code();
    if (code === WAIT) code = yield* peek(source);
    if (!isBlank(code)) return code;
    source.skip(1);
  }
}

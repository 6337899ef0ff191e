// Finds the end of a block whose body does not show it: the next marker that can end it. Moves the cursor and emits nothing.

import { LESS_THAN, NEWLINE, RETURN } from "../../scanner/charCodes.ts";
import { findNext, matchesLiteral, peek } from "../../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import { type KnownName, readTag, type Tag } from "../../scanner/Tag.ts";
import { TURN_ENDS, WRAPPERS, type WrapperRow } from "../../specs/lookupTables.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { ANY_NAME, getSpelling, opensCall } from "../elements/callMarkers.ts";

/** Wrappers whose opener may be doubled. */
export const WRAPS: ReadonlySet<string> = new Set(["tool_call", "tool_calls", "function_call", "function_calls"]);
const CALL_CLOSERS = new Set(["invoke", "function", "__function", "_function", "call"]);
const RESUME = new Set([...WRAPS, ...CALL_CLOSERS, "tools", "calls", "toolcalls", ...TURN_ENDS]);
const OPENERS: ReadonlySet<string> = new Set(WRAPPERS.map((row) => row.open));
const STOPS = new StopTable("<[");
/** Characters that may follow a real closer. */
const BEHIND: ReadonlySet<number> = new Set([END, NEWLINE, RETURN, LESS_THAN]);

/** Returns the one of `marks` in square brackets that stands at the cursor. */
export function* matchLiteral(source: Source, marks: readonly string[]): Parser<string | undefined> {
  for (const mark of marks) if (mark.startsWith("[") && (yield* matchesLiteral(source, mark))) return mark;
  return undefined;
}

/** A marker at the cursor. Without a tag it is one of the block's own in square brackets. */
interface Mark {
  readonly name: string;
  readonly length: number;
  readonly tag?: Tag | undefined;
}

/** Moves to the next marker of a known name before the offset `until` that `ends` accepts, and returns it. */
function nextMark(
  source: Source,
  row: WrapperRow,
  until: number,
  ends: (mark: Mark) => Parser<boolean> | boolean,
  known: KnownName = ANY_NAME,
): Parser<Mark | undefined> {
  return findNext(source, STOPS, until, function* (code) {
    const tag = code === LESS_THAN ? yield* readTag(source, known) : undefined;
    const literal = code === LESS_THAN ? undefined : yield* matchLiteral(source, [row.open, ...row.close]);
    const name = tag ? getSpelling(tag) : literal;
    const mark = name === undefined ? undefined : { name, length: tag?.raw.length ?? name.length, tag };
    const verdict = mark && ends(mark);
    return (typeof verdict === "object" ? yield* verdict : verdict) && mark;
  });
}

/**
 * Searches again for the end of a body that begins at `from` with unbalanced brackets, mostly due to an unclosed string: the first
 * opener, closer or end of the turn in the position of one. Moves the cursor there. Returns false, without a move, if there is none,
 * or if a turn has too many of these.
 */
export function* findEnd(turn: ParserState, row: WrapperRow, from: number): Parser<boolean> {
  const { source } = turn;
  const behind = source.offset;
  if (!turn.guard.mayReadAgain()) return false;
  source.back(from);
  const mark = yield* nextMark(source, row, behind + 1, function* ({ tag, name, length }) {
    if (!tag || name === row.open || TURN_ENDS.has(name)) return true;
    return row.close.includes(name) && BEHIND.has(yield* peek(source, length));
  });
  if (!mark) source.skip(behind - source.offset);
  return mark !== undefined;
}

/**
 * Moves past the block's closer, whatever stands before it. Returns false, without a move, if a call, the end of the turn or of the text comes
 * first, and if a turn has too many of these.
 */
export function* skipCloser(turn: ParserState, row: WrapperRow): Parser<boolean> {
  const { source } = turn;
  const from = source.offset;
  const until = source.heldFrom + turn.options.captureChars;
  if (row.close.length === 0 || !turn.guard.mayReadAgain()) return false;
  const mark = yield* nextMark(source, row, until, ({ tag, name }) => {
    const isOther = tag !== undefined && (opensCall(tag) || OPENERS.has(tag.name) || TURN_ENDS.has(name));
    return isOther || row.close.includes(name);
  });
  const isCloser = mark !== undefined && row.close.includes(mark.name);
  if (isCloser) source.skip(mark.length);
  else source.back(from);
  return isCloser;
}

/** Moves to the next marker that could end this call or open another. A call's own closer is skipped. */
export function* skipToMark({ source, options }: ParserState, row: WrapperRow): Parser<void> {
  const until = source.heldFrom + options.captureChars;
  const known: KnownName = (name) =>
    name === "" || RESUME.has(name) || row.close.includes(`/${name}`) || row.close.includes(name);
  const mark = yield* nextMark(source, row, until, () => true, known);
  if (mark?.tag?.closing && CALL_CLOSERS.has(mark.tag.name)) source.skip(mark.length);
}

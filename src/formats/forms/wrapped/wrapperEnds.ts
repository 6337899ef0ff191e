// Where a block ends or goes on when its body does not say so itself. Moves the cursor; emits nothing.

import { TURN_ENDS, WRAPPERS, type WrapperRow } from "../../families/tables.ts";
import { LESS_THAN, NEWLINE, OPEN_BRACKET, RETURN } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { readTag, type Tag } from "../../text/Tag.ts";
import { peek, seek, startsWith } from "../../text/waiting.ts";
import type { Turn } from "../../turn/Turn.ts";
import { opensCall } from "../elements/callMarks.ts";

/** Wrappers whose opener may stand doubled. */
export const WRAPS: ReadonlySet<string> = new Set(["tool_call", "tool_calls", "function_call", "function_calls"]);
const CALL_CLOSERS = new Set(["invoke", "function", "__function", "_function", "call"]);
const RESUME = new Set([...WRAPS, ...CALL_CLOSERS, "tools", "calls", "toolcalls", ...TURN_ENDS]);
const OPENERS: ReadonlySet<string> = new Set(WRAPPERS.map((row) => row.open));
const STOPS = new StopTable("<[");
const FAMILIES: ReadonlyMap<WrapperRow, readonly string[]> = new Map(
  WRAPPERS.map((row) => [row, [...[...row.families.values()].flat(), ...row.namespaces.values()]]),
);

/** The families that write this row's marks. */
export function familiesOf(row: WrapperRow): readonly string[] {
  return FAMILIES.get(row) ?? [];
}

/** Whether the model is known to write this row's marks. */
export function isOwn(turn: Turn, row: WrapperRow): boolean {
  return turn.options.formats.some((format) => familiesOf(row).includes(format));
}

/** Whether the model puts the marks of this row around answers too: then they are neither calls nor words. */
export function isOwnNoise(turn: Turn, row: WrapperRow): boolean {
  return row.noisy === true && isOwn(turn, row);
}

/** A mark's name as the rows of blocks spell it. */
export function spelling(tag: Tag): string {
  return tag.closing ? `/${tag.name}` : tag.name;
}

/** The closer in square brackets at the cursor, if this block has one. */
export function* bracketCloser(turn: Turn, row: WrapperRow): Reading<string | undefined> {
  for (const closer of row.close) {
    if (closer.startsWith("[") && (yield* startsWith(turn.source, closer))) return closer;
  }
  return undefined;
}

/**
 * Looks again for the end of a body that begins at `from` and whose brackets do not match, a string that is never closed being the
 * usual reason: the first opener, closer or end of the turn that stands where one would. The cursor then stands there; false, and
 * the cursor where it was, if there is none, or where a turn has too many of these.
 */
export function* findEnd(turn: Turn, row: WrapperRow, from: number): Reading<boolean> {
  const { source } = turn;
  const behind = source.offset;
  if (!turn.guard.mayReadAgain()) return false;
  source.back(from);
  for (;;) {
    if ((yield* seek(source, STOPS, behind + 1)) === END) break;
    if (yield* endStands(turn, row)) return true;
    source.skip(1);
  }
  source.skip(behind - source.offset);
  return false;
}

/** Whether a mark at the cursor ends this block: another opener, the turn's end, or a closer with a line's end or a mark behind it. */
function* endStands(turn: Turn, { open, close }: WrapperRow): Reading<boolean> {
  const { source } = turn;
  for (const literal of [open, ...close]) {
    if (literal.startsWith("[") && (yield* startsWith(source, literal))) return true;
  }
  if ((yield* peek(source)) !== LESS_THAN) return false;
  const tag = yield* readTag(source, () => true);
  if (!tag) return false;
  const name = spelling(tag);
  if (name === open || TURN_ENDS.has(name)) return true;
  if (!close.includes(name)) return false;
  const next = yield* peek(source, tag.raw.length);
  return next === END || next === NEWLINE || next === RETURN || next === LESS_THAN;
}

/**
 * Moves behind the block's closer, whatever stands before it; false, and the cursor where it was, where a call, the end of the turn
 * or of the text comes first, and where a turn has too many of these.
 */
export function* passCloser(turn: Turn, row: WrapperRow): Reading<boolean> {
  const { source } = turn;
  const from = source.offset;
  const until = source.heldFrom + turn.options.captureChars;
  if (row.close.length === 0 || !turn.guard.mayReadAgain()) return false;
  for (;;) {
    const code = yield* seek(source, STOPS, until);
    if (code === END) break;
    const literal = code === OPEN_BRACKET ? yield* bracketCloser(turn, row) : undefined;
    const tag = code === LESS_THAN ? yield* readTag(source, () => true) : undefined;
    const closer = tag && row.close.includes(spelling(tag)) ? tag.raw : literal;
    if (closer !== undefined) {
      source.skip(closer.length);
      return true;
    }
    if (tag && (opensCall(tag) || OPENERS.has(tag.name) || TURN_ENDS.has(spelling(tag)))) break;
    if (code === LESS_THAN || code === OPEN_BRACKET) source.skip(1);
  }
  source.back(from);
  return false;
}

/** Moves to the next mark that could end this call or open another; a call's own closer is passed over. */
export function* skipToMark(turn: Turn, row: WrapperRow): Reading<void> {
  const { source } = turn;
  const until = source.heldFrom + turn.options.captureChars;
  for (;;) {
    const code = yield* seek(source, STOPS, until);
    if (code === END || (code === OPEN_BRACKET && (yield* endStands(turn, row)))) return;
    if (code === OPEN_BRACKET) {
      source.skip(1);
      continue;
    }
    const tag = yield* readTag(
      source,
      (name) => name === "" || RESUME.has(name) || row.close.includes(`/${name}`) || row.close.includes(name),
    );
    if (tag) {
      if (tag.closing && CALL_CLOSERS.has(tag.name)) source.skip(tag.raw.length);
      return;
    }
    source.skip(1);
  }
}

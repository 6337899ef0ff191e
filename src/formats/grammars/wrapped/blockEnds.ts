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
const OPENERS: ReadonlySet<string> = new Set(WRAPPERS.map((spec) => spec.open));
const STOPS = new StopTable("<[");
/** Characters that may follow a real closer. */
const BEHIND: ReadonlySet<number> = new Set([END, NEWLINE, RETURN, LESS_THAN]);

/** Returns the one of `marks` in square brackets that stands at the cursor. */
export function* matchLiteral(source: Source, markers: readonly string[]): Parser<string | undefined> {
  for (const marker of markers) if (marker.startsWith("[") && (yield* matchesLiteral(source, marker))) return marker;
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
  spec: WrapperRow,
  maxOffset: number,
  isEnd: (marker: Mark) => Parser<boolean> | boolean,
  isKnown: KnownName = ANY_NAME,
): Parser<Mark | undefined> {
  return findNext(source, STOPS, maxOffset, function* (code) {
    const tag = code === LESS_THAN ? yield* readTag(source, isKnown) : undefined;
    const literal = code === LESS_THAN ? undefined : yield* matchLiteral(source, [spec.open, ...spec.close]);
    const name = tag ? getSpelling(tag) : literal;
    const marker = name === undefined ? undefined : { name, length: tag?.raw.length ?? name.length, tag };
    const verdict = marker && isEnd(marker);
    return (typeof verdict === "object" ? yield* verdict : verdict) && marker;
  });
}

/**
 * Searches again for the end of a body that begins at `from` with unbalanced brackets, mostly due to an unclosed string: the first
 * opener, closer or end of the turn in the position of one. Moves the cursor there. Returns false, without a move, if there is none,
 * or if a turn has too many of these.
 */
export function* findEnd(state: ParserState, spec: WrapperRow, from: number): Parser<boolean> {
  const { source } = state;
  const nextCode = source.offset;
  if (!state.guard.countReread()) return false;
  source.moveBack(from);
  const marker = yield* nextMark(source, spec, nextCode + 1, function* ({ tag, name, length }) {
    if (!tag || name === spec.open || TURN_ENDS.has(name)) return true;
    return spec.close.includes(name) && BEHIND.has(yield* peek(source, length));
  });
  if (!marker) source.skip(nextCode - source.offset);
  return marker !== undefined;
}

/**
 * Moves past the block's closer, whatever stands before it. Returns false, without a move, if a call, the end of the turn or of the text comes
 * first, and if a turn has too many of these.
 */
export function* skipCloser(state: ParserState, spec: WrapperRow): Parser<boolean> {
  const { source } = state;
  const from = source.offset;
  const maxOffset = source.bufferStart + state.options.captureChars;
  if (spec.close.length === 0 || !state.guard.countReread()) return false;
  const marker = yield* nextMark(source, spec, maxOffset, ({ tag, name }) => {
    const isOther = tag !== undefined && (opensCall(tag) || OPENERS.has(tag.name) || TURN_ENDS.has(name));
    return isOther || spec.close.includes(name);
  });
  const isCloser = marker !== undefined && spec.close.includes(marker.name);
  if (isCloser) source.skip(marker.length);
  else source.moveBack(from);
  return isCloser;
}

/** Moves to the next marker that could end this call or open another. A call's own closer is skipped. */
export function* skipToMark({ source, options }: ParserState, spec: WrapperRow): Parser<void> {
  const maxOffset = source.bufferStart + options.captureChars;
  const isKnown: KnownName = (name) =>
    name === "" || RESUME.has(name) || spec.close.includes(`/${name}`) || spec.close.includes(name);
  const marker = yield* nextMark(source, spec, maxOffset, () => true, isKnown);
  if (marker?.tag?.isClosing && CALL_CLOSERS.has(marker.tag.name)) source.skip(marker.length);
}

// Finds the end of brace-literal calls (`call:NAME{key:value}`), with the string delimiters of each format. `decodeBraces` reads them.

import { decodeBraces } from "../../decoders/decodeBraces.ts";
import { BACKSLASH, LESS_THAN, NEWLINE, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../scanner/charCodes.ts";
import { findNext, matchesLiteral, peek, seekStop, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../../scanner/Source.ts";
import { DEPTH_LIMIT } from "../../scanner/scanBalanced.ts";
import { readTag, type Tag } from "../../scanner/Tag.ts";
import { trimBlanks } from "../../scanner/whitespace.ts";
import type { BraceRow } from "../../specs/lookupTables.ts";
import { Capture } from "../../state/Capture.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { areBracesNext } from "../elements/lookahead.ts";

const STOPS = new StopTable('<{}[]"');
/** First character of the tokens around strings. */
const QUOTE_STARTS = new StopTable("<");

export type BraceEnd = "balanced" | "closed" | "cut" | "broken" | "refused";

/** Reads a call whose opening marker stands at the cursor. A marker without a name and braces after it is text. */
export function* readBraceCall(state: ParserState, spec: BraceRow, open: Tag): Parser<void> {
  const { source } = state;
  if (!(yield* areBracesNext(state, spec.family, open.raw.length))) return state.writeNext(open.raw.length);
  const capture = new Capture(state);
  source.skip(open.raw.length);
  const from = source.offset;
  const end = yield* scanBraces(state, spec.quote, spec.close);
  if (end === "cut") return capture.endAsCutCall(spec.family);
  if (end === "refused") return capture.endAsOversizedCall(spec.family);
  const to = source.offset;
  const code = end === "balanced" ? yield* skipBlanks(source) : yield* peek(source);
  const closer = code === LESS_THAN ? yield* readTag(source, (name) => name === spec.close) : undefined;
  if (closer) source.skip(closer.raw.length);
  else if (end === "balanced" && code === END && state.finish === "cut")
    return capture.endAsCutCall(spec.family, "before this tool call was closed");
  else source.moveBack(to);
  const body = trimBlanks(source.getBuffered(from, to));
  const isClosed = end === "closed";
  const candidates = decodeBraces(body, {
    strings: [spec.quote],
    knownParameters: state.listParameters,
    closed: isClosed,
  });
  if (candidates && candidates.length > 0) capture.endAsCalls(candidates, spec.family);
  else capture.endAsMalformedCall("This tool call has no readable name and arguments.", spec.family);
}

/**
 * Reads to the brace that closes the first one. Strings between quote tokens are skipped completely, so their content is data.
 * `closed`: the closing marker came while one brace was still open; the cursor stands before it.
 */
export function* scanBraces(state: ParserState, quote: string, close: string | undefined): Parser<BraceEnd> {
  const { source } = state;
  const maxOffset = source.bufferStart + state.options.captureChars;
  let depth = 0;
  for (;;) {
    const code = yield* seekStop(source, STOPS, maxOffset);
    if (source.offset >= maxOffset) return "refused";
    if (code === END) return "cut";
    if (code === LESS_THAN) {
      if (yield* matchesLiteral(source, quote)) {
        source.skip(quote.length);
        if (!(yield* findNext(source, QUOTE_STARTS, maxOffset, () => matchesLiteral(source, quote)))) return "cut";
        source.skip(quote.length);
        continue;
      }
      const tag = close === undefined ? undefined : yield* readTag(source, (name) => name === close);
      if (tag) return depth === 1 ? "closed" : "broken";
      source.skip(1);
      continue;
    }
    source.skip(1);
    if (code === QUOTE) {
      yield* skipJsonString(state, maxOffset);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > DEPTH_LIMIT) return "refused";
    } else {
      depth -= 1;
      if (depth <= 0) return depth === 0 ? "balanced" : "broken";
    }
  }
}

const STRING_STOPS = new StopTable('"\\\n');

/** A JSON string on one line; an unpaired quote is a character like any other. */
function* skipJsonString(state: ParserState, maxOffset: number): Parser<void> {
  const { source } = state;
  for (;;) {
    const code = yield* seekStop(source, STRING_STOPS, maxOffset);
    if (code === END || code === NEWLINE) return;
    if (code === BACKSLASH) {
      source.skip(1);
      if ((yield* peek(source)) !== END) source.skip(1);
    } else if (code === QUOTE) {
      source.skip(1);
      return;
    }
  }
}

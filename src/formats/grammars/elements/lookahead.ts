// Checks if a body of the right form follows a call's marker. If not, the marker is text. Moves no cursor.

import {
  BACKTICK,
  COLON,
  DIGITS,
  DOT,
  EQUALS,
  LESS_THAN,
  LETTERS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_ROUND,
  SLASH,
} from "../../scanner/charCodes.ts";
import { measureWhile, peek } from "../../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import { readTag, type Tag } from "../../scanner/Tag.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { SECTION_MARKS } from "../../specs/lookupTables.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { opensCall } from "./callMarkers.ts";

/** Characters in which a body must show its form. */
const LOOKAHEAD_LIMIT = 256;
const QUOTES: ReadonlySet<string> = new Set(['"', "'", "\u201c", "\u2018"]);

/** Returns true if the bracket at the cursor opens a value, not a placeholder of a template or a schematic list. */
export function* isValueNext(source: Source): Parser<boolean> {
  const isObject = (yield* peek(source)) === OPEN_BRACE;
  const at = yield* skipToVisible(source, 1);
  const code = yield* peek(source, at);
  if (code === END) return true;
  const first = String.fromCharCode(code);
  if (QUOTES.has(first) || "{[}]/\\".includes(first) || (!isObject && DIGITS.includes(first))) return true;
  const end = yield* findWordEnd(source, at, isObject ? isKey : isWord);
  const nextCode = yield* peek(source, yield* skipToVisible(source, end));
  if (end === at) return false;
  return nextCode === END || (isObject ? nextCode === COLON || nextCode === EQUALS : nextCode === OPEN_ROUND);
}

/** Looks past a section marker, or the marker of a call in it: are there calls, only the closer, or prose? */
export function* classifySection(state: ParserState, openTag: Tag): Parser<"calls" | "empty" | "words"> {
  const { source } = state;
  const length = openTag.raw.length;
  const section = SECTION_MARKS.get(openTag.name);
  if (isCallAnnounced(state, [section?.family ?? ""])) return "calls";
  if (section?.role === "call") return (yield* isHeadNext(state, length)) ? "calls" : "words";
  const start = yield* skipToVisible(source, length);
  for (let at = start; at - start < LOOKAHEAD_LIMIT; at += 1) {
    at = yield* measureWhile(source, (one) => one !== END && one !== LESS_THAN, at, LOOKAHEAD_LIMIT - 1 - (at - start));
    const code = yield* peek(source, at);
    if (code === END) return at === start || state.finish === "cut" ? "calls" : "words";
    const tag = code === LESS_THAN ? yield* readTag(source, isSectionMark, at) : undefined;
    const role = tag && SECTION_MARKS.get(tag.name)?.role;
    if (tag && role === "call") return (yield* isHeadNext(state, at + tag.raw.length)) ? "calls" : "words";
    if (tag && role === "section-end" && at === start) return "empty";
  }
  return "words";
}

/** Returns true if the model writes one of these formats and has written nothing else yet. Its marker then announces a call. */
export function isCallAnnounced(state: ParserState, families: readonly string[]): boolean {
  return state.isAtStart && state.options.formats.some((format) => families.includes(format));
}

/** Returns true if empty markers, which end at the cursor, are a markup slip: after a call, or at the end of the text. */
export function* isSlip(state: ParserState): Parser<boolean> {
  return state.isAfterCall || (yield* peek(state.source, yield* skipToVisible(state.source, 0))) === END;
}

/** Returns true if a built-in tool is called at the cursor: `NAME.call(`. */
export function* isBuiltinNext(source: Source): Parser<boolean> {
  const end = yield* findWordEnd(source, 0);
  return (yield* peek(source, end)) === OPEN_ROUND && source.peekText(end).endsWith(".call");
}

/** Returns true if a name alone on its line, or before the next sign, follows the first sign of a call, which has `length` characters. */
export function* isSignedNext(source: Source, length: number): Parser<boolean> {
  let at = yield* skipToVisible(source, length);
  if ((yield* peek(source, at)) === COLON) at = yield* skipToVisible(source, at + 1);
  const end = yield* findWordEnd(source, at);
  if ((yield* peek(source, end)) === NEWLINE) return true;
  const nextCode = yield* peek(source, yield* skipToVisible(source, end));
  return nextCode === END || nextCode === 0x273f;
}

/** Returns true if a name before braces follows the marker of `length` characters at the cursor. */
export function* areBracesNext(state: ParserState, formatId: string, length: number): Parser<boolean> {
  const { source } = state;
  if (isCallAnnounced(state, [formatId])) return true;
  const at = yield* skipToVisible(source, length);
  const end = yield* findWordEnd(source, at);
  const code = yield* peek(source, yield* skipToVisible(source, end));
  return code === OPEN_BRACE || (code === END && (end === at || state.finish === "cut"));
}

/** Returns true if the head of a call is one word that ends at a marker of its format, at a call's element or at its arguments. */
function* isHeadNext(state: ParserState, from: number): Parser<boolean> {
  const { source } = state;
  const start = yield* skipToVisible(source, from);
  const end = yield* findWordEnd(source, start, (code) => !isBlank(code) && !HEAD_ENDS.has(code));
  const at = yield* skipToVisible(source, end);
  const code = yield* peek(source, at);
  if (code === END) return end === start || state.finish === "cut";
  if (code === OPEN_BRACE || code === BACKTICK) return true;
  if (code !== LESS_THAN) return false;
  const tag = yield* readTag(source, () => true, at);
  // The text may end within the reach of a marker.
  if (!tag)
    return (
      state.finish === "cut" && (yield* peek(source, yield* findWordEnd(source, at, (one) => one !== END))) === END
    );
  return isSectionMark(tag.name) || opensCall(tag);
}

const HEAD_ENDS: ReadonlySet<number> = new Set([END, LESS_THAN, OPEN_BRACE]);
const isSectionMark = (name: string): boolean => SECTION_MARKS.has(name);

function skipToVisible(source: Source, from: number): Parser<number> {
  return measureWhile(source, isBlank, from, LOOKAHEAD_LIMIT);
}

function findWordEnd(source: Source, from: number, accepts = isWord): Parser<number> {
  return measureWhile(source, accepts, from, LOOKAHEAD_LIMIT);
}

/** Returns true if an unquoted key may contain the character. */
function isKey(code: number): boolean {
  return code !== DOT && code !== COLON && code !== SLASH && isWord(code);
}

const WORD_CODES = new StopTable(`${LETTERS}${DIGITS}_.:/$-`);

/** Returns true for letters of every script, digits, and other characters of names. */
function isWord(code: number): boolean {
  if (code >= 0 && code < 128) return WORD_CODES.has(code);
  return code !== END && /[\p{L}\p{N}]/u.test(String.fromCharCode(code));
}

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
const REACH = 256;
const QUOTES: ReadonlySet<string> = new Set(['"', "'", "\u201c", "\u2018"]);

/** Returns true if the bracket at the cursor opens a value, not a placeholder of a template or a schematic list. */
export function* isValueNext(source: Source): Parser<boolean> {
  const isObject = (yield* peek(source)) === OPEN_BRACE;
  const at = yield* visible(source, 1);
  const code = yield* peek(source, at);
  if (code === END) return true;
  const first = String.fromCharCode(code);
  if (QUOTES.has(first) || "{[}]/\\".includes(first) || (!isObject && DIGITS.includes(first))) return true;
  const end = yield* wordEnd(source, at, isObject ? isKey : isWord);
  const behind = yield* peek(source, yield* visible(source, end));
  if (end === at) return false;
  return behind === END || (isObject ? behind === COLON || behind === EQUALS : behind === OPEN_ROUND);
}

/** Looks past a section marker, or the marker of a call in it: are there calls, only the closer, or prose? */
export function* classifySection(turn: ParserState, open: Tag): Parser<"calls" | "empty" | "words"> {
  const { source } = turn;
  const length = open.raw.length;
  const section = SECTION_MARKS.get(open.name);
  if (isCallAnnounced(turn, [section?.family ?? ""])) return "calls";
  if (section?.role === "call") return (yield* beginsHead(turn, length)) ? "calls" : "words";
  const start = yield* visible(source, length);
  for (let at = start; at - start < REACH; at += 1) {
    at = yield* measureWhile(source, (one) => one !== END && one !== LESS_THAN, at, REACH - 1 - (at - start));
    const code = yield* peek(source, at);
    if (code === END) return at === start || turn.finish === "cut" ? "calls" : "words";
    const tag = code === LESS_THAN ? yield* readTag(source, isSectionMark, at) : undefined;
    const role = tag && SECTION_MARKS.get(tag.name)?.role;
    if (tag && role === "call") return (yield* beginsHead(turn, at + tag.raw.length)) ? "calls" : "words";
    if (tag && role === "section-end" && at === start) return "empty";
  }
  return "words";
}

/** Returns true if the model writes one of these formats and has written nothing else yet. Its marker then announces a call. */
export function isCallAnnounced(turn: ParserState, families: readonly string[]): boolean {
  return turn.isUntouched && turn.options.formats.some((format) => families.includes(format));
}

/** Returns true if empty markers, which end at the cursor, are a markup slip: after a call, or at the end of the text. */
export function* isSlip(turn: ParserState): Parser<boolean> {
  return turn.isBehindCall || (yield* peek(turn.source, yield* visible(turn.source, 0))) === END;
}

/** Returns true if a built-in tool is called at the cursor: `NAME.call(`. */
export function* isBuiltinNext(source: Source): Parser<boolean> {
  const end = yield* wordEnd(source, 0);
  return (yield* peek(source, end)) === OPEN_ROUND && source.ahead(end).endsWith(".call");
}

/** Returns true if a name alone on its line, or before the next sign, follows the first sign of a call, which has `length` characters. */
export function* isSignedNext(source: Source, length: number): Parser<boolean> {
  let at = yield* visible(source, length);
  if ((yield* peek(source, at)) === COLON) at = yield* visible(source, at + 1);
  const end = yield* wordEnd(source, at);
  if ((yield* peek(source, end)) === NEWLINE) return true;
  const behind = yield* peek(source, yield* visible(source, end));
  return behind === END || behind === 0x273f;
}

/** Returns true if a name before braces follows the marker of `length` characters at the cursor. */
export function* areBracesNext(turn: ParserState, family: string, length: number): Parser<boolean> {
  const { source } = turn;
  if (isCallAnnounced(turn, [family])) return true;
  const at = yield* visible(source, length);
  const end = yield* wordEnd(source, at);
  const code = yield* peek(source, yield* visible(source, end));
  return code === OPEN_BRACE || (code === END && (end === at || turn.finish === "cut"));
}

/** Returns true if the head of a call is one word that ends at a marker of its format, at a call's element or at its arguments. */
function* beginsHead(turn: ParserState, from: number): Parser<boolean> {
  const { source } = turn;
  const start = yield* visible(source, from);
  const end = yield* wordEnd(source, start, (code) => !isBlank(code) && !HEAD_ENDS.has(code));
  const at = yield* visible(source, end);
  const code = yield* peek(source, at);
  if (code === END) return end === start || turn.finish === "cut";
  if (code === OPEN_BRACE || code === BACKTICK) return true;
  if (code !== LESS_THAN) return false;
  const tag = yield* readTag(source, () => true, at);
  // The text may end within the reach of a marker.
  if (!tag)
    return turn.finish === "cut" && (yield* peek(source, yield* wordEnd(source, at, (one) => one !== END))) === END;
  return isSectionMark(tag.name) || opensCall(tag);
}

const HEAD_ENDS: ReadonlySet<number> = new Set([END, LESS_THAN, OPEN_BRACE]);
const isSectionMark = (name: string): boolean => SECTION_MARKS.has(name);

function visible(source: Source, from: number): Parser<number> {
  return measureWhile(source, isBlank, from, REACH);
}

function wordEnd(source: Source, from: number, belongs = isWord): Parser<number> {
  return measureWhile(source, belongs, from, REACH);
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

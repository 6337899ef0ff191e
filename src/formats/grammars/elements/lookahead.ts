// Whether a body of its form begins behind a call's mark: a mark without one is a word of the answer. Looks ahead; moves nothing.

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

/** Whether the bracket at the cursor opens a value: a placeholder of a template or a schematic list does not. */
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

/** What stands behind the mark of a section, or of a call of one, at the cursor: calls, nothing but its closer, or words. */
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

/** Whether the model writes one of these families and has written nothing else yet: its mark then announces a call, whatever follows. */
export function isCallAnnounced(turn: ParserState, families: readonly string[]): boolean {
  return turn.isUntouched && turn.options.formats.some((format) => families.includes(format));
}

/** Whether marks with nothing between them, which end at the cursor, are a slip of markup: behind a call, or as the text's end. */
export function* isSlip(turn: ParserState): Parser<boolean> {
  return turn.isBehindCall || (yield* peek(turn.source, yield* visible(turn.source, 0))) === END;
}

/** Whether a built-in tool is called at the cursor: `NAME.call(`. */
export function* isBuiltinNext(source: Source): Parser<boolean> {
  const end = yield* wordEnd(source, 0);
  return (yield* peek(source, end)) === OPEN_ROUND && source.ahead(end).endsWith(".call");
}

/** Whether a name alone on its line, or in front of the next sign, stands behind the first sign of a call, `length` characters long. */
export function* isSignedNext(source: Source, length: number): Parser<boolean> {
  let at = yield* visible(source, length);
  if ((yield* peek(source, at)) === COLON) at = yield* visible(source, at + 1);
  const end = yield* wordEnd(source, at);
  if ((yield* peek(source, end)) === NEWLINE) return true;
  const behind = yield* peek(source, yield* visible(source, end));
  return behind === END || behind === 0x273f;
}

/** Whether a name in front of braces stands behind the mark of `length` characters at the cursor. */
export function* areBracesNext(turn: ParserState, family: string, length: number): Parser<boolean> {
  const { source } = turn;
  if (isCallAnnounced(turn, [family])) return true;
  const at = yield* visible(source, length);
  const end = yield* wordEnd(source, at);
  const code = yield* peek(source, yield* visible(source, end));
  return code === OPEN_BRACE || (code === END && (end === at || turn.finish === "cut"));
}

/** Whether the head of a call ends, as one word, at a mark of its family, at a call's element or at its arguments. */
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
  // The text may end within the reach of a mark.
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

/** What an unquoted key may hold. */
function isKey(code: number): boolean {
  return code !== DOT && code !== COLON && code !== SLASH && isWord(code);
}

const WORD_CODES = new StopTable(`${LETTERS}${DIGITS}_.:/$-`);

/** Letters of every script, digits, and what names hold. */
function isWord(code: number): boolean {
  if (code >= 0 && code < 128) return WORD_CODES.has(code);
  return code !== END && /[\p{L}\p{N}]/u.test(String.fromCharCode(code));
}

// Reads one call with its name after a sign, or on its line, and one body of arguments: `✿FUNCTION✿: NAME⏎✿ARGS✿: {…}`,
// `>>>NAME⏎{…}`, `to=functions.NAME json{…}`, `[[ ## next_tool_name ## ]]⏎NAME`. Format specs list the signs. Readers of other heads reuse the body.

import { createJsonCall, createTextCall } from "../../decoders/CallCandidate.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import { emptyObject, type ValueText } from "../../decoders/jsonTree.ts";
import { COLON, DIGITS, LESS_THAN, LETTERS, NEWLINE, OPEN_BRACE, SPACE } from "../../scanner/charCodes.ts";
import {
  findNext,
  matchesLiteral,
  measureWhile,
  peek,
  seekStop,
  skipAny,
  skipBlanks,
} from "../../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import { type ScanEnd, scanBalanced } from "../../scanner/scanBalanced.ts";
import { readTag } from "../../scanner/Tag.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { CODE_TOOLS } from "../../specs/callTags.ts";
import { getFormatForForm, type HeadedRow, TURN_ENDS } from "../../specs/lookupTables.ts";
import { Capture } from "../../state/Capture.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { isSignedNext } from "../elements/lookahead.ts";

const NAME_LIMIT = 128;
const NAME_CODES = new StopTable(`${LETTERS}${DIGITS}_.-`);
/** Characters of a name that ends with its line or at the next sign. */
const LINE_LIMIT = 256;

interface Head {
  readonly name: string;
  readonly length: number;
}

/** Reads the call whose head stands at the cursor; false if there is none. `open`: the rest of the sign that the prompt has not written. */
export function* readHeaded(turn: ParserState, row: HeadedRow, open = row.open): Parser<boolean> {
  const { source } = turn;
  const head = yield* matchHead(turn, row, open);
  if (!head) return false;
  const { name } = head;
  const isPerson = row.without === "code" && isAnswer(name);
  const mustBeOffered = row.name === "word" || open === "";
  if (mustBeOffered && !isPerson && turn.resolve(name) === undefined) return false;
  const capture = new Capture(turn);
  source.skip(head.length);
  if (isPerson) {
    capture.drop();
    turn.sink.enter("text");
    turn.beginLine();
    return true;
  }
  return yield* readArguments(turn, capture, row, name);
}

/** Reads the arguments after a head: an object; else program code, none if the tool takes none, an issue, or text (false). */
function* readArguments(turn: ParserState, capture: Capture, row: HeadedRow, name: string): Parser<boolean> {
  const { source } = turn;
  const { family, without } = row;
  yield* skipSeparators(source, row);
  const from = source.offset;
  let body = yield* readObject(turn, capture.until);
  if (without === "nothing" && source.offset === from && turn.parameters(name).length === 0) {
    const code = yield* peek(source);
    if (code === row.open.charCodeAt(0) || (code === END && turn.finish === "normal")) body = emptyObject;
  }
  if (typeof body === "object") {
    capture.calls([createJsonCall(name, body, row.noise ? ["header-junk"] : [])], family);
    return true;
  }
  if (without === "text") return capture.giveBack("No JSON object of arguments stands behind the recipient.");
  if (body === "cut" && turn.finish === "normal" && turn.guard.mayReadAgain()) source.back(from);
  yield* seekHead(turn, row, capture.until);
  const isProgram = without === "code" && CODE_TOOLS.includes(name) && turn.resolve(name) !== undefined;
  const mayEnd = turn.finish === "normal" && (body !== "cut" || without === "code");
  if (source.code() === END && !mayEnd) capture.cut(family);
  else if (isProgram) capture.calls([createTextCall(name, capture.since(from))], family);
  else capture.malformed(describeMissingObject(name), family);
  return true;
}

/** Moves to the end of a body that is no JSON: the next head, the end of the turn if its models write framing, or the end. */
function* seekHead(turn: ParserState, row: HeadedRow, until: number): Parser<void> {
  const { source } = turn;
  yield* findNext(source, new StopTable(row.resume ?? ""), until, function* (code) {
    const mark = code === LESS_THAN ? yield* readTag(source, (name) => TURN_ENDS.has(name)) : undefined;
    return mark !== undefined || row.name === "sign" || (yield* matchHead(turn, row, row.open));
  });
}

/** The head at the cursor, up to the end of its name. */
function* matchHead(turn: ParserState, row: HeadedRow, open: string): Parser<Head | undefined> {
  const { source } = turn;
  let at = 0;
  for (const word of row.before ?? []) {
    if (!(yield* matchesLiteral(source, word))) continue;
    at = word.length + ((yield* peek(source, word.length)) === SPACE ? 1 : 0);
    break;
  }
  if (!(yield* matchesLiteral(source, open, at))) return undefined;
  at += open.length;
  if (row.name === "sign") return (yield* isSignedNext(source, at)) ? yield* signedName(source, at) : undefined;
  const name = yield* peekWord(source, at);
  at += name.length;
  if (row.name === "word") return { name, length: at };
  return name !== "" && (yield* peek(source, at)) === NEWLINE ? { name, length: at + 1 } : undefined;
}

/** `: NAME`, up to the line's end or the next sign. */
function* signedName(source: Source, ahead: number): Parser<Head> {
  let from = yield* measureWhile(source, isBlank, ahead);
  if ((yield* peek(source, from)) === COLON) from = yield* measureWhile(source, isBlank, from + 1);
  const isName = (code: number): boolean => code !== END && code !== NEWLINE && code !== 0x273f;
  const length = yield* measureWhile(source, isName, from, LINE_LIMIT);
  return { name: source.ahead(length).slice(from).trim(), length };
}

/** Moves over the separators of a name and its body: signs, each of which may be missing, or noise on at most two lines. */
function* skipSeparators(source: Source, row: HeadedRow): Parser<void> {
  for (const separator of row.separators ?? []) {
    yield* skipBlanks(source);
    yield* skipAny(source, separator);
  }
  if (row.noise === undefined) return void (yield* skipBlanks(source));
  let lines = 0;
  const isNoise = (code: number): boolean => {
    lines += code === NEWLINE ? 1 : 0;
    return code !== END && code !== OPEN_BRACE && lines < 2;
  };
  source.skip(yield* measureWhile(source, isNoise, 0, row.noise));
}

/** Returns the name at `ahead` from the cursor. */
export function* peekWord(source: Source, ahead: number): Parser<string> {
  const end = yield* measureWhile(source, (code) => NAME_CODES.has(code), ahead, NAME_LIMIT);
  return source.ahead(end).slice(ahead);
}

/** Returns the object at the cursor as a value, else the reason why there is none. */
export function* readObject(turn: ParserState, until: number): Parser<ValueText | Exclude<ScanEnd, "balanced">> {
  const { source } = turn;
  const from = source.offset;
  const code = yield* peek(source);
  if (code !== OPEN_BRACE) return code === END && turn.finish === "cut" ? "cut" : "broken";
  const scan = yield* scanBalanced(source, until);
  return scan === "balanced" ? (decodeJson(source.held(from)) ?? "broken") : scan;
}

export function describeMissingObject(name: string): string {
  return `The arguments for ${name} are not a JSON object.`;
}

/** Returns true for recipients that are users: the text is the answer. */
export function isAnswer(recipient: string): boolean {
  return recipient === "all" || recipient === "user";
}

// Sections under `[[ ## name ## ]]` headers: a thought, a tool's name, its arguments; unknown sections are text.

const BRACKETS = getFormatForForm("bracket-headers");
const HEADER_OPEN = "[[ ## ";
const HEADER_CLOSE = " ## ]]";
const LABEL_LIMIT = 57;
const LABEL_CODES = new StopTable("abcdefghijklmnopqrstuvwxyz_");
const LINE = new StopTable("\n");

/** Tool names with which these agents report their end. */
const DONE = new Set(["finish", "none", ""]);

/**
 * Reads the section whose header stands at the cursor, a line's first visible character; false if it is no such header. `goesOn`:
 * another section was read before. Without one, the header that ends them all is text.
 */
export function* readBracketHeaders(turn: ParserState, goesOn: boolean): Parser<boolean> {
  const header = yield* matchHeader(turn);
  if (header?.name === "next_tool_name") {
    yield* readHeaderedCall(turn, header.length);
    turn.beginLine();
    return true;
  }
  const isThought = header?.name === "next_thought";
  if (!header || !(isThought || (goesOn && header.name === "completed"))) return false;
  turn.dropMark(header.length, "label");
  turn.sink.enter(isThought ? "reasoning" : "text");
  return true;
}

/** The header at the cursor: its label's name, and how long it is. */
function* matchHeader({ source }: ParserState): Parser<{ readonly name: string; readonly length: number } | undefined> {
  if (!(yield* matchesLiteral(source, HEADER_OPEN))) return undefined;
  const end = yield* measureWhile(source, (code) => LABEL_CODES.has(code), HEADER_OPEN.length, LABEL_LIMIT);
  const name = source.ahead(end).slice(HEADER_OPEN.length);
  return (yield* matchesLiteral(source, HEADER_CLOSE, end)) ? { name, length: end + HEADER_CLOSE.length } : undefined;
}

/** Reads from the header of the name to the end of the arguments: one call, one issue, or nothing if the agent has ended. */
function* readHeaderedCall(turn: ParserState, length: number): Parser<void> {
  const { source } = turn;
  const capture = new Capture(turn);
  source.skip(length);
  const name = yield* readSectionText(turn, capture.until);
  const header = name === undefined ? undefined : yield* matchHeader(turn);
  const isDone = name !== undefined && DONE.has(name.toLowerCase()) && turn.resolve(name) === undefined;
  let input: string | undefined;
  if (header?.name === "next_tool_args") {
    source.skip(header.length);
    input = yield* readSectionText(turn, capture.until);
  }
  turn.sink.enter("text");
  if (name === undefined || (input === undefined && (yield* peek(source)) === END && turn.finish === "cut"))
    return capture.cut(BRACKETS, "inside the sections of a tool call");
  if (isDone) return capture.drop("no-action");
  const json = decodeJson(input || "{}");
  if (!json) return capture.malformed(`The arguments of ${name} are no JSON.`, BRACKETS);
  capture.calls([createJsonCall(name, json)], BRACKETS);
}

/** Returns a section's text up to the next header or the end; undefined if the text was cut in it. */
function* readSectionText(turn: ParserState, until: number): Parser<string | undefined> {
  const { source } = turn;
  const from = source.offset;
  for (;;) {
    const code = yield* seekStop(source, LINE, until);
    if (source.offset >= until) return undefined;
    if (code === END) return turn.finish === "cut" ? undefined : source.held(from).trim();
    source.skip(1);
    if (yield* matchHeader(turn)) return source.held(from).trim();
  }
}

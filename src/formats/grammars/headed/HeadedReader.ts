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
export function* readHeaded(state: ParserState, spec: HeadedRow, openText = spec.open): Parser<boolean> {
  const { source } = state;
  const head = yield* matchHead(state, spec, openText);
  if (!head) return false;
  const { name } = head;
  const isPerson = spec.without === "code" && isAnswer(name);
  const mustBeOffered = spec.name === "word" || openText === "";
  if (mustBeOffered && !isPerson && state.resolve(name) === undefined) return false;
  const capture = new Capture(state);
  source.skip(head.length);
  if (isPerson) {
    capture.endAsMarkup();
    state.sink.enterChannel("text");
    state.beginLine();
    return true;
  }
  return yield* readArguments(state, capture, spec, name);
}

/** Reads the arguments after a head: an object; else program code, none if the tool takes none, an issue, or text (false). */
function* readArguments(state: ParserState, capture: Capture, spec: HeadedRow, name: string): Parser<boolean> {
  const { source } = state;
  const { family, without } = spec;
  yield* skipSeparators(source, spec);
  const from = source.offset;
  let body = yield* readObject(state, capture.maxOffset);
  if (without === "nothing" && source.offset === from && state.listParameters(name).length === 0) {
    const code = yield* peek(source);
    if (code === spec.open.charCodeAt(0) || (code === END && state.finish === "normal")) body = emptyObject;
  }
  if (typeof body === "object") {
    capture.endAsCalls([createJsonCall(name, body, spec.noise ? ["header-junk"] : [])], family);
    return true;
  }
  if (without === "text") return capture.rejectAsCall("No JSON object of arguments stands behind the recipient.");
  if (body === "cut" && state.finish === "normal" && state.guard.countReread()) source.moveBack(from);
  yield* seekHead(state, spec, capture.maxOffset);
  const isProgram = without === "code" && CODE_TOOLS.includes(name) && state.resolve(name) !== undefined;
  const mayEnd = state.finish === "normal" && (body !== "cut" || without === "code");
  if (source.code() === END && !mayEnd) capture.endAsCutCall(family);
  else if (isProgram) capture.endAsCalls([createTextCall(name, capture.getText(from))], family);
  else capture.endAsMalformedCall(describeMissingObject(name), family);
  return true;
}

/** Moves to the end of a body that is no JSON: the next head, the end of the turn if its models write framing, or the end. */
function* seekHead(state: ParserState, spec: HeadedRow, maxOffset: number): Parser<void> {
  const { source } = state;
  yield* findNext(source, new StopTable(spec.resume ?? ""), maxOffset, function* (code) {
    const marker = code === LESS_THAN ? yield* readTag(source, (name) => TURN_ENDS.has(name)) : undefined;
    return marker !== undefined || spec.name === "sign" || (yield* matchHead(state, spec, spec.open));
  });
}

/** The head at the cursor, up to the end of its name. */
function* matchHead(state: ParserState, spec: HeadedRow, openText: string): Parser<Head | undefined> {
  const { source } = state;
  let at = 0;
  for (const word of spec.before ?? []) {
    if (!(yield* matchesLiteral(source, word))) continue;
    at = word.length + ((yield* peek(source, word.length)) === SPACE ? 1 : 0);
    break;
  }
  if (!(yield* matchesLiteral(source, openText, at))) return undefined;
  at += openText.length;
  if (spec.name === "sign") return (yield* isSignedNext(source, at)) ? yield* readNameAndSign(source, at) : undefined;
  const name = yield* peekWord(source, at);
  at += name.length;
  if (spec.name === "word") return { name, length: at };
  return name !== "" && (yield* peek(source, at)) === NEWLINE ? { name, length: at + 1 } : undefined;
}

/** `: NAME`, up to the line's end or the next sign. */
function* readNameAndSign(source: Source, ahead: number): Parser<Head> {
  let from = yield* measureWhile(source, isBlank, ahead);
  if ((yield* peek(source, from)) === COLON) from = yield* measureWhile(source, isBlank, from + 1);
  const isName = (code: number): boolean => code !== END && code !== NEWLINE && code !== 0x273f;
  const length = yield* measureWhile(source, isName, from, LINE_LIMIT);
  return { name: source.peekText(length).slice(from).trim(), length };
}

/** Moves over the separators of a name and its body: signs, each of which may be missing, or noise on at most two lines. */
function* skipSeparators(source: Source, spec: HeadedRow): Parser<void> {
  for (const separator of spec.separators ?? []) {
    yield* skipBlanks(source);
    yield* skipAny(source, separator);
  }
  if (spec.noise === undefined) return void (yield* skipBlanks(source));
  let lines = 0;
  const isNoise = (code: number): boolean => {
    lines += code === NEWLINE ? 1 : 0;
    return code !== END && code !== OPEN_BRACE && lines < 2;
  };
  source.skip(yield* measureWhile(source, isNoise, 0, spec.noise));
}

/** Returns the name at `ahead` from the cursor. */
export function* peekWord(source: Source, ahead: number): Parser<string> {
  const end = yield* measureWhile(source, (code) => NAME_CODES.has(code), ahead, NAME_LIMIT);
  return source.peekText(end).slice(ahead);
}

/** Returns the object at the cursor as a value, else the reason why there is none. */
export function* readObject(state: ParserState, maxOffset: number): Parser<ValueText | Exclude<ScanEnd, "balanced">> {
  const { source } = state;
  const from = source.offset;
  const code = yield* peek(source);
  if (code !== OPEN_BRACE) return code === END && state.finish === "cut" ? "cut" : "broken";
  const scan = yield* scanBalanced(source, maxOffset);
  return scan === "balanced" ? (decodeJson(source.getBuffered(from)) ?? "broken") : scan;
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
export function* readBracketHeaders(state: ParserState, isContinued: boolean): Parser<boolean> {
  const header = yield* matchHeader(state);
  if (header?.name === "next_tool_name") {
    yield* readHeaderedCall(state, header.length);
    state.beginLine();
    return true;
  }
  const isThought = header?.name === "next_thought";
  if (!header || !(isThought || (isContinued && header.name === "completed"))) return false;
  state.dropMarker(header.length, "label");
  state.sink.enterChannel(isThought ? "reasoning" : "text");
  return true;
}

/** The header at the cursor: its label's name, and how long it is. */
function* matchHeader({ source }: ParserState): Parser<{ readonly name: string; readonly length: number } | undefined> {
  if (!(yield* matchesLiteral(source, HEADER_OPEN))) return undefined;
  const end = yield* measureWhile(source, (code) => LABEL_CODES.has(code), HEADER_OPEN.length, LABEL_LIMIT);
  const name = source.peekText(end).slice(HEADER_OPEN.length);
  return (yield* matchesLiteral(source, HEADER_CLOSE, end)) ? { name, length: end + HEADER_CLOSE.length } : undefined;
}

/** Reads from the header of the name to the end of the arguments: one call, one issue, or nothing if the agent has ended. */
function* readHeaderedCall(state: ParserState, length: number): Parser<void> {
  const { source } = state;
  const capture = new Capture(state);
  source.skip(length);
  const name = yield* readSectionText(state, capture.maxOffset);
  const header = name === undefined ? undefined : yield* matchHeader(state);
  const isDone = name !== undefined && DONE.has(name.toLowerCase()) && state.resolve(name) === undefined;
  let input: string | undefined;
  if (header?.name === "next_tool_args") {
    source.skip(header.length);
    input = yield* readSectionText(state, capture.maxOffset);
  }
  state.sink.enterChannel("text");
  if (name === undefined || (input === undefined && (yield* peek(source)) === END && state.finish === "cut"))
    return capture.endAsCutCall(BRACKETS, "inside the sections of a tool call");
  if (isDone) return capture.endAsMarkup("no-action");
  const json = decodeJson(input || "{}");
  if (!json) return capture.endAsMalformedCall(`The arguments of ${name} are no JSON.`, BRACKETS);
  capture.endAsCalls([createJsonCall(name, json)], BRACKETS);
}

/** Returns a section's text up to the next header or the end; undefined if the text was cut in it. */
function* readSectionText(state: ParserState, maxOffset: number): Parser<string | undefined> {
  const { source } = state;
  const from = source.offset;
  for (;;) {
    const code = yield* seekStop(source, LINE, maxOffset);
    if (source.offset >= maxOffset) return undefined;
    if (code === END) return state.finish === "cut" ? undefined : source.getBuffered(from).trim();
    source.skip(1);
    if (yield* matchHeader(state)) return source.getBuffered(from).trim();
  }
}

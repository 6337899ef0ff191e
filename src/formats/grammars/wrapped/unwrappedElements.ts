// Reads call elements without a wrapper. They need their own closer and the name of an offered tool; anything else is text again.

import { createTextCall } from "../../decoders/CallCandidate.ts";
import { decodeBraces } from "../../decoders/decodeBraces.ts";
import { LESS_THAN, NEWLINE, OPEN_BRACE } from "../../scanner/charCodes.ts";
import {
  findNext,
  matchesLiteral,
  measurePartialMatch,
  measureWhile,
  peek,
  skipAny,
  skipBlanks,
} from "../../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../../scanner/Source.ts";
import { scanBalanced } from "../../scanner/scanBalanced.ts";
import { readTag, type Tag } from "../../scanner/Tag.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { getFormatForForm } from "../../specs/lookupTables.ts";
import { Capture } from "../../state/Capture.ts";
import { decodePythonBody } from "../../state/decodeBody.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { getName, resolveLooseFormat } from "../elements/callMarkers.ts";
import { KEY_LIMIT } from "../elements/ParameterValueReader.ts";
import { readElementCall } from "../elements/taggedCall.ts";
import { isAnswerPosition } from "../unmarked/acceptance.ts";
import { scanBraces } from "../unmarked/braceCalls.ts";

const NO_CALL = "Its body or its end is not that of a call.";
const UNREADABLE = "The body of this tool call cannot be read.";
const INPUT_FAMILY = getFormatForForm("tool-input");
const LABEL_FAMILY = getFormatForForm("tool-label");
const CODE_FAMILY = getFormatForForm("code-element");
const INPUT_END = "</tool_input>";
const LABEL_END = "</tool>";
const CODE_END = "</code>";
const BRACKET_END = "[/TOOL_CALL]";
const MARKS = new StopTable("<");

/** Reads `<invoke …>`, `<function=…>` and the like at the cursor. Returns false if the marker is text. */
export function* readLooseElement(turn: ParserState, tag: Tag): Parser<boolean> {
  const name = getName(tag);
  if (tag.name === "tool" && name === undefined) return yield* readToolInput(turn, tag);
  const explicit = tag.prefix === "xtml" || tag.name === "use_mcp_tool";
  if (turn.guard.isRefused || (name !== undefined && !explicit && turn.resolve(name) === undefined)) return false;
  const capture = new Capture(turn);
  turn.source.skip(tag.raw.length);
  if (!tag.selfClosing && !(yield* bodyFollows(turn))) return capture.giveBack(NO_CALL);
  const call = yield* readElementCall(turn, { tag, lead: false });
  const json = tag.name === "function" && call.candidate?.arguments.type === "json";
  const family = json ? getFormatForForm("json-element") : resolveLooseFormat(tag);
  const known = call.candidate !== undefined && turn.resolve(call.candidate.name) !== undefined;
  if (call.whole && (known || explicit)) capture.calls([call.whole], family);
  else if (call.end === "cut" && (known || name !== undefined || explicit)) capture.cut(family);
  else return capture.giveBack(NO_CALL);
  return true;
}

/** Reads `<tool>NAME</tool><tool_input>TEXT`. Frameworks that ask for it use its closing tag as a stop word. */
function* readToolInput(turn: ParserState, tag: Tag): Parser<boolean> {
  const { source } = turn;
  if (turn.guard.isRefused || tag.closing || tag.selfClosing) return false;
  const capture = new Capture(turn);
  source.skip(tag.raw.length);
  const length = yield* measureWhile(source, (code) => code !== LESS_THAN && code !== END, 0, KEY_LIMIT);
  const name = source.ahead(length).trim();
  if (turn.resolve(name) === undefined || !(yield* matchesLiteral(source, "</tool>", length)))
    return capture.giveBack(NO_CALL);
  source.skip(length + "</tool>".length);
  yield* skipBlanks(source);
  if (!(yield* skipAny(source, "<tool_input>"))) return capture.giveBack(NO_CALL);
  const from = source.offset;
  yield* passObject(turn, capture.until);
  const closed = (yield* toCloser(turn, INPUT_END, capture.until)) === "closed";
  const text = source.held(from).trim();
  yield* skipTorso(turn, INPUT_END);
  if (closed || turn.finish === "normal") capture.calls([createTextCall(name, text)], INPUT_FAMILY);
  else capture.cut(INPUT_FAMILY);
  return true;
}

/** Moves over a closer, or over the beginning of one that the text ends in. */
function* skipTorso(turn: ParserState, closer: string): Parser<void> {
  if (!(yield* skipAny(turn.source, closer))) turn.source.skip(yield* measurePartialMatch(turn.source, closer));
}

/** Moves to the closer; `torso`: to where the text ends inside of it, `end`: to the end, `long`: to the offset `until`. */
function* toCloser(
  { source }: ParserState,
  closer: string,
  until: number,
): Parser<"closed" | "torso" | "end" | "long"> {
  const found = yield* findNext(source, MARKS, until, function* (): Parser<"closed" | "torso" | false> {
    if (yield* matchesLiteral(source, closer)) return "closed";
    return (yield* measurePartialMatch(source, closer)) > 0 && "torso";
  });
  return found ?? ((yield* peek(source)) === END ? "end" : "long");
}

/** Moves over a JSON object, whose strings may contain the closing tag, if its brackets balance. */
function* passObject({ source, guard }: ParserState, until: number): Parser<void> {
  if ((yield* skipBlanks(source)) !== OPEN_BRACE || guard.areBracketsRefused) return;
  const from = source.offset;
  if ((yield* scanBalanced(source, until)) === "balanced") return;
  guard.refuseBrackets();
  source.back(from);
}

/** Reads an element that is named after an offered tool, if its children are that tool's parameters. */
export function* readOfferedElement(turn: ParserState, tag: Tag): Parser<boolean> {
  const { source } = turn;
  if (turn.guard.isRefused) return false;
  const known = turn.parameters(tag.name);
  const capture = new Capture(turn);
  source.skip(tag.raw.length);
  const code = yield* skipBlanks(source);
  const child =
    code === LESS_THAN ? yield* readTag(source, (name) => name === tag.name || known.includes(name)) : undefined;
  const cut = turn.finish === "normal" && (yield* measurePartialMatch(source, `</${tag.name}>`)) > 1;
  if (!child && !cut && !(tag.selfClosing && known.length === 0)) return capture.giveBack(NO_CALL);
  const call = yield* readElementCall(turn, { tag, name: tag.name, lead: false });
  const fitted = call.whole && turn.fit([call.whole], getFormatForForm("offered-element"));
  const members = call.whole?.arguments.type === "list" ? call.whole.arguments.list : [];
  if (!fitted || members.some((member) => member.key === undefined || !known.includes(member.key)))
    return capture.giveBack(NO_CALL);
  capture.fitted(fitted);
  return true;
}

/** `<tool: LABEL>NAME free text or JSON</tool>`. */
export function* readToolLabel(turn: ParserState, tag: Tag): Parser<boolean> {
  const { source } = turn;
  if (turn.guard.isRefused) return false;
  const capture = new Capture(turn);
  source.skip(tag.raw.length);
  const from = source.offset;
  const end = yield* toCloser(turn, LABEL_END, capture.until);
  if (end === "long") return capture.giveBack(NO_CALL);
  // The first sign of a closer alone may be any other's.
  const isCut = end === "torso" && turn.finish === "normal" && (yield* measurePartialMatch(source, LABEL_END)) > 1;
  if (end !== "closed" && !isCut) {
    turn.skipToEnd();
    if (!announcesCall(turn, tag, source.held(from))) return capture.giveBack(NO_CALL);
    capture.cut(LABEL_FAMILY);
    return true;
  }
  const body = source.held(from).trim();
  yield* skipTorso(turn, LABEL_END);
  const label = tag.value ?? "";
  const [first = "", ...rest] = body.split(/\s+/);
  const byLabel = turn.resolve(label) !== undefined;
  const name = byLabel ? label : first;
  const text = byLabel ? body : body.slice(first.length).trim();
  if (turn.resolve(name) === undefined || (!byLabel && rest.length === 0 && turn.parameters(name).length > 0))
    return capture.giveBack(NO_CALL);
  const calls = turn.fit([createTextCall(name, text)], LABEL_FAMILY);
  if (!calls) return capture.giveBack(NO_CALL);
  capture.fitted(calls);
  return true;
}

/** Returns true if an unclosed label and the text after it name an offered tool, or the text was cut while they still might. */
function announcesCall(turn: ParserState, { value = "" }: Tag, body: string): boolean {
  const [first = "", ...rest] = body.trim().split(/\s+/);
  if (turn.resolve(value) !== undefined || turn.resolve(first) !== undefined) return true;
  return turn.finish === "cut" && rest.length === 0 && turn.offered.some((name) => name.startsWith(first));
}

/** Name of the element that contains code. */
export const CODE_ELEMENT = "code";

/** Returns true if the model may write calls as code in an element. HTML prose has the same element. */
export function writesCodeElements({ offered, options }: ParserState): boolean {
  return offered.length > 0 && (options.toolMode === "text" || options.formats.includes(CODE_FAMILY));
}

/**
 * Python between `<code>`, a line's first visible character, and `</code>`: literal calls of offered tools and nothing else. Those who ask for it
 * stop the model at the closer, so the end of a text that was not cut closes it too.
 */
export function* readCodeElement(turn: ParserState, open: Tag): Parser<boolean> {
  const { source } = turn;
  if (open.closing || turn.guard.isRefused || !isAnswerPosition(turn, "fence")) return false;
  const capture = new Capture(turn);
  source.skip(open.raw.length);
  const from = source.offset;
  const end = yield* toCloser(turn, CODE_END, capture.until);
  const isOver = end === "closed" || (end !== "long" && turn.finish === "normal");
  const candidates = isOver ? decodePythonBody(turn, source.held(from).trim()) : undefined;
  if (isOver) yield* skipTorso(turn, CODE_END);
  const calls = candidates && (yield* endsLine(turn)) ? turn.fit(candidates, CODE_FAMILY) : undefined;
  if (!calls) return capture.giveBack("It cannot be read as calls of offered tools and nothing else.");
  capture.fitted(calls.map((call) => ({ ...call, origin: CODE_FAMILY })));
  return true;
}

/** Returns true if only white space or a marker follows on the line. Text after the element makes it a mention. */
function* endsLine({ source }: ParserState): Parser<boolean> {
  const code = yield* peek(source, yield* measureWhile(source, (one) => isBlank(one) && one !== NEWLINE));
  return code === NEWLINE || code === LESS_THAN || code === END;
}

/** Reads `[TOOL_CALL]{tool => "NAME", args => {--key "value"}}[/TOOL_CALL]`. A marker without braces after it is text. */
export function* readBracketCall(turn: ParserState): Parser<void> {
  const { source } = turn;
  const family = getFormatForForm("bracketed-braces");
  const capture = new Capture(turn);
  source.skip("[TOOL_CALL]".length);
  const code = yield* skipBlanks(source);
  if (code === END) return capture.cut(family);
  if (code !== OPEN_BRACE) return capture.words();
  const from = source.offset;
  const end = yield* scanBraces(turn, "\u0000", undefined);
  if (end === "refused") return capture.refused(family);
  if (end === "broken") return capture.malformed(UNREADABLE, family);
  if (end !== "balanced") return capture.cut(family);
  const candidates = decodeBraces(source.held(from), {
    strings: [],
    knownParameters: turn.parameters,
  });
  yield* skipBlanks(source);
  yield* skipTorso(turn, BRACKET_END);
  if (candidates) capture.calls(candidates, family);
  else capture.malformed(UNREADABLE, family);
}

/** Returns true if a call's body begins here: another marker or an object. */
function* bodyFollows(turn: ParserState): Parser<boolean> {
  const code = yield* skipBlanks(turn.source);
  return code === LESS_THAN || code === OPEN_BRACE || code === END;
}

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
export function* readLooseElement(state: ParserState, tag: Tag): Parser<boolean> {
  const name = getName(tag);
  if (tag.name === "tool" && name === undefined) return yield* readToolInput(state, tag);
  const isExplicit = tag.prefix === "xtml" || tag.name === "use_mcp_tool";
  if (state.guard.isRefused || (name !== undefined && !isExplicit && state.resolve(name) === undefined)) return false;
  const capture = new Capture(state);
  state.source.skip(tag.raw.length);
  if (!tag.isSelfClosing && !(yield* isBodyNext(state))) return capture.rejectAsCall(NO_CALL);
  const call = yield* readElementCall(state, { tag, hasLead: false });
  const isJson = tag.name === "function" && call.candidate?.arguments.type === "json";
  const formatId = isJson ? getFormatForForm("json-element") : resolveLooseFormat(tag);
  const isKnown = call.candidate !== undefined && state.resolve(call.candidate.name) !== undefined;
  if (call.wholeCall && (isKnown || isExplicit)) capture.endAsCalls([call.wholeCall], formatId);
  else if (call.end === "cut" && (isKnown || name !== undefined || isExplicit)) capture.endAsCutCall(formatId);
  else return capture.rejectAsCall(NO_CALL);
  return true;
}

/** Reads `<tool>NAME</tool><tool_input>TEXT`. Frameworks that ask for it use its closing tag as a stop word. */
function* readToolInput(state: ParserState, tag: Tag): Parser<boolean> {
  const { source } = state;
  if (state.guard.isRefused || tag.isClosing || tag.isSelfClosing) return false;
  const capture = new Capture(state);
  source.skip(tag.raw.length);
  const length = yield* measureWhile(source, (code) => code !== LESS_THAN && code !== END, 0, KEY_LIMIT);
  const name = source.peekText(length).trim();
  if (state.resolve(name) === undefined || !(yield* matchesLiteral(source, "</tool>", length)))
    return capture.rejectAsCall(NO_CALL);
  source.skip(length + "</tool>".length);
  yield* skipBlanks(source);
  if (!(yield* skipAny(source, "<tool_input>"))) return capture.rejectAsCall(NO_CALL);
  const from = source.offset;
  yield* skipObject(state, capture.maxOffset);
  const isClosed = (yield* seekCloser(state, INPUT_END, capture.maxOffset)) === "closed";
  const text = source.getBuffered(from).trim();
  yield* skipPartialCloser(state, INPUT_END);
  if (isClosed || state.finish === "normal") capture.endAsCalls([createTextCall(name, text)], INPUT_FAMILY);
  else capture.endAsCutCall(INPUT_FAMILY);
  return true;
}

/** Moves over a closer, or over the beginning of one that the text ends in. */
function* skipPartialCloser(state: ParserState, closer: string): Parser<void> {
  if (!(yield* skipAny(state.source, closer))) state.source.skip(yield* measurePartialMatch(state.source, closer));
}

/** Moves to the closer; `torso`: to where the text ends inside of it, `end`: to the end, `long`: to the offset `until`. */
function* seekCloser(
  { source }: ParserState,
  closer: string,
  maxOffset: number,
): Parser<"closed" | "torso" | "end" | "long"> {
  const found = yield* findNext(source, MARKS, maxOffset, function* (): Parser<"closed" | "torso" | false> {
    if (yield* matchesLiteral(source, closer)) return "closed";
    return (yield* measurePartialMatch(source, closer)) > 0 && "torso";
  });
  return found ?? ((yield* peek(source)) === END ? "end" : "long");
}

/** Moves over a JSON object, whose strings may contain the closing tag, if its brackets balance. */
function* skipObject({ source, guard }: ParserState, maxOffset: number): Parser<void> {
  if ((yield* skipBlanks(source)) !== OPEN_BRACE || guard.areBracketsRefused) return;
  const from = source.offset;
  if ((yield* scanBalanced(source, maxOffset)) === "balanced") return;
  guard.refuseBrackets();
  source.moveBack(from);
}

/** Reads an element that is named after an offered tool, if its children are that tool's parameters. */
export function* readOfferedElement(state: ParserState, tag: Tag): Parser<boolean> {
  const { source } = state;
  if (state.guard.isRefused) return false;
  const isKnown = state.listParameters(tag.name);
  const capture = new Capture(state);
  source.skip(tag.raw.length);
  const code = yield* skipBlanks(source);
  const child =
    code === LESS_THAN ? yield* readTag(source, (name) => name === tag.name || isKnown.includes(name)) : undefined;
  const cutLength = state.finish === "normal" && (yield* measurePartialMatch(source, `</${tag.name}>`)) > 1;
  if (!child && !cutLength && !(tag.isSelfClosing && isKnown.length === 0)) return capture.rejectAsCall(NO_CALL);
  const call = yield* readElementCall(state, { tag, name: tag.name, hasLead: false });
  const fittedCalls = call.wholeCall && state.fitAll([call.wholeCall], getFormatForForm("offered-element"));
  const members = call.wholeCall?.arguments.type === "list" ? call.wholeCall.arguments.list : [];
  if (!fittedCalls || members.some((member) => member.key === undefined || !isKnown.includes(member.key)))
    return capture.rejectAsCall(NO_CALL);
  capture.endAsFittedCalls(fittedCalls);
  return true;
}

/** `<tool: LABEL>NAME free text or JSON</tool>`. */
export function* readToolLabel(state: ParserState, tag: Tag): Parser<boolean> {
  const { source } = state;
  if (state.guard.isRefused) return false;
  const capture = new Capture(state);
  source.skip(tag.raw.length);
  const from = source.offset;
  const end = yield* seekCloser(state, LABEL_END, capture.maxOffset);
  if (end === "long") return capture.rejectAsCall(NO_CALL);
  // The first sign of a closer alone may be any other's.
  const isCut = end === "torso" && state.finish === "normal" && (yield* measurePartialMatch(source, LABEL_END)) > 1;
  if (end !== "closed" && !isCut) {
    state.skipToEnd();
    if (!isCallAnnouncedBy(state, tag, source.getBuffered(from))) return capture.rejectAsCall(NO_CALL);
    capture.endAsCutCall(LABEL_FAMILY);
    return true;
  }
  const body = source.getBuffered(from).trim();
  yield* skipPartialCloser(state, LABEL_END);
  const label = tag.value ?? "";
  const [first = "", ...rest] = body.split(/\s+/);
  const isNamedByLabel = state.resolve(label) !== undefined;
  const name = isNamedByLabel ? label : first;
  const text = isNamedByLabel ? body : body.slice(first.length).trim();
  if (
    state.resolve(name) === undefined ||
    (!isNamedByLabel && rest.length === 0 && state.listParameters(name).length > 0)
  )
    return capture.rejectAsCall(NO_CALL);
  const calls = state.fitAll([createTextCall(name, text)], LABEL_FAMILY);
  if (!calls) return capture.rejectAsCall(NO_CALL);
  capture.endAsFittedCalls(calls);
  return true;
}

/** Returns true if an unclosed label and the text after it name an offered tool, or the text was cut while they still might. */
function isCallAnnouncedBy(state: ParserState, { value = "" }: Tag, body: string): boolean {
  const [first = "", ...rest] = body.trim().split(/\s+/);
  if (state.resolve(value) !== undefined || state.resolve(first) !== undefined) return true;
  return state.finish === "cut" && rest.length === 0 && state.callableNames.some((name) => name.startsWith(first));
}

/** Name of the element that contains code. */
export const CODE_ELEMENT = "code";

/** Returns true if the model may write calls as code in an element. HTML prose has the same element. */
export function writesCodeElements({ callableNames, options }: ParserState): boolean {
  return callableNames.length > 0 && (options.toolMode === "text" || options.formats.includes(CODE_FAMILY));
}

/**
 * Python between `<code>`, a line's first visible character, and `</code>`: literal calls of offered tools and nothing else. Those who ask for it
 * stop the model at the closer, so the end of a text that was not cut closes it too.
 */
export function* readCodeElement(state: ParserState, openTag: Tag): Parser<boolean> {
  const { source } = state;
  if (openTag.isClosing || state.guard.isRefused || !isAnswerPosition(state, "fence")) return false;
  const capture = new Capture(state);
  source.skip(openTag.raw.length);
  const from = source.offset;
  const end = yield* seekCloser(state, CODE_END, capture.maxOffset);
  const isOver = end === "closed" || (end !== "long" && state.finish === "normal");
  const candidates = isOver ? decodePythonBody(state, source.getBuffered(from).trim()) : undefined;
  if (isOver) yield* skipPartialCloser(state, CODE_END);
  const calls = candidates && (yield* isLineEndNext(state)) ? state.fitAll(candidates, CODE_FAMILY) : undefined;
  if (!calls) return capture.rejectAsCall("It cannot be read as calls of offered tools and nothing else.");
  capture.endAsFittedCalls(calls.map((call) => ({ ...call, origin: CODE_FAMILY })));
  return true;
}

/** Returns true if only white space or a marker follows on the line. Text after the element makes it a mention. */
function* isLineEndNext({ source }: ParserState): Parser<boolean> {
  const code = yield* peek(source, yield* measureWhile(source, (one) => isBlank(one) && one !== NEWLINE));
  return code === NEWLINE || code === LESS_THAN || code === END;
}

/** Reads `[TOOL_CALL]{tool => "NAME", args => {--key "value"}}[/TOOL_CALL]`. A marker without braces after it is text. */
export function* readBracketCall(state: ParserState): Parser<void> {
  const { source } = state;
  const formatId = getFormatForForm("bracketed-braces");
  const capture = new Capture(state);
  source.skip("[TOOL_CALL]".length);
  const code = yield* skipBlanks(source);
  if (code === END) return capture.endAsCutCall(formatId);
  if (code !== OPEN_BRACE) return capture.endAsText();
  const from = source.offset;
  const end = yield* scanBraces(state, "\u0000", undefined);
  if (end === "refused") return capture.endAsOversizedCall(formatId);
  if (end === "broken") return capture.endAsMalformedCall(UNREADABLE, formatId);
  if (end !== "balanced") return capture.endAsCutCall(formatId);
  const candidates = decodeBraces(source.getBuffered(from), {
    strings: [],
    knownParameters: state.listParameters,
  });
  yield* skipBlanks(source);
  yield* skipPartialCloser(state, BRACKET_END);
  if (candidates) capture.endAsCalls(candidates, formatId);
  else capture.endAsMalformedCall(UNREADABLE, formatId);
}

/** Returns true if a call's body begins here: another marker or an object. */
function* isBodyNext(state: ParserState): Parser<boolean> {
  const code = yield* skipBlanks(state.source);
  return code === LESS_THAN || code === OPEN_BRACE || code === END;
}

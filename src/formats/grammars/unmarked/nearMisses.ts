// Reads text in the position of a call without markers that gives no call: a list that was cut or is partly readable; an answer in the
// form of a call (`{"action": "Final Answer", …}`, `final_answer("…")`), whose text is the content; or a complete call of the requested
// form with an unknown tool or no name, which is reported so that the model can be asked again.

import type { CallCandidate } from "../../decoders/CallCandidate.ts";
import { readAnswerObject, readCallObjects } from "../../decoders/callObjects.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import { decodePython } from "../../decoders/decodePython.ts";
import type { ValueAt } from "../../decoders/jsonTree.ts";
import { OPEN_ROUND } from "../../scanner/charCodes.ts";
import {
  findNext,
  matchesLiteral,
  measureWhile,
  peek,
  seekStop,
  skipAny,
  skipBlanks,
} from "../../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../../scanner/Source.ts";
import { type ScanEnd, scanBalanced } from "../../scanner/scanBalanced.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { ANSWER_FUNCTION } from "../../specs/chatTemplates.ts";
import {
  DRESSED_ANSWERS,
  IN_RESPONSE,
  KNOWN_SHAPES,
  listFormatsWriting,
  MARKED_JSON,
} from "../../specs/lookupTables.ts";
import type { Capture } from "../../state/Capture.ts";
import { decodeBody } from "../../state/decodeBody.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { describeNamelessCall, findToolForArguments } from "../../validation/fitCall.ts";
import { isShapeWritten, resolveShapeFormat } from "./acceptance.ts";
import { CALL_KEYS, isOpener } from "./callItems.ts";
import { readWord } from "./callTokens.ts";

export const PARTIAL = "A part of this list of tool calls cannot be read, so none of them is made.";
const UNREADABLE = "The JSON of this tool call cannot be read: its values or its brackets are none of JSON.";

/** Brackets and blanks in front of the first key of an answer, and of a call. */
const ANSWER_LEAD = 256;
const CALL_LEAD = 64;
/** The first keys of an answer that is an object. */
const ANSWER_KEYS = ["action", "tool", "tool_name", "name", "function"];
/** A list of Python calls, and the name of its first. */
const PYTHON_LIST = /^\[\s*([A-Za-z_][\w.-]*)\(/;
/** A line of code that is a call, printed or not, and its name without the module that a prompt may give its tools. */
const PYTHON_CALL = /^\s*(?:print\()?\s*(?:[A-Za-z_]\w*\.)?([A-Za-z_][\w-]*)\(/;
/** Start that only a call has, among all JSON. */
const CALL_BEGINS = /^\[?\s*\{\s*"(?:name|function)"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|parameters?)"\s*:\s*\{/;
const CALL_LEADS = new StopTable("{[\"'");
const FENCE_END = "```";
const BACKTICKS = new StopTable("`");
const NOTHING = new StopTable("");

/** Reads the capture, in which no call was found up to the cursor. If nothing else is found either, it is text again. */
export function* readNearMiss(state: ParserState, capture: Capture): Parser<boolean> {
  const { source } = state;
  const { start } = capture;
  if (yield* isCutList(state)) {
    capture.endAsCutCall(resolveShapeFormat(state, "json"), "inside this list of tool calls");
    return true;
  }
  const isFirst = state.visibleCount === 0 && state.sink.callCount === 0;
  if (
    isFirst &&
    (isShapeWritten(state, "json") || isShapeWritten(state, "python")) &&
    (yield* isPartialList(state, start))
  ) {
    capture.endAsMalformedCall(PARTIAL, resolveShapeFormat(state, "json"));
    return true;
  }
  const nextCode = source.offset;
  if (isFirst && (yield* retry(state, start, nextCode, readAnswer(state, capture)))) return true;
  const { refusal } = state.guard;
  if (isFirst && refusal && isFamilyTrusted(state, refusal.family) && (yield* isMessageOver(state))) {
    capture.endAsIssue(refusal.issue);
    return true;
  }
  if (isFirst && (yield* retry(state, start, nextCode, readMissedCall(state, capture)))) return true;
  return capture.rejectAsCall("It cannot be read as calls of offered tools and nothing else.");
}

/** Reads again from `from`. If nothing is found, the cursor stands at `behind` or at the end of the reading. */
export function* retry(
  { source }: ParserState,
  from: number,
  endOffset: number,
  parser: Parser<boolean>,
): Parser<boolean> {
  source.moveBack(from);
  const isRead = yield* parser;
  if (!isRead) source.skip(Math.max(0, endOffset - source.offset));
  return isRead;
}

/** Returns true if a format writes a shape that is accepted. */
function isFamilyTrusted(state: ParserState, formatId: string): boolean {
  return KNOWN_SHAPES.some((shape) => listFormatsWriting(shape).includes(formatId) && isShapeWritten(state, shape));
}

/** Returns true if only these markers, in this order, and white space stand between the cursor and the end. The cursor moves over them. */
function* isMessageOver(state: ParserState, ...markers: readonly string[]): Parser<boolean> {
  yield* skipBlanks(state.source);
  for (const marker of markers) {
    yield* skipAny(state.source, marker);
    yield* skipBlanks(state.source);
  }
  return (yield* peek(state.source)) === END && state.finish === "normal";
}

/**
 * Returns true if the capture is a JSON list of calls that the end of the text cut off after a complete call. No call of such a list
 * counts (design §5), and it is too much of a call to be an answer.
 */
function* isCutList(state: ParserState): Parser<boolean> {
  if ((yield* peek(state.source)) !== END) return false;
  const body = state.source.getAllBuffered();
  const last = body.lastIndexOf("}");
  if (!/^\[\s*\{/.test(body) || last < 0) return false;
  const decoded = decodeBody(state, `${body.slice(0, last + 1)}]`, false);
  return decoded !== undefined && state.fitAll(decoded.candidates, resolveShapeFormat(state, "json")) !== undefined;
}

/** Returns true if a list in square brackets is the complete answer and has a readable call next to invalid items. A list of data stays data. */
function* isPartialList(state: ParserState, start: number): Parser<boolean> {
  const body = state.source.getBuffered(start);
  if (!body.startsWith("[") || !body.endsWith("]") || !(yield* isMessageOver(state))) return false;
  const items = splitItems(body.slice(1, -1));
  const isCall = (item: string): boolean => {
    const decoded = decodeBody(state, item, false);
    return (
      decoded !== undefined &&
      state.fitAll(decoded.candidates, resolveShapeFormat(state, decoded.grammar)) !== undefined
    );
  };
  return items.some(isCall) && items.some((item) => !decodeJson(item) && !isCall(item));
}

const PIECES = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[^"'[\](){},]+|./gs;

/** Splits at the commas outside of brackets and strings. Empty if brackets do not match. */
function splitItems(text: string): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    if ("[{(".includes(piece)) depth += 1;
    else if ("]})".includes(piece)) depth -= 1;
    else if (piece === "," && depth === 0) {
      items.push(text.slice(start, index).trim());
      start = index + 1;
    }
    if (depth < 0) return [];
  }
  return [...items, text.slice(start).trim()];
}

/** Reads an answer object or an answering call, in a fence or not, which must be the complete message. Returns true if its text was written. */
function* readAnswer(state: ParserState, capture: Capture): Parser<boolean> {
  const { source } = state;
  const { toolMode, formats } = state.options;
  if (toolMode !== "text" && !formats.some((format) => DRESSED_ANSWERS.has(format))) return false;
  const isInCode = yield* skipAny(source, "```py\n", "```python\n");
  if (yield* matchesLiteral(source, `${ANSWER_FUNCTION.name}(`)) {
    const answerText = yield* readAnsweringCall(state, isInCode);
    if (answerText !== undefined) capture.endAsAnswer(answerText);
    return answerText !== undefined;
  }
  source.moveBack(capture.start);
  const isFenced = yield* skipAny(source, "```json\n");
  if (!isOpener(yield* skipBlanks(source)) || !(yield* mayAnswer(state))) return false;
  const { body, isWhole } = yield* readMessage(state, isFenced ? FENCE_END : "", ANSWER_FUNCTION.end);
  const json = isWhole ? decodeJson(body) : undefined;
  const answer = json && readAnswerObject(json);
  if (answer !== undefined) capture.endAsAnswer(answer);
  return answer !== undefined;
}

/** Returns the text of `final_answer("…")`: the one literal in its brackets. */
function* readAnsweringCall(state: ParserState, isFenced: boolean): Parser<string | undefined> {
  const { name, parameter, end } = ANSWER_FUNCTION;
  if (state.resolve(name) !== undefined) return undefined;
  state.source.skip(name.length);
  const { body, isWhole } = yield* readMessage(state, isFenced ? FENCE_END : "", end);
  const options = { callableNames: [name], knownParameters: () => [parameter] };
  const calls = isWhole ? decodePython(name + body, options) : undefined;
  const argumentList = calls?.[0]?.arguments;
  const [onlyArgument, ...more] = argumentList?.type === "list" ? argumentList.list : [];
  if (!onlyArgument || more.length > 0 || (onlyArgument.key ?? parameter) !== parameter) return undefined;
  return onlyArgument.form === "json" && onlyArgument.value.startsWith('"')
    ? String(JSON.parse(onlyArgument.value))
    : onlyArgument.value;
}

/** Reads the brackets at the cursor, and checks if the message ends after them and the given markers. */
function* readMessage(state: ParserState, ...markers: readonly string[]): Parser<Message> {
  const { source } = state;
  const from = source.offset;
  const scan = yield* scanBalanced(source, from + state.options.captureChars);
  const body = source.getBuffered(from);
  return { scan, body, isWhole: scan === "balanced" && (yield* isMessageOver(state, ...markers)) };
}

interface Message {
  readonly scan: ScanEnd;
  readonly body: string;
  readonly isWhole: boolean;
}

/** Returns true if the first key of the object at the cursor is one of an answer, so that other JSON is not buffered. */
function* mayAnswer(state: ParserState): Parser<boolean> {
  const { toolMode, formats } = state.options;
  const ahead = yield* measureWhile(state.source, (code) => isOpener(code) || isBlank(code), 0, ANSWER_LEAD);
  const mayRespond = toolMode === "text" || formats.some((format) => IN_RESPONSE.has(format));
  for (const key of mayRespond ? ["response", ...ANSWER_KEYS] : ANSWER_KEYS) {
    if (yield* matchesLiteral(state.source, `"${key}"`, ahead)) return true;
  }
  return false;
}

/** Reports the message at the cursor, which must be complete. */
function* readMissedCall(state: ParserState, capture: Capture): Parser<boolean> {
  const { source } = state;
  const isTextMode = state.options.toolMode === "text";
  if (state.callableNames.length === 0) return false;
  if (isTextMode && isShapeWritten(state, "fence") && (yield* skipAny(source, "```tool_code\n")))
    return yield* readMissedCode(state, capture);
  const askedFormat = getAskedFormat(state);
  if (askedFormat === undefined && !isShapeWritten(state, "python")) return false;
  const isFenced = yield* skipAny(source, "```json\n", "```\n");
  if (!isOpener(yield* skipBlanks(source)) || !(yield* mayBeMissed(state))) return false;
  const { scan, body, isWhole } = yield* readMessage(state, isFenced ? FENCE_END : "");
  if (scan === "refused") return false;
  // The end of its fence is part of the explained span (`parse --explain`).
  if (isFenced && scan !== "balanced") yield* isMessageOver(state, FENCE_END);
  if (isWhole && askedFormat === undefined) return reportPython(state, capture, body, PYTHON_LIST);
  const formatId = askedFormat ?? resolveShapeFormat(state, "json");
  const json = isWhole ? decodeJson(body) : undefined;
  if (json) return reportJson(state, capture, json, formatId);
  // It begins like a call, and has a bracket too few or too many, or a value that is none.
  if (!isTextMode || !CALL_BEGINS.test(body)) return false;
  yield* seekStop(source, NOTHING, capture.maxOffset);
  if (!isWhole && (state.finish !== "normal" || !/[}\]][\s`]*$/.test(source.getAllBuffered()))) return false;
  capture.endAsMalformedCall(UNREADABLE, formatId);
  return true;
}

/** Returns the format in whose JSON a call was requested, with or without markers: a model that omits the markers means the same. */
function getAskedFormat(state: ParserState): string | undefined {
  const { toolMode, emulate } = state.options;
  const markedFormat = toolMode === "text" && emulate !== undefined && MARKED_JSON.has(emulate) ? emulate : undefined;
  return markedFormat ?? (isShapeWritten(state, "json") ? resolveShapeFormat(state, "json") : undefined);
}

/** Returns true if the first word in the brackets at the cursor is one of a call or a parameter, so that other JSON is not buffered. */
function* mayBeMissed(state: ParserState): Parser<boolean> {
  const { source, options } = state;
  const ahead = yield* measureWhile(source, (code) => CALL_LEADS.has(code) || isBlank(code), 0, CALL_LEAD);
  const word = yield* readWord(source, ahead);
  if ((yield* peek(source, ahead + word.length)) === OPEN_ROUND) return isShapeWritten(state, "python");
  if (CALL_KEYS.has(word)) return true;
  return options.toolMode === "text" && options.tools.some(({ name }) => state.listParameters(name).includes(word));
}

/** A fence of calls as code, which only the prompt can have made the model write. */
function* readMissedCode(state: ParserState, capture: Capture): Parser<boolean> {
  const { source } = state;
  const from = source.offset;
  const maxOffset = from + state.options.captureChars;
  yield* findNext(source, BACKTICKS, maxOffset, () => matchesLiteral(source, FENCE_END));
  const body = source.getBuffered(from);
  return (yield* isMessageOver(state, FENCE_END)) && reportPython(state, capture, body, PYTHON_CALL);
}

function reportJson(state: ParserState, capture: Capture, json: ValueAt, formatId: string): boolean {
  const { toolMode, tools } = state.options;
  const calls = readCallObjects(json, { isOffered: (name) => state.resolve(name) !== undefined, allowFlat: false });
  // Arguments must be an object: `{"name": "Ada", "input": "…"}` may be any JSON.
  const isCall = calls?.every(
    ({ arguments: argumentList }) => argumentList.type === "json" && argumentList.value.node.kind === "object",
  );
  if (calls) return isCall === true && reportRefused(state, capture, calls, formatId);
  // A profile that says the model leaks JSON says nothing about JSON that the request asked for.
  const tool = toolMode === "text" ? findToolForArguments(json, tools) : undefined;
  if (tool !== undefined)
    capture.endAsIssue({ code: "malformed-call", message: describeNamelessCall(tool), family: formatId, tool });
  return tool !== undefined;
}

/** Like `reportJson`, for Python. `pattern` finds the name of the first call. */
function reportPython(state: ParserState, capture: Capture, body: string, pattern: RegExp): boolean {
  const name = pattern.exec(body)?.[1];
  const calls =
    name === undefined
      ? undefined
      : decodePython(body, {
          callableNames: [...state.callableNames, name],
          knownParameters: (tool) => state.listParameters(state.resolve(tool) ?? ""),
        });
  return calls !== undefined && reportRefused(state, capture, calls, resolveShapeFormat(state, "python"));
}

function reportRefused(
  state: ParserState,
  capture: Capture,
  candidates: readonly CallCandidate[],
  formatId: string,
): boolean {
  if (candidates.length === 0 || state.fitAll(candidates, formatId) || !state.guard.refusal) return false;
  const { code, message, tool } = state.guard.refusal.issue;
  capture.endAsIssue({ code, message, tool, family: formatId });
  return true;
}

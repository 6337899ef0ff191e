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
export function* readNearMiss(turn: ParserState, capture: Capture): Parser<boolean> {
  const { source } = turn;
  const { start } = capture;
  if (yield* isCutList(turn)) {
    capture.cut(resolveShapeFormat(turn, "json"), "inside this list of tool calls");
    return true;
  }
  const isFirst = turn.shown === 0 && turn.sink.callCount === 0;
  if (
    isFirst &&
    (isShapeWritten(turn, "json") || isShapeWritten(turn, "python")) &&
    (yield* isPartialList(turn, start))
  ) {
    capture.malformed(PARTIAL, resolveShapeFormat(turn, "json"));
    return true;
  }
  const behind = source.offset;
  if (isFirst && (yield* retry(turn, start, behind, readAnswer(turn, capture)))) return true;
  const { refusal } = turn.guard;
  if (isFirst && refusal && isFamilyTrusted(turn, refusal.family) && (yield* isOver(turn))) {
    capture.issue(refusal.issue);
    return true;
  }
  if (isFirst && (yield* retry(turn, start, behind, readMissedCall(turn, capture)))) return true;
  return capture.giveBack("It cannot be read as calls of offered tools and nothing else.");
}

/** Reads again from `from`. If nothing is found, the cursor stands at `behind` or at the end of the reading. */
export function* retry(
  { source }: ParserState,
  from: number,
  behind: number,
  reading: Parser<boolean>,
): Parser<boolean> {
  source.back(from);
  const found = yield* reading;
  if (!found) source.skip(Math.max(0, behind - source.offset));
  return found;
}

/** Returns true if a format writes a shape that is accepted. */
function isFamilyTrusted(turn: ParserState, family: string): boolean {
  return KNOWN_SHAPES.some((shape) => listFormatsWriting(shape).includes(family) && isShapeWritten(turn, shape));
}

/** Returns true if only these markers, in this order, and white space stand between the cursor and the end. The cursor moves over them. */
function* isOver(turn: ParserState, ...marks: readonly string[]): Parser<boolean> {
  yield* skipBlanks(turn.source);
  for (const mark of marks) {
    yield* skipAny(turn.source, mark);
    yield* skipBlanks(turn.source);
  }
  return (yield* peek(turn.source)) === END && turn.finish === "normal";
}

/**
 * Returns true if the capture is a JSON list of calls that the end of the text cut off after a complete call. No call of such a list
 * counts (design §5), and it is too much of a call to be an answer.
 */
function* isCutList(turn: ParserState): Parser<boolean> {
  if ((yield* peek(turn.source)) !== END) return false;
  const body = turn.source.peekHeld();
  const last = body.lastIndexOf("}");
  if (!/^\[\s*\{/.test(body) || last < 0) return false;
  const decoded = decodeBody(turn, `${body.slice(0, last + 1)}]`, false);
  return decoded !== undefined && turn.fit(decoded.candidates, resolveShapeFormat(turn, "json")) !== undefined;
}

/** Returns true if a list in square brackets is the complete answer and has a readable call next to invalid items. A list of data stays data. */
function* isPartialList(turn: ParserState, start: number): Parser<boolean> {
  const body = turn.source.held(start);
  if (!body.startsWith("[") || !body.endsWith("]") || !(yield* isOver(turn))) return false;
  const items = splitItems(body.slice(1, -1));
  const isCall = (item: string): boolean => {
    const decoded = decodeBody(turn, item, false);
    return (
      decoded !== undefined && turn.fit(decoded.candidates, resolveShapeFormat(turn, decoded.grammar)) !== undefined
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
function* readAnswer(turn: ParserState, capture: Capture): Parser<boolean> {
  const { source } = turn;
  const { toolMode, formats } = turn.options;
  if (toolMode !== "text" && !formats.some((format) => DRESSED_ANSWERS.has(format))) return false;
  const inCode = yield* skipAny(source, "```py\n", "```python\n");
  if (yield* matchesLiteral(source, `${ANSWER_FUNCTION.name}(`)) {
    const words = yield* readAnsweringCall(turn, inCode);
    if (words !== undefined) capture.answer(words);
    return words !== undefined;
  }
  source.back(capture.start);
  const fenced = yield* skipAny(source, "```json\n");
  if (!isOpener(yield* skipBlanks(source)) || !(yield* mayAnswer(turn))) return false;
  const { body, isWhole } = yield* readMessage(turn, fenced ? FENCE_END : "", ANSWER_FUNCTION.end);
  const json = isWhole ? decodeJson(body) : undefined;
  const answer = json && readAnswerObject(json);
  if (answer !== undefined) capture.answer(answer);
  return answer !== undefined;
}

/** Returns the text of `final_answer("…")`: the one literal in its brackets. */
function* readAnsweringCall(turn: ParserState, fenced: boolean): Parser<string | undefined> {
  const { name, parameter, end } = ANSWER_FUNCTION;
  if (turn.resolve(name) !== undefined) return undefined;
  turn.source.skip(name.length);
  const { body, isWhole } = yield* readMessage(turn, fenced ? FENCE_END : "", end);
  const options = { offered: [name], knownParameters: () => [parameter] };
  const calls = isWhole ? decodePython(name + body, options) : undefined;
  const given = calls?.[0]?.arguments;
  const [only, ...more] = given?.type === "list" ? given.list : [];
  if (!only || more.length > 0 || (only.key ?? parameter) !== parameter) return undefined;
  return only.form === "json" && only.value.startsWith('"') ? String(JSON.parse(only.value)) : only.value;
}

/** Reads the brackets at the cursor, and checks if the message ends after them and the given markers. */
function* readMessage(turn: ParserState, ...marks: readonly string[]): Parser<Message> {
  const { source } = turn;
  const from = source.offset;
  const scan = yield* scanBalanced(source, from + turn.options.captureChars);
  const body = source.held(from);
  return { scan, body, isWhole: scan === "balanced" && (yield* isOver(turn, ...marks)) };
}

interface Message {
  readonly scan: ScanEnd;
  readonly body: string;
  readonly isWhole: boolean;
}

/** Returns true if the first key of the object at the cursor is one of an answer, so that other JSON is not buffered. */
function* mayAnswer(turn: ParserState): Parser<boolean> {
  const { toolMode, formats } = turn.options;
  const ahead = yield* measureWhile(turn.source, (code) => isOpener(code) || isBlank(code), 0, ANSWER_LEAD);
  const mayRespond = toolMode === "text" || formats.some((format) => IN_RESPONSE.has(format));
  for (const key of mayRespond ? ["response", ...ANSWER_KEYS] : ANSWER_KEYS) {
    if (yield* matchesLiteral(turn.source, `"${key}"`, ahead)) return true;
  }
  return false;
}

/** Reports the message at the cursor, which must be complete. */
function* readMissedCall(turn: ParserState, capture: Capture): Parser<boolean> {
  const { source } = turn;
  const asksText = turn.options.toolMode === "text";
  if (turn.offered.length === 0) return false;
  if (asksText && isShapeWritten(turn, "fence") && (yield* skipAny(source, "```tool_code\n")))
    return yield* readMissedCode(turn, capture);
  const asked = familyAsked(turn);
  if (asked === undefined && !isShapeWritten(turn, "python")) return false;
  const fenced = yield* skipAny(source, "```json\n", "```\n");
  if (!isOpener(yield* skipBlanks(source)) || !(yield* mayBeMissed(turn))) return false;
  const { scan, body, isWhole } = yield* readMessage(turn, fenced ? FENCE_END : "");
  if (scan === "refused") return false;
  // The end of its fence is part of the explained span (`parse --explain`).
  if (fenced && scan !== "balanced") yield* isOver(turn, FENCE_END);
  if (isWhole && asked === undefined) return reportPython(turn, capture, body, PYTHON_LIST);
  const family = asked ?? resolveShapeFormat(turn, "json");
  const json = isWhole ? decodeJson(body) : undefined;
  if (json) return reportJson(turn, capture, json, family);
  // It begins like a call, and has a bracket too few or too many, or a value that is none.
  if (!asksText || !CALL_BEGINS.test(body)) return false;
  yield* seekStop(source, NOTHING, capture.until);
  if (!isWhole && (turn.finish !== "normal" || !/[}\]][\s`]*$/.test(source.peekHeld()))) return false;
  capture.malformed(UNREADABLE, family);
  return true;
}

/** Returns the format in whose JSON a call was requested, with or without markers: a model that omits the markers means the same. */
function familyAsked(turn: ParserState): string | undefined {
  const { toolMode, emulate } = turn.options;
  const marked = toolMode === "text" && emulate !== undefined && MARKED_JSON.has(emulate) ? emulate : undefined;
  return marked ?? (isShapeWritten(turn, "json") ? resolveShapeFormat(turn, "json") : undefined);
}

/** Returns true if the first word in the brackets at the cursor is one of a call or a parameter, so that other JSON is not buffered. */
function* mayBeMissed(turn: ParserState): Parser<boolean> {
  const { source, options } = turn;
  const ahead = yield* measureWhile(source, (code) => CALL_LEADS.has(code) || isBlank(code), 0, CALL_LEAD);
  const word = yield* readWord(source, ahead);
  if ((yield* peek(source, ahead + word.length)) === OPEN_ROUND) return isShapeWritten(turn, "python");
  if (CALL_KEYS.has(word)) return true;
  return options.toolMode === "text" && options.tools.some(({ name }) => turn.parameters(name).includes(word));
}

/** A fence of calls as code, which only the prompt can have made the model write. */
function* readMissedCode(turn: ParserState, capture: Capture): Parser<boolean> {
  const { source } = turn;
  const from = source.offset;
  const until = from + turn.options.captureChars;
  yield* findNext(source, BACKTICKS, until, () => matchesLiteral(source, FENCE_END));
  const body = source.held(from);
  return (yield* isOver(turn, FENCE_END)) && reportPython(turn, capture, body, PYTHON_CALL);
}

function reportJson(turn: ParserState, capture: Capture, json: ValueAt, family: string): boolean {
  const { toolMode, tools } = turn.options;
  const calls = readCallObjects(json, { offered: (name) => turn.resolve(name) !== undefined, allowFlat: false });
  // Arguments must be an object: `{"name": "Ada", "input": "…"}` may be any JSON.
  const isCall = calls?.every(({ arguments: given }) => given.type === "json" && given.value.node.kind === "object");
  if (calls) return isCall === true && reportRefused(turn, capture, calls, family);
  // A profile that says the model leaks JSON says nothing about JSON that the request asked for.
  const tool = toolMode === "text" ? findToolForArguments(json, tools) : undefined;
  if (tool !== undefined) capture.issue({ code: "malformed-call", message: describeNamelessCall(tool), family, tool });
  return tool !== undefined;
}

/** Like `reportJson`, for Python. `pattern` finds the name of the first call. */
function reportPython(turn: ParserState, capture: Capture, body: string, pattern: RegExp): boolean {
  const name = pattern.exec(body)?.[1];
  const calls =
    name === undefined
      ? undefined
      : decodePython(body, {
          offered: [...turn.offered, name],
          knownParameters: (tool) => turn.parameters(turn.resolve(tool) ?? ""),
        });
  return calls !== undefined && reportRefused(turn, capture, calls, resolveShapeFormat(turn, "python"));
}

function reportRefused(
  turn: ParserState,
  capture: Capture,
  candidates: readonly CallCandidate[],
  family: string,
): boolean {
  if (candidates.length === 0 || turn.fit(candidates, family) || !turn.guard.refusal) return false;
  const { code, message, tool } = turn.guard.refusal.issue;
  capture.issue({ code, message, tool, family });
  return true;
}

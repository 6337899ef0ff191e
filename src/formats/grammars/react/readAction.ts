// Reads an action of labelled text: its name and its input, as a call or as an answer (`Finish[…]`, `Final Answer` with an input,
// or JSON that states an answer).

import type { CallCandidate } from "../../decoders/CallCandidate.ts";
import { readAnswerObject, readAnswerWords } from "../../decoders/callObjects.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import { OPEN_BRACE, OPEN_BRACKET } from "../../scanner/charCodes.ts";
import { peek, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser } from "../../scanner/Source.ts";
import { ANSWER_ACTIONS } from "../../specs/chatTemplates.ts";
import { getFormatForForm } from "../../specs/lookupTables.ts";
import { Capture } from "../../state/Capture.ts";
import { decodeBody, decodePythonBody } from "../../state/decodeBody.ts";
import type { ParserState } from "../../state/ParserState.ts";
import {
  decodeInput,
  readBrackets,
  readInput,
  readLine,
  skipFenceStart,
  skipInputLabel,
  skipNoInput,
} from "./actionInput.ts";
import { findNextLabel, type LabelMark } from "./labels.ts";

const FAMILY = getFormatForForm("labelled-lines");

/** Action names that mean no call, unless a tool has the name. */
const NO_ACTION = new Set(["none", "n/a", "na", "no_action", "no action", "null", ""]);

/** Result of an `Action:` label. `called`: or reported as an issue; `answered`: its answer is written; `answer`: its answer follows. */
export type ActionEnd = "called" | "text" | "no-action" | "answered" | "answer";

/**
 * Degree of trust in an action that makes no call. `begun`: an unknown or unfinished one is an issue; `asked`: also, unless it is prose;
 * `offered`: only one that names a tool and has an input; `fitting`: none, it is text again.
 */
export type Belief = "begun" | "asked" | "offered" | "fitting";

interface Action {
  readonly state: ParserState;
  readonly capture: Capture;
  readonly acceptance: Belief;
  /** One that makes no call is an issue. */
  readonly isReported: boolean;
  /** True if it may be the answer: not inside one, and after text only if the format was asked for. */
  readonly mayAnswer: boolean;
}

/** Result of the action, or the calls that are still to be made. */
type Acted = readonly CallCandidate[] | ActionEnd;

/** Reads an action whose label stands at the cursor, with its input. `name`: the called tool, if the label is that of its input. */
export function* readAction(
  state: ParserState,
  marker: LabelMark,
  acceptance: Belief,
  name?: string,
): Parser<ActionEnd> {
  const capture = new Capture(state);
  const mayAnswer = acceptance === "fitting" ? state.visibleCount === 0 : acceptance !== "offered";
  const action = {
    state,
    capture,
    acceptance,
    isReported: acceptance === "begun" || acceptance === "asked",
    mayAnswer,
  };
  state.source.skip(marker.length);
  const outcome = yield* name === undefined ? readActed(action) : readByName(action, name, true);
  if (
    outcome === "text" ||
    (typeof outcome !== "string" && acceptance === "fitting" && !state.fitAll(outcome, FAMILY))
  ) {
    capture.rejectAsCall("It names no offered tool, or has no input.");
    return "text";
  }
  if (typeof outcome !== "string") capture.endAsCalls(outcome, FAMILY);
  else if (!capture.hasEnded) capture.endAsMarkup(outcome === "no-action" ? outcome : "mark");
  return typeof outcome === "string" ? outcome : "called";
}

/** Returns true if the text after the label names an offered tool, says that none is called, or an input follows. The source is buffered. */
export function* namesAction(state: ParserState, marker: LabelMark): Parser<boolean> {
  state.source.skip(marker.length);
  const line = (yield* readLine(state.source)).trim();
  const name = cleanName(line);
  if (line === "" || /^[{[`]/.test(line) || state.resolve(name) !== undefined) return true;
  const callee = /^[`*]*([\w.-]+)[[(]/.exec(line)?.[1];
  if (callee !== undefined && state.resolve(callee) !== undefined) return true;
  const lowerCaseName = name.toLowerCase();
  if (NO_ACTION.has(lowerCaseName) || ANSWER_ACTIONS.some((answer) => lowerCaseName.startsWith(answer))) return true;
  return (yield* findNextLabel(state.source)) === "input";
}

/** Reads the action's own line and its continuation: an answer, a name, a call in brackets, or JSON with both name and input. */
function* readActed(action: Action): Parser<Acted> {
  const { state, capture, isReported, mayAnswer } = action;
  const { source } = state;
  const answer = mayAnswer ? yield* readAnswerAction(action) : undefined;
  if (answer !== undefined) return answer;
  yield* skipBlanks(source);
  yield* skipFenceStart(source);
  const code = yield* peek(source);
  if (code !== OPEN_BRACE && (code !== OPEN_BRACKET || (yield* peek(source, 1)) !== OPEN_BRACE)) {
    const line = yield* readLine(source);
    const name = cleanName(line);
    const isCall = state.resolve(name) === undefined && line.includes("(");
    const calls = isCall ? decodePythonBody(state, line.replace(/^[\s`*]+|[\s`*.]+$/g, "")) : undefined;
    return calls ? yield* readWithoutInput(action, calls) : yield* readByName(action, name);
  }
  const json = state.guard.areBracketsRefused ? undefined : yield* readBrackets(state);
  if (json === undefined) {
    if (!state.guard.areBracketsRefused) state.guard.refuseBrackets();
    if (!isReported) return "text";
    capture.endAsCutCall(FAMILY, "inside this action");
    return "called";
  }
  const candidates = decodeBody(state, json, true)?.candidates;
  if (candidates === undefined) return yield* readByName(action, "?");
  if (candidates.length > 0) return yield* readWithoutInput(action, candidates);
  if (!mayAnswer) return "text";
  const decoded = decodeJson(json);
  const answerText = decoded && readAnswerObject(decoded);
  return answerText === undefined ? "no-action" : answerAndEnd(action, answerText);
}

function* readWithoutInput({ state, acceptance }: Action, calls: readonly CallCandidate[]): Parser<Acted> {
  if (acceptance === "offered" && calls.some(({ name }) => state.resolve(name) === undefined)) return "text";
  yield* skipNoInput(state);
  return calls;
}

/** Reads `Finish[the answer]`, or the form with a colon; undefined if the line is neither. */
function* readAnswerAction({ state, capture, acceptance }: Action): Parser<"answered" | "answer" | undefined> {
  const { source } = state;
  const from = source.offset;
  const line = yield* readLine(source);
  const [, head = "", name = "", sign, answerText = ""] = /^(\s*([A-Za-z][\w ]*?)\s*([[:：]))(.*)$/.exec(line) ?? [];
  const inner = sign === "[" ? /^(.*)\]\s*$/.exec(answerText)?.[1] : undefined;
  const hasText = sign === "[" ? inner !== undefined : acceptance !== "fitting" && answerText.trim() !== "";
  const isAnswer = hasText && ANSWER_ACTIONS.includes(name.toLowerCase()) && state.resolve(name) === undefined;
  source.moveBack(isAnswer ? from + head.length : from);
  if (!isAnswer) return undefined;
  if (inner === undefined) {
    yield* skipBlanks(source);
    return "answer";
  }
  capture.endAsMarkup("label");
  state.sink.enterChannel("text");
  state.writeNext(inner.length);
  state.dropMarker(1, "label");
  return "answered";
}

/**
 * Reads the text after the name of such an action: its input, or the text that follows if the format was asked for. JSON that is the complete
 * input is the answer that it contains; any other text is the answer itself.
 */
function* readAnswerInput(action: Action): Parser<ActionEnd> {
  const { state, acceptance } = action;
  const { source } = state;
  if (!(yield* skipInputLabel(state))) {
    if (acceptance === "fitting") return "text";
    return (yield* findNextLabel(source)) === undefined ? "answer" : "no-action";
  }
  yield* skipBlanks(source);
  const from = source.offset;
  const text = yield* readBrackets(state);
  const json = text === undefined ? undefined : decodeJson(text);
  if (json && (yield* findNextLabel(source)) !== undefined) return answerAndEnd(action, readAnswerWords(json));
  source.moveBack(from);
  return "answer";
}

function answerAndEnd({ state, capture }: Action, answerText: string): "answered" {
  state.sink.enterChannel("text");
  capture.endAsAnswer(answerText);
  return "answered";
}

/** A name without the dress that models put on it. */
function cleanName(line: string): string {
  const bareText = stripDecoration(stripDecoration(line).replace(/^\[([^[\]]*)\]$/, "$1"));
  const usedName = /^use (?:the )?(?:tool )?(\S+)/i.exec(bareText);
  return (usedName?.[1] ?? bareText).replaceAll("\\_", "_");
}

function stripDecoration(text: string): string {
  return text.trim().replace(/^[*`"']+|[*`"'.]+$/g, "");
}

/** Reads an action by its name and input; `labelled`: the label is passed. An offered tool name has precedence over other meanings. */
function* readByName(action: Action, name: string, isLabelled = false): Parser<Acted> {
  const { state, capture } = action;
  const tool = state.resolve(name);
  if (tool === undefined) {
    const lowerCaseName = name.toLowerCase();
    if (ANSWER_ACTIONS.includes(lowerCaseName) && action.mayAnswer) return yield* readAnswerInput(action);
    if (!action.isReported) return (yield* readBracketed(state, name)) ?? "text";
    if (NO_ACTION.has(lowerCaseName)) {
      yield* skipNoInput(state);
      return "no-action";
    }
  }
  const parameterNames = tool === undefined ? undefined : state.listParameters(tool);
  const hasInput = isLabelled || (yield* skipInputLabel(state));
  if (!hasInput && parameterNames?.length !== 0) return yield* readInputless(action, name);
  const input = hasInput ? yield* readInput(state) : "";
  if (input === undefined || (hasInput && state.finish === "cut" && (yield* peek(state.source)) === END)) {
    capture.endAsCutCall(FAMILY, "inside the input of this action");
    return "called";
  }
  const bracketedTool = tool === undefined && input.trim() === "" ? parseBracketedName(state, name)?.tool : undefined;
  if (bracketedTool === undefined) return [decodeInput(name, input, parameterNames ?? [])];
  capture.endAsMalformedCall(`The action ${bracketedTool} has no input behind "Action Input:".`, FAMILY);
  return "called";
}

/** Reads a name without an input after it: `NAME[input]`, text that names nothing, or an unfinished call. */
function* readInputless({ state, capture, acceptance, isReported }: Action, name: string): Parser<Acted> {
  const outcome = yield* readBracketed(state, name);
  if (outcome) return outcome;
  const isProse = state.resolve(name) === undefined && /\s/.test(name);
  if (acceptance === "begun" && isProse && (yield* findNextLabel(state.source)) === "final") return "no-action";
  if (!isReported || (acceptance === "asked" && isProse)) return "text";
  capture.endAsMalformedCall(`The action ${name} has no "Action Input:" line.`, FAMILY);
  return "called";
}

/** `NAME[input]` of an offered tool that no other input follows. */
function* readBracketed(state: ParserState, name: string): Parser<readonly CallCandidate[] | undefined> {
  const bracketedCall = parseBracketedName(state, name);
  if (!bracketedCall || (yield* findNextLabel(state.source)) === "input") return undefined;
  return [decodeInput(bracketedCall.tool, bracketedCall.input, state.listParameters(bracketedCall.tool))];
}

/** Returns the offered tool and the input of `NAME[input`. */
function parseBracketedName(
  state: ParserState,
  name: string,
): { readonly tool: string; readonly input: string } | undefined {
  const at = name.indexOf("[");
  const tool = at > 0 && name.endsWith("]") ? state.resolve(name.slice(0, at).trim()) : undefined;
  return tool === undefined ? undefined : { tool, input: name.slice(at + 1, -1) };
}

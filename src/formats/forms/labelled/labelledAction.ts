// An action of labelled text: its name, its input, and whether both make a call or an answer. Knows no other label.

import type { CallCandidate } from "../../bodies/CallCandidate.ts";
import { ANSWER_ACTIONS } from "../../families/finalAnswer.ts";
import { familyOfForm } from "../../families/tables.ts";
import { OPEN_BRACE, OPEN_BRACKET } from "../../text/codes.ts";
import { END, type Reading } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { peek, skipBlanks } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import { decodeBody, decodePythonBody } from "../../turn/decodeBody.ts";
import type { Turn } from "../../turn/Turn.ts";
import {
  labelBehind,
  readInput,
  readLine,
  skipFenceEnd,
  skipFenceStart,
  skipInputLabel,
  skipNoInput,
} from "./actionInput.ts";
import { readAnswerAction, readAnswerInput, writeAnsweringObject } from "./answerAction.ts";
import { decodeActionInput } from "./decodeActionInput.ts";
import type { LabelMark } from "./labels.ts";

const FAMILY = familyOfForm("labelled-lines");

/** Names in the action's place that mean that nothing is called, where no tool is called that. */
const NO_ACTION = new Set(["none", "n/a", "na", "no_action", "no action", "null", ""]);

/** What an `Action:` label turned out to be. `answered`: its answer is written; `answer`: its answer follows. */
export type ActionEnd = "called" | "text" | "no-action" | "refused" | "answered" | "answer";

export interface ActionContext {
  /**
   * How much is believed of an action that makes no call. `begun`: an unknown or unfinished one is an issue; `asked`: also, unless it is
   * prose; `offered`: only one that names a tool and has an input; `fitting`: none, it is text again.
   */
  readonly belief: "begun" | "asked" | "offered" | "fitting";
  /** The tool that is called, where only an input's label stands at the cursor. */
  readonly name?: string | undefined;
}

/** Reads an action whose label stands at the cursor, with its input. */
export function* readAction(turn: Turn, mark: LabelMark, context: ActionContext): Reading<ActionEnd> {
  const { source } = turn;
  const capture = new Capture(turn);
  source.skip(mark.length);
  const read = yield* readActed(turn, capture, context);
  if (read === "text" || (typeof read !== "string" && context.belief === "fitting" && !turn.fit(read, FAMILY))) {
    capture.giveBack("It names no offered tool, or has no input.");
    return "text";
  }
  if (typeof read !== "string") capture.calls(read, FAMILY);
  else if (!capture.isOver) capture.drop(read === "no-action" ? read : "mark");
  return typeof read === "string" ? read : "called";
}

/** Whether the words behind an action's label name an offered tool or say that none is called, or an input follows them: the source is held. */
export function* namesAction(turn: Turn, mark: LabelMark): Reading<boolean> {
  const { source } = turn;
  source.skip(mark.length);
  const line = (yield* readLine(turn)).trim();
  const name = cleanName(line);
  if (line === "" || /^[{[`]/.test(line) || turn.resolve(name) !== undefined) return true;
  const callee = /^[`*]*([\w.-]+)[[(]/.exec(line)?.[1];
  if (callee !== undefined && turn.resolve(callee) !== undefined) return true;
  const lowered = name.toLowerCase();
  if (NO_ACTION.has(lowered) || ANSWER_ACTIONS.some((answer) => lowered.startsWith(answer))) return true;
  return (yield* labelBehind(turn))?.label === "input";
}

type Acted = readonly CallCandidate[] | Exclude<ActionEnd, "called">;

function* readActed(turn: Turn, capture: Capture, context: ActionContext): Reading<Acted> {
  if (context.name !== undefined) return yield* readByName(turn, capture, context.name, context);
  const mayAnswer = believesAnswer(turn, context);
  const answer = mayAnswer ? yield* readAnswerAction(turn, capture, context.belief !== "fitting") : undefined;
  if (answer !== undefined) return answer;
  const head = yield* readHead(turn);
  if (head === "cut") {
    if (context.belief === "fitting" || context.belief === "offered") return "text";
    capture.cut(FAMILY, "inside this action");
    return "refused";
  }
  const { candidates } = head;
  if (candidates === undefined) return yield* readByName(turn, capture, head.name, context);
  if (candidates.length === 0) {
    if (!mayAnswer) return "text";
    return writeAnsweringObject(turn, capture, head.json) ? "answered" : "no-action";
  }
  if (context.belief === "offered" && candidates.some(({ name }) => turn.resolve(name) === undefined)) return "text";
  yield* skipNoInput(turn);
  return candidates;
}

/** Whether an action may be the answer: not inside one, and behind words only where the format was asked for. */
function believesAnswer(turn: Turn, { belief }: ActionContext): boolean {
  return belief === "fitting" ? turn.shown === 0 : belief !== "offered";
}

interface Head {
  readonly name: string;
  readonly candidates?: readonly CallCandidate[] | undefined;
  /** The JSON that says both. */
  readonly json: string;
}

/** The action's own line: a name, a call in brackets, or JSON that says both name and input. */
function* readHead(turn: Turn): Reading<Head | "cut"> {
  const { source } = turn;
  yield* skipBlanks(source);
  yield* skipFenceStart(turn);
  const code = yield* peek(source);
  const from = source.offset;
  if (code === OPEN_BRACE || (code === OPEN_BRACKET && (yield* peek(source, 1)) === OPEN_BRACE)) {
    if (turn.guard.areBracketsRefused) return "cut";
    if ((yield* scanBalanced(source, source.heldFrom + turn.options.captureChars)) !== "balanced") {
      turn.guard.refuseBrackets();
      return "cut";
    }
    const json = turn.captured(from, source.offset);
    const decoded = decodeBody(turn, json, true);
    yield* skipFenceEnd(turn);
    return { name: decoded?.candidates[0]?.name ?? "?", candidates: decoded?.candidates, json };
  }
  const line = yield* readLine(turn);
  const plain = cleanName(line);
  if (turn.resolve(plain) === undefined && line.includes("(")) {
    const calls = decodePythonBody(turn, line.replace(/^[\s`*]+|[\s`*.]+$/g, ""));
    if (calls) return { name: calls[0]?.name ?? plain, candidates: calls, json: "" };
  }
  return { name: plain, json: "" };
}

/** A name without the dress that models put on it. */
function cleanName(line: string): string {
  const bare = undressed(undressed(line).replace(/^\[([^[\]]*)\]$/, "$1"));
  const used = /^use (?:the )?(?:tool )?(\S+)/i.exec(bare);
  return (used?.[1] ?? bare).replaceAll("\\_", "_");
}

function undressed(text: string): string {
  return text.trim().replace(/^[*`"']+|[*`"'.]+$/g, "");
}

/** What a name and the input behind it make. An offered name is a call first, whatever else it could mean. */
function* readByName(turn: Turn, capture: Capture, name: string, context: ActionContext): Reading<Acted> {
  const { belief, name: given } = context;
  const tool = turn.resolve(name);
  if (tool === undefined) {
    const lowered = name.toLowerCase();
    if (ANSWER_ACTIONS.includes(lowered) && believesAnswer(turn, context))
      return yield* readAnswerInput(turn, capture, belief !== "fitting");
    if (belief === "offered" || belief === "fitting") return (yield* readBracketed(turn, name)) ?? "text";
    if (NO_ACTION.has(lowered)) {
      yield* skipNoInput(turn);
      return "no-action";
    }
  }
  const known = tool === undefined ? undefined : turn.parameters(tool);
  const labelled = given !== undefined || (yield* skipInputLabel(turn));
  const input = labelled ? yield* readInput(turn) : undefined;
  if (input === "cut" || (input && turn.finish === "cut" && (yield* peek(turn.source)) === END)) {
    capture.cut(FAMILY, "inside the input of this action");
    return "refused";
  }
  if (!input && known?.length !== 0) return yield* readInputless(turn, capture, name, belief);
  const dressed = tool === undefined && input?.text.trim() === "" ? bracketed(turn, name)?.tool : undefined;
  if (dressed !== undefined) {
    capture.malformed(`The action ${dressed} has no input behind "Action Input:".`, FAMILY);
    return "refused";
  }
  return [decodeActionInput(name, input?.text ?? "", known ?? [])];
}

/** A name without an input behind it: `NAME[input]`, words that name nothing, or an unfinished call. */
function* readInputless(turn: Turn, capture: Capture, name: string, belief: ActionContext["belief"]): Reading<Acted> {
  const read = yield* readBracketed(turn, name);
  if (read) return read;
  const { source } = turn;
  const isProse = turn.resolve(name) === undefined && /\s/.test(name);
  const behind = source.offset;
  const next = yield* labelBehind(turn);
  source.back(behind);
  if (belief === "begun" && isProse && next?.label === "final") return "no-action";
  if (belief === "fitting" || belief === "offered" || (belief === "asked" && isProse)) return "text";
  capture.malformed(`The action ${name} has no "Action Input:" line.`, FAMILY);
  return "refused";
}

/** `NAME[input]` of an offered tool that no other input follows. */
function* readBracketed(turn: Turn, name: string): Reading<readonly CallCandidate[] | undefined> {
  const found = bracketed(turn, name);
  if (!found) return undefined;
  const { source } = turn;
  const behind = source.offset;
  const next = yield* labelBehind(turn);
  source.back(behind);
  return next?.label === "input"
    ? undefined
    : [decodeActionInput(found.tool, found.input, turn.parameters(found.tool))];
}

/** The offered tool and the words of `NAME[words`. */
function bracketed(turn: Turn, name: string): { readonly tool: string; readonly input: string } | undefined {
  const at = name.indexOf("[");
  const tool = at > 0 && name.endsWith("]") ? turn.resolve(name.slice(0, at).trim()) : undefined;
  return tool === undefined ? undefined : { tool, input: name.slice(at + 1, -1) };
}

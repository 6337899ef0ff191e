// An action that calls nothing and answers: `Finish[…]`, `Final Answer` with an input, JSON that says so. Knows no tool's action.

import { readAnswerObject, readAnswerWords } from "../../bodies/callObjects.ts";
import { decodeJson } from "../../bodies/decodeJson.ts";
import type { ValueAt } from "../../bodies/jsonSpans.ts";
import { ANSWER_ACTIONS } from "../../families/finalAnswer.ts";
import { OPEN_BRACE, OPEN_BRACKET } from "../../text/codes.ts";
import { END, type Reading } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { peek, skipBlanks } from "../../text/waiting.ts";
import type { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";
import { labelBehind, readLine, skipFenceEnd, skipInputLabel } from "./actionInput.ts";

/** `Finish[the answer]`, or with a colon: undefined where the line is no such thing. `asked`: the format was asked for. */
export function* readAnswerAction(
  turn: Turn,
  capture: Capture,
  asked: boolean,
): Reading<"answered" | "answer" | undefined> {
  const { source } = turn;
  const from = source.offset;
  const line = yield* readLine(turn);
  const [, head = "", name = "", sign, words = ""] = /^(\s*([A-Za-z][\w ]*?)\s*([[:：]))(.*)$/.exec(line) ?? [];
  const isAnswer = ANSWER_ACTIONS.includes(name.toLowerCase()) && turn.resolve(name) === undefined;
  const inner = sign === "[" ? /^(.*)\]\s*$/.exec(words)?.[1] : undefined;
  const follows = sign !== "[" && asked && words.trim() !== "";
  if (!isAnswer || (inner === undefined && !follows)) {
    source.back(from);
    return undefined;
  }
  source.back(from + head.length);
  if (inner === undefined) {
    yield* skipBlanks(source);
    return "answer";
  }
  capture.drop("label");
  turn.sink.enter("text");
  turn.pass(inner.length);
  turn.dropMark(1, "label");
  return "answered";
}

/**
 * Behind the name of such an action: its input, or what follows where the format was asked for. JSON that is the whole input is the answer
 * that it says; anything else is the answer as it stands.
 */
export function* readAnswerInput(
  turn: Turn,
  capture: Capture,
  asked: boolean,
): Reading<"answered" | "answer" | "no-action" | "text"> {
  const { source } = turn;
  if (!(yield* skipInputLabel(turn))) {
    if (!asked) return "text";
    const behind = source.offset;
    const next = yield* labelBehind(turn);
    const isOver = (yield* peek(source)) === END;
    source.back(behind);
    return isOver || next ? "no-action" : "answer";
  }
  const first = yield* skipBlanks(source);
  const from = source.offset;
  const value = first === OPEN_BRACE || first === OPEN_BRACKET ? yield* readWholeInput(turn) : undefined;
  if (value === undefined) {
    source.back(from);
    return "answer";
  }
  write(turn, capture, readAnswerWords(value));
  return "answered";
}

/** JSON in brackets at the cursor behind which the text ends, or goes on with another label. */
function* readWholeInput(turn: Turn): Reading<ValueAt | undefined> {
  const { source } = turn;
  const from = source.offset;
  if ((yield* scanBalanced(source, source.heldFrom + turn.options.captureChars)) !== "balanced") return undefined;
  const json = decodeJson(turn.captured(from, source.offset));
  yield* skipFenceEnd(turn);
  const behind = source.offset;
  const ends = (yield* labelBehind(turn)) !== undefined || (yield* peek(source)) === END;
  source.back(behind);
  return ends ? json : undefined;
}

/** JSON in an action's place that answers: its words are written. */
export function writeAnsweringObject(turn: Turn, capture: Capture, body: string): boolean {
  const json = decodeJson(body);
  const words = json && readAnswerObject(json);
  if (words !== undefined) write(turn, capture, words);
  return words !== undefined;
}

function write(turn: Turn, capture: Capture, words: string): void {
  turn.sink.enter("text");
  capture.answer(words);
}

// Calls without marks of their own: bare JSON, Python calls, fences, `NAME{json}`. They count only where the position is an answer's,
// the names are offered and the arguments fit; otherwise everything read here is text again.

import { readAnswerMessage } from "../../answers/answerObject.ts";
import type { Shape } from "../../families/FamilyRow.ts";
import { familyOfForm } from "../../families/tables.ts";
import { BACKTICK, OPEN_BRACE, OPEN_BRACKET, SLASH, TILDE } from "../../text/codes.ts";
import { END, type Reading } from "../../text/Source.ts";
import { peek, skipBlanks } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import type { FittedCall } from "../../turn/TextSink.ts";
import type { Turn } from "../../turn/Turn.ts";
import { isFamilyTrusted, isTrusted } from "./answerPosition.ts";
import { isCutList, readBracketed, readCommented } from "./bracketedCalls.ts";
import { isWordStart } from "./callWords.ts";
import { readFence } from "./fencedCalls.ts";
import { familyOf, type ShapeRead } from "./fitShape.ts";
import { skipJoints } from "./joints.ts";
import { readMissedCall } from "./missedCalls.ts";
import { endsCalls, readNamed } from "./namedCalls.ts";
import { isPartlyReadable, passItem } from "./partialLists.ts";

/**
 * Tries to read calls at the cursor, at the start of a line. True where they were emitted; false where all of it is unread
 * again, and then the same stretch is kept from being tried twice.
 */
export function* readBareShape(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const capture = new Capture(turn);
  const { calls, shape, partial, end, code } = yield* readRun(turn);
  if (calls.length === 0) return yield* readNoCall(turn, capture);
  const closer = shape === "python" ? yield* endsCalls(turn) : 0;
  const closed = closer > 1;
  const whole = closer > 0 || (code === END && turn.finish === "normal");
  if (partial)
    return whole && turn.shown === 0 && isTrusted(turn, shape)
      ? refuseList(turn, capture, shape)
      : capture.giveBack(PARTIAL);
  if (!isTrusted(turn, shape) && !whole) {
    return capture.giveBack("Text follows it: an answer's calls are its last words.");
  }
  if (closer > 0) source.skip(closer);
  else if (!whole) source.back(end);
  capture.deferred(closed ? calls.map((call) => ({ ...call, origin: familyOfForm("closed-python") })) : calls);
  // What follows is the model's comment on its calls.
  if (closed) turn.dropRest("after-action");
  return true;
}

/** What could not be read as calls from `start` on: a list that was cut, an answer in a call's clothes, or text. */
function* readNoCall(turn: Turn, capture: Capture): Reading<boolean> {
  const { source } = turn;
  const { start } = capture;
  if (yield* isCutList(turn)) {
    capture.cut(familyOf(turn, "json"), "inside this list of tool calls");
    return true;
  }
  if (yield* isPartialAnswer(turn, start)) return refuseList(turn, capture, "json");
  const behind = source.offset;
  source.back(start);
  if (yield* readAnswerMessage(turn, capture)) return true;
  source.skip(Math.max(0, behind - source.offset));
  const { refusal } = turn.guard;
  if (refusal && isFamilyTrusted(turn, refusal.family) && (yield* isWholeAnswer(turn))) {
    capture.issue(refusal.issue);
    return true;
  }
  source.back(start);
  if (yield* readMissedCall(turn, capture)) return true;
  source.skip(Math.max(0, behind - source.offset));
  return capture.giveBack("It cannot be read as calls of offered tools and nothing else.");
}

const PARTIAL = "A part of this list of tool calls cannot be read, so none of them is made.";

/** Reports the capture up to the cursor: the model meant calls, and a list is one unit. */
function refuseList(turn: Turn, capture: Capture, shape: Shape): true {
  capture.malformed(PARTIAL, familyOf(turn, shape));
  return true;
}

/** Whether the capture is a list in brackets, the whole answer of a model that was asked for such lists, and partly readable. */
function* isPartialAnswer(turn: Turn, start: number): Reading<boolean> {
  const { source } = turn;
  if (turn.shown > 0 || !(isTrusted(turn, "json") || isTrusted(turn, "python"))) return false;
  const body = source.held(start, source.offset);
  if (!body.startsWith("[") || !body.endsWith("]")) return false;
  return (yield* isWholeAnswer(turn)) && isPartlyReadable(turn, body);
}

/** Whether nothing but white space stands before the capture and behind the cursor, which moves over it. */
function* isWholeAnswer(turn: Turn): Reading<boolean> {
  if (turn.shown > 0 || turn.callCount > 0) return false;
  return (yield* skipBlanks(turn.source)) === END && turn.finish === "normal";
}

interface CallRun {
  readonly calls: ShapeRead["calls"];
  /** That of the first call. */
  readonly shape: Shape;
  /** Between the calls, or before or behind them, stands one that cannot be read. */
  readonly partial: boolean;
  /** The offset behind the last item. */
  readonly end: number;
  /** The character behind the joints, where the cursor stands, if no further item began there. */
  readonly code: number;
}

/** The calls from the cursor on that have nothing but joints between them. */
function* readRun(turn: Turn): Reading<CallRun> {
  const { source } = turn;
  const calls: FittedCall[] = [];
  let shape: Shape | undefined;
  let partial = false;
  let listed = false;
  let end = source.offset;
  let code = yield* peek(source);
  while (code !== END && (startsShape(code) || end === source.heldFrom)) {
    const from = source.offset;
    const read = yield* readShape(turn);
    if (read) calls.push(...read.calls);
    else if (!(yield* passUnread(turn, from, listed))) break;
    shape ??= read?.shape;
    partial ||= read === undefined;
    end = source.offset;
    code = yield* skipJoints(source);
    listed = /[,;]/.test(source.held(end, source.offset));
  }
  return { calls, shape: shape ?? "python", partial, end, code };
}

/** Moves over an item that begins at `from` and could not be read; false where it is none, and then the cursor goes nowhere back. */
function* passUnread(turn: Turn, from: number, listed: boolean): Reading<boolean> {
  const { source } = turn;
  const behind = source.offset;
  source.back(from);
  const passed = yield* passItem(turn, listed);
  if (!passed) source.skip(Math.max(0, behind - source.offset));
  return passed;
}

function startsShape(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET || code === BACKTICK || code === TILDE || isWordStart(code);
}

function* readShape(turn: Turn): Reading<ShapeRead | undefined> {
  const code = yield* peek(turn.source);
  if (code === BACKTICK || code === TILDE) return yield* readFence(turn, code);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return yield* readBracketed(turn);
  return code === SLASH ? yield* readCommented(turn) : yield* readNamed(turn);
}

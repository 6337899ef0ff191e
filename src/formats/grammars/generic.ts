// Calls without marks of their own: bare JSON, Python calls, fences, `NAME{json}`. They count only where the position is an answer's,
// the names are offered and the arguments fit; otherwise everything read here is text again.
import { END, type Reading } from "../Source.ts";
import { peek, startsWith } from "../Tag.ts";
import type { Turn } from "../Turn.ts";
import { readAnswerMessage } from "./answerObject.ts";
import { isTrusted } from "./answerPosition.ts";
import { isCutList, readBracketed, readCommented } from "./bracketedCalls.ts";
import { isWordStart } from "./callWords.ts";
import { readFence } from "./fencedCalls.ts";
import { familyOf, type ShapeRead } from "./fitShape.ts";
import { skipJoints } from "./joints.ts";
import { CALLS_END, readNamed } from "./namedCalls.ts";

/**
 * Tries to read calls at the cursor, at the start of a line. True where they were emitted; false where all of it is unread
 * again, and then `turn.floor` keeps the same stretch from being tried twice.
 */
export function* readGeneric(turn: Turn): Reading<boolean> {
  const { source } = turn;
  source.hold();
  const start = source.offset;
  const first = yield* readShape(turn);
  if (!first) return yield* readNoCall(turn, start);
  const { calls, end, code } = yield* readMore(turn, first);
  const closed = first.shape === "python" && (yield* startsWith(source, CALLS_END));
  const whole = closed || (code === END && turn.finish === "normal");
  if (!isTrusted(turn, first.shape) && !whole) {
    return unread(turn, start, "Text follows it: an answer's calls are its last words.");
  }
  if (closed) source.skip(CALLS_END.length);
  else if (!whole) source.back(end);
  turn.deferFitted(closed ? calls.map((call) => ({ ...call, origin: "raven" })) : calls);
  source.release();
  // What follows is the model's comment on its calls.
  if (closed) turn.rest = "after-action";
  return true;
}

/** What could not be read as calls from `start` on: a list that was cut, an answer in a call's clothes, or text. */
function* readNoCall(turn: Turn, start: number): Reading<boolean> {
  const { source } = turn;
  if (yield* isCutList(turn)) {
    turn.issue("truncated-call", "The text ended inside this list of tool calls.", familyOf(turn, "json"));
    source.release();
    return true;
  }
  const behind = source.offset;
  source.back(start);
  if (yield* readAnswerMessage(turn)) return true;
  source.skip(Math.max(0, behind - source.offset));
  return unread(turn, start, "It cannot be read as calls of offered tools and nothing else.");
}

/** Goes back to `start`, and lets nothing before the cursor be tried again. */
function unread(turn: Turn, start: number, why: string): false {
  const { source } = turn;
  turn.noteRelease(why);
  turn.floor = Math.max(turn.floor, source.offset);
  source.back(start);
  source.release();
  return false;
}

interface CallRun {
  readonly calls: ShapeRead["calls"];
  /** The offset behind the last call. */
  readonly end: number;
  /** The character behind the joints, where the cursor stands, if no further shape began there. */
  readonly code: number;
}

/** The calls that follow the first ones with nothing but joints between them. */
function* readMore(turn: Turn, first: ShapeRead): Reading<CallRun> {
  const { source } = turn;
  const calls = [...first.calls];
  let end = source.offset;
  let code = yield* skipJoints(source);
  while (code !== END && startsShape(code)) {
    const next = yield* readShape(turn);
    if (!next) break;
    calls.push(...next.calls);
    end = source.offset;
    code = yield* skipJoints(source);
  }
  return { calls, end, code };
}

function startsShape(code: number): boolean {
  return code === 123 || code === 91 || code === 96 || code === 126 || isWordStart(code);
}

function* readShape(turn: Turn): Reading<ShapeRead | undefined> {
  const code = yield* peek(turn.source);
  if (code === 96 || code === 126) return yield* readFence(turn, code);
  if (code === 123 || code === 91) return yield* readBracketed(turn);
  return code === 47 ? yield* readCommented(turn) : yield* readNamed(turn);
}

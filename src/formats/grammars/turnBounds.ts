// Where the assistant's turn ends or another begins inside the text, and marks that the text was cut in. Reads no call.
import { REASONING_ROLES } from "../families/frames.ts";
import { beginsMark, isMark, roleOf } from "../marks.ts";
import { END, type Reading } from "../Source.ts";
import { peek, readTag, startsWith, type Tag } from "../Tag.ts";
import { skipBlanks, type Turn } from "../Turn.ts";
import { isWordStart } from "./callWords.ts";
import { readSpecial } from "./special.ts";

/** Characters of a role's name in a header. */
const ROLE_LIMIT = 40;
/** Text that begins with the header of another role is text, this mark of it included. */
const HEADER_END = "<|end_header_id|>";

/** An end-of-turn mark at the cursor: after it only another message of the assistant is this turn's. */
export function* readTurnEnd(turn: Turn, tag: Tag): Reading<void> {
  const { source } = turn;
  turn.dropMark(tag.raw.length, "turn-end");
  source.hold();
  const start = source.offset;
  const code = yield* skipBlanks(source);
  if (code === END) return turn.endCapture("turn-end");
  if (yield* readSpecial(turn, "turn")) return;
  const next = code === 60 ? yield* readTag(source, isMark) : undefined;
  const role = next && roleOf(next);
  if (next && (role?.type === "turn-start" || role?.type === "turn-end" || role?.type === "channel")) {
    turn.endCapture("turn-end");
    return;
  }
  source.back(start);
  source.release();
  turn.note({ code: "stray-mark", message: "Text follows the end of the turn; it is not read.", at: start });
  turn.closeTurn();
}

/** A header inside the completion: it must be the assistant's own. */
export function* readTurnStart(turn: Turn, tag: Tag, openReasoning: () => void): Reading<void> {
  const { source } = turn;
  if (/assistant|model|chatbot/i.test(tag.name)) {
    turn.dropMark(tag.raw.length, "turn-start");
    turn.lineStart = true;
    return yield* dropHeaderWord(turn);
  }
  source.hold();
  const start = source.offset;
  source.skip(tag.raw.length);
  if (yield* readSpecial(turn, "role")) return;
  let length = 0;
  let code = yield* peek(source);
  while (code !== END && code !== 10 && code !== 60 && length < ROLE_LIMIT) {
    length += 1;
    code = yield* peek(source, length);
  }
  const role = source.ahead(length).trim();
  const reasons = REASONING_ROLES.has(role);
  if (role === "assistant" || role === "model" || role === "" || reasons) {
    source.skip(length);
    turn.endCapture("turn-start");
    if (reasons) openReasoning();
    return;
  }
  source.back(start);
  source.release();
  if (turn.shown === 0 && turn.callCount === 0) {
    const closed = yield* startsWith(source, HEADER_END, tag.raw.length + length);
    return turn.pass(tag.raw.length + (closed ? length + HEADER_END.length : 0));
  }
  turn.note({ code: "stray-mark", message: `The model began a turn of "${role}"; it is not read.`, at: start });
  turn.closeTurn();
}

/** A word between a turn's mark and the mark of its content names a tool for the server: it is no content. */
function* dropHeaderWord(turn: Turn): Reading<void> {
  let length = 0;
  while (isWordStart(yield* peek(turn.source, length)) && length < ROLE_LIMIT) length += 1;
  if (length > 0 && (yield* startsWith(turn.source, "<|content_", length))) turn.dropMark(length, "header");
}

/**
 * The text ended inside what may be a mark, whose first character stands at the cursor. Where the text was cut and it can be nothing
 * else, it is dropped: neither content nor worth a question. True where it was.
 */
export function dropCutMark(turn: Turn): boolean {
  if (turn.finish !== "cut" || turn.offered.length === 0) return false;
  let length = 1;
  while (turn.source.code(length) !== END) length += 1;
  const afterCall = turn.callCount > 0 && turn.shown === turn.shownAtCall;
  const torso = turn.source.ahead(length);
  if (!afterCall && !torso.startsWith("[") && !beginsMark(torso)) return false;
  turn.dropMark(length, "cut-mark");
  return true;
}

// `call:NAMESPACE:NAME{…}` in the middle of a line: the namespace makes it a mark of its own. Knows one family's spelling.

import { familyOfForm } from "../../families/tables.ts";
import { GREATER_THAN, LESS_THAN, OPEN_BRACE } from "../../text/codes.ts";
import type { Reading } from "../../text/Source.ts";
import { peek, startsWith } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";
import { readWord } from "../shapes/callWords.ts";
import type { ShapeRead } from "../shapes/fitShape.ts";
import { readLabelledCall } from "../shapes/labelledCall.ts";

/** Whether a model is known to write `call:…` behind any character. */
export function writesGluedCalls(turn: Turn): boolean {
  return turn.options.formats.includes(familyOfForm("labelled-braces"));
}

/**
 * Reads the call at the cursor, which stands at `call:` or at the angle bracket before it. False where it is none; then nothing
 * was consumed.
 */
export function* readGluedCall(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const angle = (yield* peek(source)) === LESS_THAN;
  if (turn.guard.isRefused || !(yield* startsWith(source, "call:", angle ? 1 : 0))) return false;
  const capture = new Capture(turn);
  if (angle) source.skip(1);
  const word = yield* readWord(source, 0, true);
  const [, namespace = "", name = ""] = word.split(":");
  let read: ShapeRead | undefined;
  if (namespace !== "" && turn.resolve(name) !== undefined && (yield* peek(source, word.length)) === OPEN_BRACE) {
    read = yield* readLabelledCall(turn, "call:".length);
    if (read && angle && (yield* peek(source)) === GREATER_THAN) source.skip(1);
  }
  if (!read) return capture.giveBack("It cannot be read as a call of an offered tool.");
  capture.fitted(read.calls);
  return true;
}

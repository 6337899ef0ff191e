// `call:NAMESPACE:NAME{…}` in the middle of a line: the namespace makes it a mark of its own. Knows one family's spelling.
import type { Reading } from "../Source.ts";
import { peek, startsWith } from "../Tag.ts";
import type { Turn } from "../Turn.ts";
import { readWord } from "./callWords.ts";
import type { ShapeRead } from "./fitShape.ts";
import { readLabelledCall } from "./labelledCall.ts";

/** Whether a model is known to write `call:…` behind any character. */
export function writesGluedCalls(turn: Turn): boolean {
  return turn.options.formats.includes("gemini-call-text");
}

/**
 * Reads the call at the cursor, which stands at `call:` or at the angle bracket before it. False where it is none; then nothing
 * was consumed.
 */
export function* readGluedCall(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const angle = (yield* peek(source)) === 60;
  const start = source.offset;
  if (start < turn.floor || !(yield* startsWith(source, "call:", angle ? 1 : 0))) return false;
  source.hold();
  if (angle) source.skip(1);
  const word = yield* readWord(source, 0, true);
  const [, namespace = "", name = ""] = word.split(":");
  let read: ShapeRead | undefined;
  if (namespace !== "" && turn.resolve(name) !== undefined && (yield* peek(source, word.length)) === 123) {
    read = yield* readLabelledCall(turn, "call:".length);
    if (read && angle && (yield* peek(source)) === 62) source.skip(1);
  }
  if (!read) {
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return false;
  }
  turn.emitFitted(read.calls);
  source.release();
  return true;
}

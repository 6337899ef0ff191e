// The input of an action as it stands in the text: behind its label, up to the next label or the end. Decodes nothing.
import { END, type Reading, StopTable, seek } from "../Source.ts";
import { scanBalanced } from "../scanBalanced.ts";
import { peek, startsWith } from "../Tag.ts";
import { skipBlanks, type Turn } from "../Turn.ts";
import { NO_INPUT } from "./decodeActionInput.ts";
import { readLabel } from "./labels.ts";

const FENCE = "```";
const LINE_LIMIT = 2048;
const LINE = new StopTable("\n");

/** Moves to behind an input label on one of the next lines; false where something else stands there. */
export function* skipInputLabel(turn: Turn): Reading<boolean> {
  yield* skipBlanks(turn.source);
  const mark = yield* readLabel(turn.source);
  if (mark?.label !== "input") return false;
  turn.source.skip(mark.length);
  return true;
}

/** Moves over the input label of an action that calls nothing, and over an input that says nothing. */
export function* skipNoInput(turn: Turn): Reading<void> {
  const { source } = turn;
  const start = source.offset;
  if (!(yield* skipInputLabel(turn))) return source.back(start);
  const from = source.offset;
  const line = yield* readLine(turn);
  if (!NO_INPUT.test(line.trim())) source.back(from);
}

/** The input at the cursor; `cut` where its brackets do not close, or it is longer than a capture may be. */
export function* readInput(turn: Turn): Reading<{ readonly text: string } | "cut"> {
  const { source } = turn;
  const until = source.heldFrom + turn.options.captureChars;
  yield* skipBlanks(source);
  const from = source.offset;
  yield* skipFenceStart(turn);
  const first = yield* peek(source);
  if (first === 123 || first === 91) {
    const scan = yield* scanBalanced(source, until);
    if (scan === "cut" || scan === "refused") return "cut";
    if (scan === "balanced") return { text: turn.captured(from, source.offset) };
  }
  for (;;) {
    const code = yield* seek(source, LINE, until);
    if (source.offset >= until) return "cut";
    const to = source.offset;
    if (code === END) return { text: turn.captured(from, to) };
    yield* skipBlanks(source);
    if (yield* readLabel(source)) return { text: turn.captured(from, to) };
  }
}

/** The rest of the line, which the cursor moves over. */
export function* readLine(turn: Turn): Reading<string> {
  const { source } = turn;
  const from = source.offset;
  while (source.offset - from < LINE_LIMIT) {
    const code = yield* peek(source);
    if (code === END || code === 10) break;
    source.skip(1);
  }
  return turn.captured(from, source.offset);
}

/** Moves over an opening fence, its language and the blanks behind it, if one stands here. */
export function* skipFenceStart(turn: Turn): Reading<void> {
  const { source } = turn;
  if (!(yield* startsWith(source, FENCE))) return;
  source.skip(FENCE.length);
  while (isLetter(yield* peek(source))) source.skip(1);
  yield* skipBlanks(source);
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

// The input of an action as it stands in the text: behind its label, up to the next label or the end. Decodes nothing.

import { LOWER_A, LOWER_Z, NEWLINE, OPEN_BRACE, OPEN_BRACKET, UPPER_A, UPPER_Z } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { peek, seek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import type { Turn } from "../../turn/Turn.ts";
import { NO_INPUT } from "./decodeActionInput.ts";
import { type LabelMark, readLabel } from "./labels.ts";

const FENCE = "```";
const LINE_LIMIT = 2048;
const DRESS = new Set([42, 96]);
const DRESS_LIMIT = 5;
const LEFTOVERS = new Set([...DRESS, 32, 93, 125]);
const LINE = new StopTable("\n");

/** Moves to behind an input label on one of the next lines; false, and not moved, where something else stands there. */
export function* skipInputLabel(turn: Turn): Reading<boolean> {
  const start = turn.source.offset;
  const mark = yield* labelBehind(turn);
  if (mark?.label === "input") turn.source.skip(mark.length);
  else turn.source.back(start);
  return mark?.label === "input";
}

/** The label on one of the next lines, to which the cursor moves, if one is the next that stands there. */
export function* labelBehind(turn: Turn): Reading<LabelMark | undefined> {
  yield* skipBlanks(turn.source);
  return yield* readLabel(turn.source);
}

/** Moves over the input label of an action that calls nothing, and over an input that says nothing. */
export function* skipNoInput(turn: Turn): Reading<void> {
  const { source } = turn;
  if (!(yield* skipInputLabel(turn))) return;
  const from = source.offset;
  const line = yield* readLine(turn);
  if (!NO_INPUT.test(line.trim())) source.back(from);
}

/** The input at the cursor, which moves to its end and not into the next line; `cut` where its brackets do not close, or it is longer than a capture may be. */
export function* readInput(turn: Turn): Reading<{ readonly text: string } | "cut"> {
  const { source } = turn;
  const until = source.heldFrom + turn.options.captureChars;
  yield* skipBlanks(source);
  const from = source.offset;
  yield* skipFenceStart(turn);
  yield* skipDress(turn);
  const first = yield* peek(source);
  const bodyFrom = source.offset;
  if (first === OPEN_BRACE || first === OPEN_BRACKET) {
    const scan = yield* scanBalanced(source, until);
    if (scan === "cut" || scan === "refused") return "cut";
    if (scan === "balanced") {
      const text = turn.captured(bodyFrom, source.offset);
      yield* skipLeftovers(turn);
      return { text };
    }
  }
  for (;;) {
    const code = yield* seek(source, LINE, until);
    if (source.offset >= until) return "cut";
    const to = source.offset;
    if (code === END) return { text: turn.captured(from, to) };
    yield* skipBlanks(source);
    const mark = yield* readLabel(source);
    if (!mark || mark.label === "question") continue;
    const text = turn.captured(from, to);
    source.back(to);
    return { text };
  }
}

/** The rest of the line, which the cursor moves over. */
export function* readLine(turn: Turn): Reading<string> {
  const { source } = turn;
  const from = source.offset;
  while (source.offset - from < LINE_LIMIT) {
    const code = yield* peek(source);
    if (code === END || code === NEWLINE) break;
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

/** Moves over a closing fence on one of the next lines. */
export function* skipFenceEnd(turn: Turn): Reading<void> {
  let ahead = 0;
  while (isBlank(yield* peek(turn.source, ahead))) ahead += 1;
  if (yield* startsWith(turn.source, FENCE, ahead)) turn.source.skip(ahead + FENCE.length);
}

/** Moves over bold or code marks in front of brackets. */
function* skipDress(turn: Turn): Reading<void> {
  let ahead = 0;
  while (ahead < DRESS_LIMIT && DRESS.has(yield* peek(turn.source, ahead))) ahead += 1;
  const code = yield* peek(turn.source, ahead);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) turn.source.skip(ahead);
}

/** Moves over what closes a dress or a bracket too many on the line of an input, and over the end of its fence. */
function* skipLeftovers(turn: Turn): Reading<void> {
  while (LEFTOVERS.has(yield* peek(turn.source))) turn.source.skip(1);
  yield* skipFenceEnd(turn);
}

function isLetter(code: number): boolean {
  return (code >= UPPER_A && code <= UPPER_Z) || (code >= LOWER_A && code <= LOWER_Z);
}

// Text that quotes: inline code, fences, quoted lines. Writes it through unread; decides nothing about calls.

import { BACKTICK, NEWLINE } from "../text/codes.ts";
import { END, type Reading, StopTable } from "../text/Source.ts";
import { flow, peek } from "../text/waiting.ts";
import type { Turn } from "./Turn.ts";

const LINE = new StopTable("\n");

/** Characters of a fence's mark, and of the blanks before the closing one, that are looked at ahead of the cursor. */
export const WIDEST_FENCE = 256;

/** Writes inline code up to its closing backticks, which stand on the same line. */
export function* passInlineCode(turn: Turn): Reading<void> {
  let width = 0;
  while ((yield* peek(turn.source)) === BACKTICK) {
    turn.pass(1);
    width += 1;
  }
  let run = 0;
  for (;;) {
    const code = yield* peek(turn.source);
    if (code === END || code === NEWLINE) return;
    turn.pass(1);
    run = code === BACKTICK ? run + 1 : 0;
    if (run === width && (yield* peek(turn.source)) !== BACKTICK) return;
  }
}

/** The width of a fence's mark at the cursor; `WIDEST_FENCE` where it is that wide or wider. */
export function* fenceWidth(turn: Turn, mark: number): Reading<number> {
  return yield* runOf(turn, mark, 0);
}

/** How often `mark` stands `ahead` of the cursor, up to `WIDEST_FENCE`. */
function* runOf(turn: Turn, mark: number, ahead: number): Reading<number> {
  let run = 0;
  while (run < WIDEST_FENCE && (yield* peek(turn.source, ahead + run)) === mark) run += 1;
  return run;
}

/** Writes a fence from its opening line to its closing one, or to the end. */
export function* passFence(turn: Turn, mark: number, width: number): Reading<void> {
  const { source } = turn;
  turn.pass(width);
  yield* passLine(turn);
  for (;;) {
    const indent = yield* runOf(turn, 32, 0);
    const closes = indent < WIDEST_FENCE && (yield* runOf(turn, mark, indent)) >= width;
    if (closes) {
      turn.pass(indent + width);
      while ((yield* peek(source)) === mark) turn.pass(1);
    }
    if (closes || (yield* peek(source)) === END) return;
    yield* passLine(turn);
  }
}

/** Writes the rest of the line with its newline. */
export function* passLine(turn: Turn): Reading<void> {
  const code = yield* flow(turn.source, LINE, (text) => turn.write(text));
  if (code === NEWLINE) turn.pass(1);
}

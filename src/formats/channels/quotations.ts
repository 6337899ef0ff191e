// Quotations, which are text whatever they hold: inline code, fences, and the rest of a line. Reads no call.
import { fenceWidth, WIDEST_FENCE } from "../forms/shapes/bareShapes.ts";
import { BACKTICK, NEWLINE, SPACE } from "../text/codes.ts";
import { END, type Reading, StopTable } from "../text/Source.ts";
import { aheadWhile, flow, peek } from "../text/waiting.ts";
import type { Turn } from "../turn/Turn.ts";

const LINE = new StopTable("\n");
const CODE = new StopTable("`\n");

/** Writes inline code up to its closing backticks, which stand on the same line. */
export function* passInlineCode(turn: Turn): Reading<void> {
  const width = yield* passBackticks(turn);
  let code: number;
  do code = yield* flow(turn.source, CODE, (text) => turn.write(text));
  while (code === BACKTICK && (yield* passBackticks(turn)) !== width);
}

function* passBackticks(turn: Turn): Reading<number> {
  let width = 0;
  while ((yield* peek(turn.source)) === BACKTICK) {
    turn.pass(1);
    width += 1;
  }
  return width;
}

/** Writes a fence from its opening line to its closing one, or to the end. */
export function* passFence(turn: Turn, mark: number, width: number): Reading<void> {
  const { source } = turn;
  turn.pass(width);
  yield* passLine(turn);
  for (;;) {
    const indent = yield* fenceWidth(source, SPACE);
    const closing = indent < WIDEST_FENCE ? yield* fenceWidth(source, mark, indent) : 0;
    if (closing >= width) turn.pass(yield* aheadWhile(source, (code) => code === mark, indent));
    if (closing >= width || (yield* peek(source)) === END) return;
    yield* passLine(turn);
  }
}

/** Writes the rest of the line with its newline. */
export function* passLine(turn: Turn): Reading<void> {
  const code = yield* flow(turn.source, LINE, (text) => turn.write(text));
  if (code === NEWLINE) turn.pass(1);
}

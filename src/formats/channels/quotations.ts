// Reads quotations, which are always text: inline code, fences, and the rest of a line.
import { measureFence, WIDEST_FENCE } from "../grammars/unmarked/unmarkedCalls.ts";
import { BACKTICK, NEWLINE, SPACE } from "../scanner/charCodes.ts";
import { flowUntil, measureWhile, peek } from "../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../scanner/Source.ts";
import type { ParserState } from "../state/ParserState.ts";

const LINE = new StopTable("\n");
const CODE = new StopTable("`\n");

/** Writes inline code up to its closing backticks, which stand on the same line. */
export function* skipInlineCode(turn: ParserState): Parser<void> {
  const width = yield* passBackticks(turn);
  let code: number;
  do code = yield* flowUntil(turn.source, CODE, (text) => turn.write(text));
  while (code === BACKTICK && (yield* passBackticks(turn)) !== width);
}

function* passBackticks(turn: ParserState): Parser<number> {
  let width = 0;
  while ((yield* peek(turn.source)) === BACKTICK) {
    turn.pass(1);
    width += 1;
  }
  return width;
}

/** Writes a fence from its opening line to its closing one, or to the end. */
export function* skipFence(turn: ParserState, mark: number, width: number): Parser<void> {
  const { source } = turn;
  turn.pass(width);
  yield* skipLine(turn);
  for (;;) {
    const indent = yield* measureFence(source, SPACE);
    const closing = indent < WIDEST_FENCE ? yield* measureFence(source, mark, indent) : 0;
    if (closing >= width) turn.pass(yield* measureWhile(source, (code) => code === mark, indent));
    if (closing >= width || (yield* peek(source)) === END) return;
    yield* skipLine(turn);
  }
}

/** Writes the rest of the line with its newline. */
export function* skipLine(turn: ParserState): Parser<void> {
  const code = yield* flowUntil(turn.source, LINE, (text) => turn.write(text));
  if (code === NEWLINE) turn.pass(1);
}

// Reads quotations, which are always text: inline code, fences, and the rest of a line.
import { measureFence, WIDEST_FENCE } from "../grammars/unmarked/unmarkedCalls.ts";
import { BACKTICK, NEWLINE, SPACE } from "../scanner/charCodes.ts";
import { flowUntil, measureWhile, peek } from "../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../scanner/Source.ts";
import type { ParserState } from "../state/ParserState.ts";

const LINE = new StopTable("\n");
const CODE = new StopTable("`\n");

/** Writes inline code up to its closing backticks, which stand on the same line. */
export function* skipInlineCode(state: ParserState): Parser<void> {
  const width = yield* passBackticks(state);
  let code: number;
  do code = yield* flowUntil(state.source, CODE, (text) => state.write(text));
  while (code === BACKTICK && (yield* passBackticks(state)) !== width);
}

function* passBackticks(state: ParserState): Parser<number> {
  let width = 0;
  while ((yield* peek(state.source)) === BACKTICK) {
    state.writeNext(1);
    width += 1;
  }
  return width;
}

/** Writes a fence from its opening line to its closing one, or to the end. */
export function* skipFence(state: ParserState, marker: number, width: number): Parser<void> {
  const { source } = state;
  state.writeNext(width);
  yield* skipLine(state);
  for (;;) {
    const indent = yield* measureFence(source, SPACE);
    const closing = indent < WIDEST_FENCE ? yield* measureFence(source, marker, indent) : 0;
    if (closing >= width) state.writeNext(yield* measureWhile(source, (code) => code === marker, indent));
    if (closing >= width || (yield* peek(source)) === END) return;
    yield* skipLine(state);
  }
}

/** Writes the rest of the line with its newline. */
export function* skipLine(state: ParserState): Parser<void> {
  const code = yield* flowUntil(state.source, LINE, (text) => state.write(text));
  if (code === NEWLINE) state.writeNext(1);
}

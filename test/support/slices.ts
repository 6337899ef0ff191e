// The slices of a parser's work, each made when it is asked for.
import type { OutputParser } from "../../src/formats/createOutputParser.ts";
import type { Slice } from "../../src/formats/MultiFormatOutputParser.ts";

type Parser = Pick<OutputParser, "feedSlice" | "nextSlice" | "finishSlice">;

export function feedSlices(parser: Parser, text: string): Generator<Slice, void, undefined> {
  return slicesFrom(parser, () => parser.feedSlice(text));
}

export function finishSlices(parser: Parser, finishReason: string | null): Generator<Slice, void, undefined> {
  return slicesFrom(parser, () => parser.finishSlice(finishReason));
}

function* slicesFrom(parser: Parser, begin: () => Slice): Generator<Slice, void, undefined> {
  let slice = begin();
  yield slice;
  while (slice.more) {
    slice = parser.nextSlice();
    yield slice;
  }
}

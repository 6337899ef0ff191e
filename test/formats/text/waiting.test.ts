// The ways in which a reader looks at text that may not have come yet: each says the same in every chunking.
import { expect, it } from "@jest/globals";
import { END, type Reading, type Source, StopTable } from "../../../src/formats/text/Source.ts";
import {
  aheadWhile,
  endsInside,
  flow,
  lengthOf,
  peek,
  seek,
  skipBlanks,
  skipComment,
  startsWith,
} from "../../../src/formats/text/waiting.ts";
import { isBlank } from "../../../src/formats/text/whiteSpace.ts";
import { everySplit } from "../../support/everySplit.ts";

const COMMA = new StopTable(",");

function* flowed(source: Source): Reading<string> {
  let text = "";
  const code = yield* flow(source, COMMA, (piece) => (text += piece));
  return `${text}|${code}`;
}

it.each<[string, string, (source: Source) => Reading<unknown>, unknown, number]>([
  ["peek sees a character ahead", "abc", (s) => peek(s, 2), 99, 0],
  ["peek sees the end", "abc", (s) => peek(s, 3), END, 0],
  ["startsWith finds the literal", "abc", (s) => startsWith(s, "bc", 1), true, 0],
  ["startsWith finds another", "abx", (s) => startsWith(s, "bc", 1), false, 0],
  ["lengthOf counts what stands there of a literal", "abx", (s) => lengthOf(s, "abc"), 2, 0],
  ["endsInside finds the torso of a literal", "x</to", (s) => endsInside(s, "</tool>", 1), 4, 0],
  ["endsInside knows a difference from an end", "</toast", (s) => endsInside(s, "</tool>"), 0, 0],
  ["endsInside is 0 for the whole literal", "</tool>", (s) => endsInside(s, "</tool>"), 0, 0],
  ["aheadWhile finds the first that does not belong", "  a", (s) => aheadWhile(s, isBlank), 2, 0],
  ["aheadWhile stops at its limit", "    a", (s) => aheadWhile(s, isBlank, 1, 2), 3, 0],
  ["seek moves to a stop", "ab,c", (s) => seek(s, COMMA, 10), 44, 2],
  ["seek moves to the end", "abc", (s) => seek(s, COMMA, 10), END, 3],
  ["seek moves no further than its limit", "abc,", (s) => seek(s, COMMA, 2), END, 2],
  ["skipBlanks moves to the next character", " \n a", skipBlanks, 97, 3],
  ["skipComment moves over slash and star", "/* a **/{", skipComment, true, 8],
  ["skipComment moves over a line", "// a\n{", skipComment, true, 5],
  ["skipComment stays before one that does not end", "/* a *", skipComment, false, 0],
  ["skipComment stays before anything else", "/ /", skipComment, false, 0],
  ["flow hands over all before a stop", "ab,c", flowed, "ab|44", 2],
  ["flow hands over all before the end", "abc", flowed, "abc|-1", 3],
])("%s", (_what, text, read, value, offset) => {
  const reader = (source: Source): Reading<unknown> => {
    source.hold();
    return read(source);
  };
  expect(everySplit(text, reader)).toEqual([{ value, offset }]);
});

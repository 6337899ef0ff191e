// The ways in which a reader looks at text that may not have come yet: each says the same in every chunking.
import { expect, it } from "@jest/globals";
import {
  flowUntil,
  matchesLiteral,
  measureMatch,
  measurePartialMatch,
  measureWhile,
  peek,
  seekStop,
  skipBlanks,
  skipComment,
} from "../../../../src/formats/scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../../../src/formats/scanner/Source.ts";
import { isBlank } from "../../../../src/formats/scanner/whitespace.ts";
import { everySplit } from "../../../support/everySplit.ts";

const COMMA = new StopTable(",");

function* flowed(source: Source): Parser<string> {
  let text = "";
  const code = yield* flowUntil(source, COMMA, (piece) => (text += piece));
  return `${text}|${code}`;
}

it.each<[string, string, (source: Source) => Parser<unknown>, unknown, number]>([
  ["peek sees a character ahead", "abc", (s) => peek(s, 2), 99, 0],
  ["peek sees the end", "abc", (s) => peek(s, 3), END, 0],
  ["startsWith finds the literal", "abc", (s) => matchesLiteral(s, "bc", 1), true, 0],
  ["startsWith finds another", "abx", (s) => matchesLiteral(s, "bc", 1), false, 0],
  ["lengthOf counts what stands there of a literal", "abx", (s) => measureMatch(s, "abc"), 2, 0],
  ["endsInside finds the torso of a literal", "x</to", (s) => measurePartialMatch(s, "</tool>", 1), 4, 0],
  ["endsInside knows a difference from an end", "</toast", (s) => measurePartialMatch(s, "</tool>"), 0, 0],
  ["endsInside is 0 for the whole literal", "</tool>", (s) => measurePartialMatch(s, "</tool>"), 0, 0],
  ["aheadWhile finds the first that does not belong", "  a", (s) => measureWhile(s, isBlank), 2, 0],
  ["aheadWhile stops at its limit", "    a", (s) => measureWhile(s, isBlank, 1, 2), 3, 0],
  ["seek moves to a stop", "ab,c", (s) => seekStop(s, COMMA, 10), 44, 2],
  ["seek moves to the end", "abc", (s) => seekStop(s, COMMA, 10), END, 3],
  ["seek moves no further than its limit", "abc,", (s) => seekStop(s, COMMA, 2), END, 2],
  ["skipBlanks moves to the next character", " \n a", skipBlanks, 97, 3],
  ["skipComment moves over slash and star", "/* a **/{", skipComment, true, 8],
  ["skipComment moves over a line", "// a\n{", skipComment, true, 5],
  ["skipComment stays before one that does not end", "/* a *", skipComment, false, 0],
  ["skipComment stays before anything else", "/ /", skipComment, false, 0],
  ["flow hands over all before a stop", "ab,c", flowed, "ab|44", 2],
  ["flow hands over all before the end", "abc", flowed, "abc|-1", 3],
])("%s", (_what, text, read, value, offset) => {
  const reader = (source: Source): Parser<unknown> => {
    source.startBuffering();
    return read(source);
  };
  expect(everySplit(text, reader)).toEqual([{ value, offset }]);
});

// Where a value in brackets ends: each of its endings, in every chunking.
import { describe, expect, it } from "@jest/globals";
import type { Source } from "../../../../src/formats/scanner/Source.ts";
import { DEPTH_LIMIT, scanBalanced } from "../../../../src/formats/scanner/scanBalanced.ts";
import { everySplit } from "../../../support/everySplit.ts";

const scan = (text: string, until = 1_000, strayQuotes = false) =>
  everySplit(text, (source: Source) => scanBalanced(source, until, strayQuotes));

describe("the end of a value in brackets", () => {
  it.each([
    ["behind the bracket's partner", '{"a": [1, (2)]} x', "balanced", 15],
    ["behind a string that holds brackets", "[\"}\", ']'] x", "balanced", 10],
    ["behind a string with an escaped quote", '{"a": "\\"}"} x', "balanced", 12],
    ["behind a string with quotes that nobody escaped", '{"a": "b "c" d"} x', "balanced", 16],
    ["behind a call", 'f("a", b=[1]) x'.slice(1), "balanced", 12],
    ["nowhere where the text ends first", '{"a": [1', "cut", 8],
    ["nowhere where the text ends in a string", '{"a": "b', "cut", 8],
    ["nowhere where another partner stands", '{"a": 1]', "broken", 8],
    ["nowhere where a mark stands", '{"a": </x', "broken", 6],
  ])("is %s", (_where, text, value, offset) => {
    expect(scan(text)).toEqual([{ value, offset }]);
  });

  it("is refused beyond the depth that is read", () => {
    expect(scan("[".repeat(DEPTH_LIMIT + 1))).toEqual([{ value: "refused", offset: DEPTH_LIMIT + 1 }]);
  });

  it("is refused beyond the length that is read", () => {
    expect(scan('{"a": 12}', 5)).toEqual([{ value: "refused", offset: 5 }]);
  });

  it("is not looked for in a quote around a callee where such quotes are stray", () => {
    expect(scan("['f(1)]", 100, true)).toEqual([{ value: "balanced", offset: 7 }]);
    expect(scan("['f(1)]", 100)).toEqual([{ value: "cut", offset: 7 }]);
  });
});

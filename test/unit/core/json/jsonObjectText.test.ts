import { describe, expect, it } from "@jest/globals";
import { endOfString, isObjectText } from "../../../../src/core/json/jsonObjectText.ts";
import { callKey } from "../../../../src/core/runs/callKey.ts";

describe("isObjectText", () => {
  const cases: readonly [string, string, boolean][] = [
    ["an object", '{"a": [1, {"b": "}"}]}', true],
    ["white space around it", ' \n{"a": 1}\t', true],
    ["a string with quotes and brackets", '{"a": "\\"[{\\\\"}', true],
    ["a file in a string", JSON.stringify({ text: "[1,\\2]\n".repeat(200_000) }), true],
    ["nothing", "", false],
    ["a list", "[1]", false],
    ["null", "null", false],
    ["an object that is not closed", '{"a": 1', false],
    ["a string that is not closed", '{"a": "x}', false],
    ["words behind it", '{"a": 1} so', false],
    ["Python's", "{'a': True}", false],
    ["as many levels as no parser takes", `{"a":${"[".repeat(300)}${"]".repeat(300)}}`, false],
    ["ten thousand levels without an end", "[".repeat(10_000_000), false],
    ["as many values as would hold up everybody else", `{"a":[${"[],".repeat(1_000_000)}1]}`, false],
    ["a number of ten million digits", `{"a":${"1".repeat(10_000_000)}}`, false],
  ];
  it.each(cases)("%s", (_title, text, expected) => {
    expect(isObjectText(text)).toBe(expected);
  });
});

describe("endOfString", () => {
  it.each([
    ["an empty string", '""', 1],
    ["escaped quotes", '"a\\"b\\\\"c"', 7],
    ["no end", '"a\\"', 4],
  ])("finds the closing quote of %s", (_title, text, end) => {
    expect(endOfString(text, 0)).toBe(end);
  });
});

describe("callKey", () => {
  it("compares arguments of more values than any call has as they were written", () => {
    const many = (space: string) => `{"a":[${`1,${space}`.repeat(60_000)}1]}`;
    expect(callKey({ name: "f", arguments: many("") })).toBe(callKey({ name: "f", arguments: many("") }));
    expect(callKey({ name: "f", arguments: many("") })).not.toBe(callKey({ name: "f", arguments: many(" ") }));
  });
});

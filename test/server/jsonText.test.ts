import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { faultPosition, nestsDeeperThan } from "../../src/server/jsonText.ts";

describe("nestsDeeperThan", () => {
  it("counts brackets, and not those inside strings", () => {
    expect(nestsDeeperThan("[[1]]", 2)).toBe(false);
    expect(nestsDeeperThan("[[[1]]]", 2)).toBe(true);
    expect(nestsDeeperThan(`{"a":"[[[[\\"[["}`, 1)).toBe(false);
  });

  it("refuses a hundred thousand brackets without recursion", () => {
    expect(nestsDeeperThan("[".repeat(100_000), 64)).toBe(true);
  });
});

describe("faultPosition", () => {
  it.each([
    ['{"a": x}', "line 1 column 7"],
    ['{"a": 1,\n "b" 2}', "line 2 column 6"],
    ["[1, 2", "line 1 column 6"],
    ["[1, 2] 3", "line 1 column 8"],
    ['{"a": [1, tru]}', "line 1 column 11"],
    ["[1,]", "line 1 column 4"],
  ])("finds the fault of %j", (text, position) => {
    expect(positionIn(text)).toBe(position);
  });

  it("says a line and a column for whatever JSON.parse refuses", () => {
    const pieces = fc.constantFrom(
      '"a"',
      "1",
      "true",
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      " ",
      "\n",
      "x",
      "'",
      "-",
      "1.",
      '"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const position = positionIn(parts.join(""));
        expect(position).toMatch(/^(line \d+ column \d+|valid)$/);
      }),
    );
  });
});

function positionIn(text: string): string {
  try {
    JSON.parse(text);
    return "valid";
  } catch (error) {
    return faultPosition(text, (error as Error).message);
  }
}

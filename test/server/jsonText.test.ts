import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { faultPosition, type JsonBounds, JsonScan } from "../../src/server/jsonText.ts";

/** Three of everything. */
const BOUNDS = { depth: 3, keys: 3, values: 3 };

/** What a scan says of a text, a byte at a time as at once. */
function beyond(text: string, bounds: Partial<JsonBounds> = {}): keyof JsonBounds | undefined {
  const bytes = Buffer.from(text);
  const limits = { ...BOUNDS, ...bounds };
  const pieces = new JsonScan(limits);
  const piecewise = [...bytes].map((_, at) => pieces.feed(bytes.subarray(at, at + 1))).find((one) => one !== undefined);
  expect(piecewise).toBe(new JsonScan(limits).feed(bytes));
  return piecewise;
}

describe("JsonScan", () => {
  it("counts brackets, keys and values, and none that stand in strings", () => {
    expect(beyond("[[[1]]]")).toBeUndefined();
    expect(beyond("[[[1]]]", { depth: 2 })).toBe("depth");
    expect(beyond('{"a":1,"b":2,"c":3}')).toBeUndefined();
    expect(beyond('{"a":1,"b":2,"c":3}', { keys: 2 })).toBe("keys");
    expect(beyond("[1,2,3]")).toBeUndefined();
    expect(beyond("[1,2,3,4]")).toBe("values");
    expect(beyond("[[],{}]", { values: 4 })).toBeUndefined();
    expect(beyond("[[],{}]")).toBe("values");
    expect(beyond('{"a\\":,,":"[[[[{{{{::::,,,,\\\\"}')).toBeUndefined();
    expect(beyond('["é,ü,ß,ö,ä"]')).toBeUndefined();
  });

  it("refuses a hundred thousand brackets without recursion", () => {
    expect(beyond("[".repeat(100_000), { values: 1e6 })).toBe("depth");
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

  it("ends its search after a hundred thousand tokens", () => {
    expect(faultPosition(`[${"1,".repeat(60_000)}x]`, "")).toBe("a place that was not looked for");
    expect(faultPosition(`[${"\n".repeat(200_000)}x]`, "")).toBe("line 200001 column 1");
    expect(faultPosition(`[${"\n".repeat(2_000_000)}x]`, "")).toBe("a place that was not looked for");
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

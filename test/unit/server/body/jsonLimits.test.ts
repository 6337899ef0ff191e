import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { findErrorPosition, type JsonBounds, JsonScan } from "../../../../src/server/body/jsonLimits.ts";

/** Three of everything. */
const BOUNDS = { depth: 3, keys: 3, values: 3 };

/** What a scan says of a text, a character at a time as at once. */
function beyond(text: string, bounds: Partial<JsonBounds> = {}): keyof JsonBounds | undefined {
  const limits = { ...BOUNDS, ...bounds };
  const pieces = new JsonScan(limits);
  const piecewise = text
    .split("")
    .map((character) => pieces.feed(character))
    .find((one) => one !== undefined);
  expect(piecewise).toBe(new JsonScan(limits).feed(text));
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

describe("what JsonScan counts of a JSON text", () => {
  /** By the value: a key a member, and the objects and lists, and the commas between the members of both. */
  const held = (value: unknown): { keys: number; values: number } => {
    const sum = { keys: 0, values: 0 };
    if (typeof value !== "object" || value === null) return sum;
    const members = Object.values(value);
    for (const member of members.map(held)) {
      sum.keys += member.keys;
      sum.values += member.values;
    }
    if (!Array.isArray(value)) sum.keys += members.length;
    sum.values += Math.max(1, members.length);
    return sum;
  };
  const hostile = fc.constantFrom('"', "\\", '\\"', "{[:,", "\u00e9", "\n");
  const strings = fc
    .array(fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 3 })))
    .map((parts) => parts.join(""));

  it("is what its value holds, whatever its strings are and wherever it is cut", () => {
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        strings,
        fc.constantFrom(1, true, null),
        fc.array(tie("json"), { maxLength: 4 }),
        fc.dictionary(strings, tie("json"), { maxKeys: 4 }),
      ),
    }));
    const plenty = { depth: 99, keys: 9_999, values: 9_999 };
    fc.assert(
      fc.property(json, fc.nat(), fc.constantFrom(undefined, 1), (value, cut, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const at = cut % (text.length + 1);
        const scan = new JsonScan(plenty);
        expect([scan.feed(text.slice(0, at)), scan.feed(text.slice(at))]).toEqual([undefined, undefined]);
        const { keys, values } = held(value);
        expect(scan.count).toBe(keys + values);
      }),
    );
  });
});

describe("findErrorPosition", () => {
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
    expect(findErrorPosition(`[${"1,".repeat(60_000)}x]`, "")).toBe("a place that was not looked for");
    expect(findErrorPosition(`[${"\n".repeat(200_000)}x]`, "")).toBe("line 200001 column 1");
    expect(findErrorPosition(`[${"\n".repeat(2_000_000)}x]`, "")).toBe("a place that was not looked for");
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
    return findErrorPosition(text, (error as Error).message);
  }
}

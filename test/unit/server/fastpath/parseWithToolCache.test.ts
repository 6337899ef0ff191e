// A short body is looked over, a longer one looked through: whatever the first lets pass the second lets pass, and both come to the same value.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runToCompletion } from "../../../../src/core/async/yieldToEventLoop.ts";
import type { JsonBounds } from "../../../../src/server/body/jsonLimits.ts";
import {
  checkLimits,
  checkLimitsFast,
  parseWithCachedTools,
} from "../../../../src/server/fastpath/parseWithToolCache.ts";
import { ToolListCache } from "../../../../src/server/fastpath/ToolListCache.ts";

const BOUNDS: JsonBounds = { depth: 6, keys: 400, values: 400 };

function overAndThrough(text: string, bounds: JsonBounds) {
  const listAt = () => {
    const known = new ToolListCache();
    return (at: number) => known.listAt(text, at, "somebody");
  };
  return {
    over: checkLimitsFast(text, bounds, listAt()),
    through: runToCompletion(checkLimits(text, bounds, listAt())),
  };
}

function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return { error: (error as Error).name };
  }
}

const strings = fc
  .array(fc.constantFrom('"', "\\", '"tools":[', "{[", "a", "\u00e9", "\n"), { maxLength: 4 })
  .map((parts) => parts.join(""));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    strings,
    fc.constantFrom(1, true, null),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom("tools", "a"), strings), tie("json"), { maxKeys: 3 }),
  ),
}));
const lists = fc.array(json, { maxLength: 3 });
const texts = fc.oneof(
  fc.tuple(json, fc.constantFrom(undefined, 1)).map(([value, indent]) => JSON.stringify(value, undefined, indent)),
  fc.tuple(json, lists, json).map(([a, tools, b]) => JSON.stringify({ a, tools, b })),
  // The last of two counts.
  fc.tuple(lists, json).map(([one, two]) => `{"tools": ${JSON.stringify(one)}, "tools": ${JSON.stringify(two)}}`),
  fc
    .array(fc.constantFrom("{", "[", "]", "}", '"', ",", ":", '"tools":[', "1"), { maxLength: 20 })
    .map((all) => all.join("")),
);

describe("a body that is looked over", () => {
  it("is within its bounds, holds no more than is counted, and has the value of its text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { over, through } = overAndThrough(text, BOUNDS);
        if (!over) return;
        expect(through.beyond).toBeUndefined();
        expect(over.counted).toBeGreaterThanOrEqual(through.counted);
        const plain = outcomeOf(() => JSON.parse(text));
        expect(outcomeOf(() => parseWithCachedTools(text, over.tools))).toEqual(plain);
        expect(outcomeOf(() => parseWithCachedTools(text, through.tools))).toEqual(plain);
      }),
      { numRuns: 2_000 },
    );
  });

  it("finds the list that looking through it finds", () => {
    const text = JSON.stringify({ model: "m", tools: [{ type: "function", function: { name: "a" } }], n: 1 });
    const { over, through } = overAndThrough(text, BOUNDS);
    expect(over?.tools).toEqual(through.tools);
    expect(over?.tools?.at).toBe(text.indexOf("["));
  });

  it.each<[string, string, Partial<JsonBounds>]>([
    ["brackets", `{"a":${"[".repeat(6)}${"]".repeat(6)}}`, {}],
    ["brackets with those of its tools", '{"a":[[[]]],"tools":[[[[]]]]}', {}],
    ["characters that keys may be", `{"a":"${"b".repeat(400)}"}`, {}],
    ["characters that values may be", '{"a":"bcd"}', { values: 5 }],
  ])("is looked through where it has more %s than are allowed", (_what, text, bounds) => {
    expect(overAndThrough(text, { ...BOUNDS, ...bounds }).over).toBeUndefined();
  });
});

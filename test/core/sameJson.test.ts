import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonValue } from "../../src/core/messages.ts";
import { sameJson } from "../../src/core/sameJson.ts";

/** Few names and few values, so that many are the same. */
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, 0, 1, "", "a", [], {}),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__", "0"), tie("value"), { maxKeys: 3 }),
  ),
}));

describe("two JSON values", () => {
  it("are the same where they are the same text, the order of members included", () => {
    let same = 0;
    const property = fc.property(value, value, (one, other) => {
      const [first, second] = [one, other].map((json) => JSON.stringify(json));
      same += first === second ? 1 : 0;
      expect(sameJson(JSON.parse(String(first)), JSON.parse(String(second)))).toBe(first === second);
      expect(sameJson(one, JSON.parse(String(first)))).toBe(true);
    });
    fc.assert(property, { numRuns: 2_000 });
    expect(same).toBeGreaterThan(20);
    expect(sameJson({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(false);
  });
});

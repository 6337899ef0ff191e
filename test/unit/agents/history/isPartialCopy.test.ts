// What counts as left of a value, and what two hostile values cost.
import { describe, expect, it } from "@jest/globals";
import { isPartialCopy } from "../../../../src/agents/history/isPartialCopy.ts";
import type { JsonValue } from "../../../../src/core/messages.ts";

describe("a piece", () => {
  it.each<[JsonValue, JsonValue | undefined, boolean]>([
    ["tide.", "First the tide.", true],
    ["First", "First the tide.", false],
    [{ index: 0 }, { index: 0, signature: "s" }, true],
    [{ index: 1 }, { index: 0 }, false],
    [[{ signature: "s" }], [{ index: 0 }, { index: 1, signature: "s" }], true],
    [[{ signature: "mine" }], [{ signature: "s" }], false],
    [{ a: 1 }, undefined, false],
  ])("%j of %j: %s", (piece, whole, expected) => {
    expect(isPartialCopy(piece, whole)).toBe(expected);
  });

  it("is not looked for beyond so many steps, whatever stands in either value", () => {
    const nested = (leaf: JsonValue): JsonValue => {
      let value: JsonValue = leaf;
      for (let level = 0; level < 3; level += 1) value = Array.from({ length: 60 }, () => value);
      return value;
    };
    const left = { steps: 10_000 };
    expect(isPartialCopy(nested(1), nested(2), left)).toBe(false);
    expect(left.steps).toBeGreaterThan(-500);
  });
});

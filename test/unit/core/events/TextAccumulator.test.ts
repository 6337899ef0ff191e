import { describe, expect, it } from "@jest/globals";
import { TextAccumulator } from "../../../../src/core/events/TextAccumulator.ts";

describe("a text that comes in pieces", () => {
  it.each([0, 1, 1_023, 1_024, 1_025, 5_000])("is their text, however many they are: %i", (count) => {
    const pieces = Array.from({ length: count }, (_, i) => `${i} `);
    const fold = new TextAccumulator();
    for (const piece of pieces) fold.add(piece);
    expect(fold.text).toBe(pieces.join(""));
  });

  it("is their text where few pieces are long", () => {
    const pieces = [40_000, 1, 40_000, 70_000, 65_535, 1].map((length, i) => `${i}`.repeat(length));
    const fold = new TextAccumulator();
    for (const piece of pieces) fold.add(piece);
    expect(fold.text).toBe(pieces.join(""));
  });

  it("begins anew where it is cleared", () => {
    const fold = new TextAccumulator();
    for (let i = 0; i < 2_000; i += 1) fold.add("before ");
    fold.clear();
    fold.add("after");
    expect(fold.text).toBe("after");
  });
});

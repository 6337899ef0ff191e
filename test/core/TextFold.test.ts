import { describe, expect, it } from "@jest/globals";
import { TextFold } from "../../src/core/TextFold.ts";

describe("a text that comes in pieces", () => {
  it.each([0, 1, 1_023, 1_024, 1_025, 5_000])("is their text, however many they are: %i", (count) => {
    const pieces = Array.from({ length: count }, (_, i) => `${i} `);
    const fold = new TextFold();
    for (const piece of pieces) fold.add(piece);
    expect(fold.text).toBe(pieces.join(""));
  });

  it("begins anew where it is cleared", () => {
    const fold = new TextFold();
    for (let i = 0; i < 2_000; i += 1) fold.add("before ");
    fold.clear();
    fold.add("after");
    expect(fold.text).toBe("after");
  });
});

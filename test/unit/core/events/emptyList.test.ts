import { describe, expect, it } from "@jest/globals";
import { createEmptyList } from "../../../../src/core/events/emptyList.ts";
import { haveOneShape } from "../../../support/shapes.ts";

describe("an empty list", () => {
  it("holds nothing", () => {
    expect(createEmptyList({ name: "look" })).toEqual([]);
  });

  it("is of the kind of lists that hold something, as `[]` is not", () => {
    const full = [{ name: "look" }].map(({ name }) => ({ name }));
    expect(haveOneShape(createEmptyList({ name: "" }), full)).toBe(true);
    expect(haveOneShape(createEmptyList(""), JSON.parse('["one"]'))).toBe(true);
    expect(haveOneShape([], full)).toBe(false);
  });
});

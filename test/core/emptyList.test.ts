import { describe, expect, it } from "@jest/globals";
import { emptyList } from "../../src/core/emptyList.ts";
import { haveOneShape } from "../support/shapes.ts";

describe("an empty list", () => {
  it("holds nothing", () => {
    expect(emptyList({ name: "look" })).toEqual([]);
  });

  it("is of the kind of lists that hold something, as `[]` is not", () => {
    const full = [{ name: "look" }].map(({ name }) => ({ name }));
    expect(haveOneShape(emptyList({ name: "" }), full)).toBe(true);
    expect(haveOneShape(emptyList(""), JSON.parse('["one"]'))).toBe(true);
    expect(haveOneShape([], full)).toBe(false);
  });
});

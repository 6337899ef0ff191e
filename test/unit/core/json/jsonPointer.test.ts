// References inside a document lead to one place for all who follow them.
import { describe, expect, it } from "@jest/globals";
import { resolvePointer } from "../../../../src/core/json/jsonPointer.ts";

const DOCUMENT = {
  $defs: { "a b": { type: "string" }, "x/y~z": true, "50%": 1 },
  anyOf: [{ type: "null" }, { type: "integer" }],
};

describe("a reference inside a document", () => {
  it.each([
    ["the document itself", "#", DOCUMENT],
    ["a place in a list", "#/anyOf/1", { type: "integer" }],
    ["a key with a blank that is written as a URL has it", "#/$defs/a%20b", { type: "string" }],
    ["a key with a slash and a tilde", "#/$defs/x~1y~0z", true],
    ["a key that only looks encoded", "#/$defs/50%", 1],
  ])("leads to %s", (_, reference, target) => {
    expect(resolvePointer(DOCUMENT, reference)).toEqual(target);
  });

  it.each([
    ["another document", "other.json#/$defs"],
    ["a name instead of a place", "#anchor"],
    ["a place that is none", "#/$defs/c"],
    ["what every object inherits", "#/constructor"],
    ["a place of a list that is written otherwise", "#/anyOf/01"],
    ["a place behind a scalar", "#/$defs/50%/a"],
  ])("leads nowhere by %s", (_, reference) => {
    expect(resolvePointer(DOCUMENT, reference)).toBeUndefined();
  });
});

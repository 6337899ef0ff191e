// Patterns over names, and which alias takes a name.
import { describe, expect, it } from "@jest/globals";
import { countLiterals, findAlias, matchesPattern } from "../../../../src/core/models/namePatterns.ts";

describe("matchesPattern", () => {
  it.each([
    ["qwen3*", "qwen3-8b", true],
    ["*coder*", "qwen3-coder-30b", true],
    ["qwen*instruct", "qwen2-instruct", true],
    ["a*a", "a", false],
    ["a*b*a", "aba", true],
    ["gpt-4", "gpt-4o", false],
    ["*", "", true],
    ["**", "x", true],
  ])("%s covers %s: %s", (pattern, name, expected) => {
    expect(matchesPattern(pattern, name)).toBe(expected);
  });

  it("does not backtrack", () => {
    const name = "a".repeat(256);
    expect(matchesPattern(`${"a*".repeat(100)}b`, name)).toBe(false);
  });
});

describe("literalLength", () => {
  it("counts what is no wildcard", () => expect(countLiterals("*a*bc")).toBe(3));
});

describe("aliasOf", () => {
  const aliases = [
    { pattern: "*", model: "any" },
    { pattern: "gpt-4o*", model: "large" },
    { pattern: "gpt-4o", model: "exact" },
    { pattern: "gpt-4o-mini*", model: "small" },
    { pattern: "*-4o-*", model: "middle" },
  ];

  it.each([
    ["gpt-4o", "exact"],
    ["GPT-4o-2024-08-06", "large"],
    ["gpt-4o-mini-2024-07-18", "small"],
    ["other", "any"],
  ])("%s → %s: the name itself, else the pattern that says most, whatever the case", (name, model) => {
    expect(findAlias(name, aliases)?.model).toBe(model);
  });

  it("takes no name that no pattern covers", () => {
    expect(findAlias("gpt-4", aliases.slice(1))).toBeUndefined();
  });
});

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { LinearRegExp } from "../../../../src/formats/validation/LinearRegExp.ts";

const PLENTY = 1_000_000;
const run = (source: string, text: string) => LinearRegExp.compile(source)?.test(text, { steps: PLENTY });

describe("a pattern of a client's schema", () => {
  it.each([
    ["^[a-z]+$", "abc", "abC"],
    ["^\\d{4}-\\d{2}-\\d{2}$", "2024-05-01", "2024-5-1"],
    ["^([01]\\d|2[0-3]):[0-5]\\d$", "23:59", "24:00"],
    ["^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "a@b.c", "a@b"],
    ["^(?:[a-z]+\\.)*[a-z]+$", "a.b.c", "a..c"],
    ["\\bfoo\\b", "a foo b", "afoob"],
    ["^\\p{Lu}", "Été", "été"],
    ["^.$", "\u{1F600}", "ab"],
    ["^(?<year>\\d+)$", "2024", "x"],
    ["[\\w-.]+", "a-b", "é"],
    ["^a{2,3}?$", "aaa", "aaaa"],
    ["^(a*)*b$", "aab", "aac"],
    ["^$|x", "", "a"],
  ])("%s takes %j and not %j", (source, good, bad) => {
    expect(run(source, good)).toBe(true);
    expect(run(source, bad)).toBe(false);
  });

  it("means what JavaScript's engine means", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      "../../../formats/fitting",
      "[ab]",
      "[^a]",
      "\\w",
      "\\d",
      "\\s",
      "^",
      "$",
      "\\b",
      "\\B",
      "é",
      "\\u{1F600}",
    );
    const sign = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?");
    const isRun = (source: string) => LinearRegExp.compile(source) !== undefined;
    const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
      pattern: fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
      part: fc.oneof(
        // Deeper ones have more instructions than are run, and JavaScript's engine takes minutes for them.
        { maxDepth: 3 },
        fc.tuple(atom, sign).map(([one, count]) => (/^[$^]|\\[bB]/.test(one) ? one : one + count)),
        fc.tuple(tie("pattern"), tie("pattern"), sign).map(([one, other, count]) => `(${one}|${other})${count}`),
      ),
    }));
    const text = fc
      .array(fc.constantFrom("a", "b", " ", "1", "é", "\u{1F600}"), { maxLength: 6 })
      .map((chars) => chars.join(""));
    fc.assert(
      fc.property(
        pattern.filter(isRun),
        text,
        (source, given) => run(source, given) === new RegExp(source, "u").test(given),
      ),
    );
  });

  it.each([
    "(a)\\1",
    "a(?=b)",
    "(?<!a)b",
    "(a{900}){900}",
    "(",
    `${"(".repeat(65)}${")".repeat(65)}`,
    "x".repeat(5_000),
  ])("is not run: %s", (source) => {
    expect(LinearRegExp.compile(source)).toBeUndefined();
  });

  it("costs what the text's length costs, whatever has two ways to go", () => {
    const steps = (length: number) => {
      const budget = { steps: PLENTY };
      expect(LinearRegExp.compile("^(a|a)*(a*)*(a+)+$")?.test(`${"a".repeat(length)}!`, budget)).toBe(false);
      return PLENTY - budget.steps;
    };
    expect(steps(8_000) / steps(4_000)).toBeLessThan(2.1);
    expect(steps(8_000)).toBeLessThan(8_000 * 40);
  });

  it("is ready at once, however often nothing is repeated", () => {
    expect(run("^((){99999999}){99999999}a$", "a")).toBe(true);
  });

  it("stays open where the steps do not reach", () => {
    expect(LinearRegExp.compile("^a*$")?.test("a".repeat(1_000), { steps: 500 })).toBeUndefined();
    expect(LinearRegExp.compile("^(|||||||)*$")?.test("a".repeat(100), { steps: 200 })).toBeUndefined();
  });
});

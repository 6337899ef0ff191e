// A table of any width: nothing is wider than it, nothing is cut in half, and a pipe has all of it.
import { describe, expect, it } from "@jest/globals";
import { renderTable } from "../../../../src/cli/output/table.ts";

const HEADS = ["name", "kind", "said"];
/** The last is of characters that are two units of a text and two cells of a terminal each. */
const ROWS = [
  ["clock", "built-in", "The time of day, wherever it is asked for."],
  ["模型", "http-client", "模型".repeat(20)],
  ["rare", "", "\u{20000}".repeat(30)],
];

/** Written another way than the gateway counts: what these rows hold of Han takes two cells, all else one. */
function cellsOf(line: string): number {
  return [...line].reduce((sum, character) => sum + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0);
}

describe("a table", () => {
  it.each([30, 40, 41, 60, 80])("of %d cells is no wider, and cuts no character in half", (width) => {
    const text = renderTable({ heads: HEADS, rows: ROWS }, width);
    const lines = text.trimEnd().split("\n");
    expect(lines.filter((line) => cellsOf(line) > width)).toEqual([]);
    expect(text.isWellFormed()).toBe(true);
    for (const [name] of ROWS) expect(lines.some((line) => line.split(/ {2}|$/)[0] === name)).toBe(true);
  });

  it("has each column where the one above it is, wide characters or not", () => {
    const [heads = "", ...lines] = renderTable({ heads: HEADS, rows: ROWS }, 60).trimEnd().split("\n");
    const said = cellsOf(heads.slice(0, heads.indexOf("said")));
    const starts = lines.map((line) => cellsOf(/^\S+ {2,}(?:\S+ {2,})?/.exec(line)?.[0] ?? ""));
    expect(starts).toEqual(lines.map(() => said));
  });

  it("is whole in a pipe, a line a row", () => {
    const lines = renderTable({ heads: HEADS, rows: [...ROWS, ["a\tb", "c\r\nd", "\u001b[2J"]] }, undefined).split(
      "\n",
    );
    expect(lines[1]).toBe("clock  built-in     The time of day, wherever it is asked for.");
    expect(lines[4]).toBe("a\\tb   c\\nd         \\u001b[2J");
  });

  it("of 20 cells is a block a row, with what the row has", () => {
    expect(renderTable({ heads: HEADS, rows: ROWS.slice(0, 1) }, 20)).toBe(
      "clock\n  kind  built-in\n  said  The time of…\n",
    );
  });
});

// The contract as a table, as far as it can be held without asking anybody.
import { describe, expect, it } from "@jest/globals";
import { strangeWords } from "../../support/contract/cells.ts";
import { CELLS, PARAMETERS } from "../../support/contract/table.ts";

describe("the contract's table", () => {
  it("has at least 600 cells, each of a parameter with a name of its own", () => {
    expect(CELLS.length).toBeGreaterThanOrEqual(600);
    expect(new Set(PARAMETERS.map(({ name }) => name)).size).toBe(PARAMETERS.length);
  });

  it("states no outcome for a place that does not exist", () => {
    expect(PARAMETERS.flatMap(({ outcomes }) => strangeWords(outcomes))).toEqual([]);
  });
});

// The table of docs/reference/http-api.md: which parameter has which outcome on which kind of server. `npm test` asks for a sample of its cells.
import { describe, expect, it } from "@jest/globals";
import { strangeWords, WIRES } from "../../support/contract/cells.ts";
import { holdWire } from "../../support/contract/holdWire.ts";
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

describe.each(WIRES)("a request to a server of the wire %s", holdWire);

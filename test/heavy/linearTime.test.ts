import { describe, expect, it } from "@jest/globals";
import { chunksOf } from "../support/chunkings.ts";
import { HOSTILE_FAMILIES } from "../support/hostileTexts.ts";
import { KB, LOOKS, looksPerCharacter, MB } from "../support/looks.ts";
import { REQUESTS } from "../support/modelTexts.ts";

// Work is counted: clocks judge the machine, and belong to the bench.
const [native, , , labelled] = REQUESTS;

describe("hostile texts cost what their length costs", () => {
  it("in at least forty families, each of the length that is asked for", () => {
    expect(HOSTILE_FAMILIES.length).toBeGreaterThanOrEqual(40);
    expect(HOSTILE_FAMILIES.filter(({ text }) => text(5000).length !== 5000)).toEqual([]);
  });

  it.each(HOSTILE_FAMILIES)("$name: 64 KB, a character at a time", ({ text }) => {
    expect(looksPerCharacter(chunksOf(text(64 * KB), 1), native)).toBeLessThan(LOOKS);
  });

  it.each(HOSTILE_FAMILIES)("$name: 64 KB where labelled text was asked for", ({ text }) => {
    expect(looksPerCharacter([text(64 * KB)], labelled)).toBeLessThan(LOOKS);
  });

  it.each(HOSTILE_FAMILIES)("$name: 1 MB at once", ({ text }) => {
    expect(looksPerCharacter([text(MB)], native)).toBeLessThan(LOOKS);
  });
});

import { describe, expect, it } from "@jest/globals";
import { HOSTILE_FAMILIES } from "../support/hostileTexts.ts";
import { LOOKS, looksPerCharacter, MB } from "../support/looks.ts";
import { REQUESTS } from "../support/modelTexts.ts";

/** Families from all over the table, chosen by their place in it; `HOSTILE_FAMILIES=all` reads every one. */
const LONG = process.env.HOSTILE_FAMILIES === "all" ? HOSTILE_FAMILIES : HOSTILE_FAMILIES.filter((_, i) => i % 14 < 5);

describe("hostile texts of eight megabytes cost what their length costs", () => {
  it("in at least forty families", () => {
    expect(LONG.length).toBeGreaterThanOrEqual(40);
  });

  it.each(LONG)(
    "$name",
    ({ text }) => {
      expect(looksPerCharacter([text(8 * MB)], REQUESTS[0])).toBeLessThan(LOOKS);
    },
    300_000,
  );
});

// What a summary must not lose, found in a text by its form.
import { describe, expect, it } from "@jest/globals";
import { findMissingIdentifiers } from "../../../../src/agents/context/extractIdentifiers.ts";

describe("the names that a summary lacks", () => {
  it.each([
    ["The report is in reports/2026/q3.csv.", "reports/2026/q3.csv"],
    ["See config.yaml, then go on.", "config.yaml"],
    [String.raw`Saved as C:\data\out.txt!`, String.raw`C:\data\out.txt`],
    ['{"order_id": "ORD-4711", "state": "open"}', "ORD-4711"],
    ["uuid 9f1c2b3a-0d4e-4f5a-8b6c-7d8e9f0a1b2c here", "9f1c2b3a-0d4e-4f5a-8b6c-7d8e9f0a1b2c"],
    ["It costs 1,299.50 in all.", "1,299.50"],
    ["On 2026-11-22 at 12:30.", "2026-11-22"],
    ["ticket #48213 (open)", "48213"],
  ])("are told of %j", (text, name) => {
    expect(findMissingIdentifiers(text, "Something was done.")).toContain(name);
    expect(findMissingIdentifiers(text, `It was ${name}, all of it. 12:30`)).toBeUndefined();
  });

  it("do not count as told where they are only a part of another", () => {
    expect(findMissingIdentifiers("order 4711", "order 47110")).toContain("4711");
  });

  it("are none in plain words, e.g. these, nor the 3 that one counts with", () => {
    expect(findMissingIdentifiers("Plain words, e.g. these, i.e. none; and/or? 3 of them... Yes: no.", "")).not.toMatch(
      /e\.g|i\.e|\b3\b/,
    );
  });

  it("are bounded, the youngest and the files before all numbers", () => {
    const rows = Array.from({ length: 5_000 }, (_, row) => `${row + 10_000}`).join(" ");
    const listed = findMissingIdentifiers(`first.csv ${rows} last.csv`, "") ?? "";
    expect(listed.length).toBeLessThan(4_300);
    expect(listed).toMatch(/first\.csv, last\.csv/);
    expect(listed).toMatch(/14999 \(and \d+ earlier ones\)/);
  });

  it("are found in a megabyte of one word in no time to speak of", () => {
    const begun = performance.now();
    expect(findMissingIdentifiers("a1.".repeat(350_000), "")).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(30_000);
  });
});

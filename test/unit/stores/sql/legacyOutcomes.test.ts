// Runs that a version stored which had one outcome for all limits are read in the words of today.
import { describe, expect, it } from "@jest/globals";
import type { RunEvent } from "../../../../src/core/events/events.ts";
import { migrateEvent, migrateOutcome } from "../../../../src/stores/sql/legacyOutcomes.ts";

describe("how a stored run ended", () => {
  it.each([
    ["turns", "max-turns"],
    ["time", "timeout"],
    ["calls", "budget"],
    ["tokens", "budget"],
    ["repeats", "repeats"],
  ] as const)("is told of the limit %s as %s, in its record and in its events", (limit, outcome) => {
    expect(migrateOutcome("limit", limit)).toBe(outcome);
    const stored = { type: "run-end", outcome: "limit", limit, turns: 3 } as unknown as RunEvent;
    expect(migrateEvent(stored)).toEqual({ type: "run-end", outcome, turns: 3 });
  });

  it("is what was written where today's version wrote it", () => {
    const end: RunEvent = { type: "run-end", outcome: "answered", turns: 1 };
    expect([migrateOutcome("answered", null), migrateEvent(end)]).toEqual(["answered", end]);
  });
});

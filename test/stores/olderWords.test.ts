// Runs that a version stored which had one outcome for all limits are read in the words of today.
import { describe, expect, it } from "@jest/globals";
import type { RunEvent } from "../../src/core/events.ts";
import { eventToday, outcomeToday } from "../../src/stores/sql/olderWords.ts";

describe("how a stored run ended", () => {
  it.each([
    ["turns", "max-turns"],
    ["time", "timeout"],
    ["calls", "budget"],
    ["tokens", "budget"],
    ["repeats", "repeats"],
  ] as const)("is told of the limit %s as %s, in its record and in its events", (limit, outcome) => {
    expect(outcomeToday("limit", limit)).toBe(outcome);
    const stored = { type: "run-end", outcome: "limit", limit, turns: 3 } as unknown as RunEvent;
    expect(eventToday(stored)).toEqual({ type: "run-end", outcome, turns: 3 });
  });

  it("is what was written where today's version wrote it", () => {
    const end: RunEvent = { type: "run-end", outcome: "answered", turns: 1 };
    expect([outcomeToday("answered", null), eventToday(end)]).toEqual(["answered", end]);
  });
});

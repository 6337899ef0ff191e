// The clock tool, at a time that the test sets.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { createClockTool } from "../../../../src/tools/builtin/clock.ts";
import { contextOf } from "../../../support/toolFixtures.ts";

const at = (iso: string, args: JsonObject) =>
  createClockTool({ now: () => Date.parse(iso), monotonic: () => 0, sleep: async () => {} }).execute(args, contextOf());

describe("the clock", () => {
  it("tells UTC where no zone is asked for", async () => {
    expect(await at("2026-11-21T09:05:07Z", {})).toEqual({
      time: "2026-11-21T09:05:07+00:00",
      timezone: "UTC",
      weekday: "Saturday",
    });
  });

  it.each([
    ["2026-07-01T23:30:00Z", "Europe/Paris", "2026-07-02T01:30:00+02:00", "Thursday"],
    ["2026-12-01T23:30:00Z", "Europe/Paris", "2026-12-02T00:30:00+01:00", "Wednesday"],
    ["2026-01-01T00:00:00Z", "Asia/Kathmandu", "2026-01-01T05:45:00+05:45", "Thursday"],
    ["2026-01-01T00:00:00Z", "America/New_York", "2025-12-31T19:00:00-05:00", "Wednesday"],
  ])("tells %s in %s", async (iso, timezone, time, weekday) => {
    expect(await at(iso, { timezone })).toEqual({ time, timezone, weekday });
  });

  it.each([["Mars/Olympus"], [""], [5], [null]])("refuses the zone %p in words that help", async (timezone) => {
    await expect(at("2026-01-01T00:00:00Z", { timezone })).rejects.toThrow(/Europe\/Paris/);
  });
});

import { describe, expect, it } from "@jest/globals";
import { systemClock, systemIds, systemRandom } from "../../../src/network/system.ts";

describe("the real clock, ids and dice", () => {
  it("draws call ids of nine letters and digits", () => {
    const ids = Array.from({ length: 200 }, () => systemIds.callId());
    expect(ids.every((id) => /^[A-Za-z0-9]{9}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(200);
  });

  it("draws request ids that fit into a header and differ", () => {
    expect(systemIds.requestId()).toMatch(/^[0-9a-f]{32}$/);
    expect(systemIds.requestId()).not.toBe(systemIds.requestId());
    expect(new Set(Array.from({ length: 1_000 }, () => systemIds.requestId())).size).toBe(1_000);
  });

  it("draws numbers from 0 up to, not including, 1", () => {
    const drawn = systemRandom();
    expect(drawn >= 0 && drawn < 1).toBe(true);
  });

  it("ends a sleep with the signal's own reason", async () => {
    const abort = new AbortController();
    const sleeping = systemClock.sleep(60_000, abort.signal);
    const reason = new Error("enough");
    abort.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });

  it("sleeps for about as long as asked", async () => {
    const start = systemClock.monotonic();
    await systemClock.sleep(20, new AbortController().signal);
    expect(systemClock.monotonic() - start).toBeGreaterThan(15);
  });
});

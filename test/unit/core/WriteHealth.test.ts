// What a gateway knows of the places that it writes to.
import { describe, expect, it } from "@jest/globals";
import { WriteHealth } from "../../../src/core/WriteHealth.ts";

describe("WriteHealth", () => {
  it("keeps the failure of each place's last write until a later one goes well", () => {
    const health = new WriteHealth({ monotonic: () => 0 }, true);
    expect(health.isGood).toBe(true);
    health.note("store", "store_full");
    health.note("audit", "store_unavailable");
    health.note("store", "store_unavailable");
    expect([health.failureOf("store"), health.failureOf("audit")]).toEqual(["store_unavailable", "store_unavailable"]);
    health.note("audit");
    expect([health.failureOf("audit"), health.isGood]).toEqual([undefined, false]);
    health.note("store");
    expect(health.isGood).toBe(true);
  });

  it("has a write tried at most every five seconds, and only while a place takes none", () => {
    let now = 0;
    const health = new WriteHealth({ monotonic: () => now }, true);
    expect(health.takeRetry()).toBe(false);
    health.note("store", "store_full");
    expect([health.takeRetry(), health.takeRetry()]).toEqual([true, false]);
    now = 4_999;
    expect(health.takeRetry()).toBe(false);
    now = 5_000;
    expect(health.takeRetry()).toBe(true);
    health.note("store");
    now = 20_000;
    expect(health.takeRetry()).toBe(false);
  });
});

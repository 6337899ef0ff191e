// What a gateway knows of the places that it writes to.
import { describe, expect, it } from "@jest/globals";
import { WriteHealth } from "../../../src/core/WriteHealth.ts";

describe("WriteHealth", () => {
  it("keeps the failure of each place's last write until a later one goes well", () => {
    const health = new WriteHealth({ monotonic: () => 0 }, true);
    expect(health.isHealthy).toBe(true);
    health.recordResult("store", "store_full");
    health.recordResult("audit", "store_unavailable");
    health.recordResult("store", "store_unavailable");
    expect([health.getFailure("store"), health.getFailure("audit")]).toEqual([
      "store_unavailable",
      "store_unavailable",
    ]);
    health.recordResult("audit");
    expect([health.getFailure("audit"), health.isHealthy]).toEqual([undefined, false]);
    health.recordResult("store");
    expect(health.isHealthy).toBe(true);
  });

  it("has a write tried at most every five seconds, and only while a place takes none", () => {
    let now = 0;
    const health = new WriteHealth({ monotonic: () => now }, true);
    expect(health.takeRetry()).toBe(false);
    health.recordResult("store", "store_full");
    expect([health.takeRetry(), health.takeRetry()]).toEqual([true, false]);
    now = 4_999;
    expect(health.takeRetry()).toBe(false);
    now = 5_000;
    expect(health.takeRetry()).toBe(true);
    health.recordResult("store");
    now = 20_000;
    expect(health.takeRetry()).toBe(false);
  });
});

import { describe, expect, it } from "@jest/globals";
import type { Egress, EgressRequest, Observation } from "../../src/core/ports.ts";
import { observeEgress } from "../../src/telemetry/observeEgress.ts";

describe("observeEgress", () => {
  it("tells of each retry and of the exchange, and hands both on unchanged", async () => {
    const observed: Observation[] = [];
    const reasons: string[] = [];
    let now = 10;
    const inner: Egress = {
      async send({ purpose }) {
        purpose.onRetry?.("status 429");
        now += 30;
        return { status: 200, headers: {}, body: (async function* () {})() };
      },
    };
    const request: EgressRequest = {
      method: "POST",
      url: "http://upstream.test/v1",
      headers: {},
      purpose: {
        kind: "model",
        key: "main/m",
        run: "r1",
        repeatable: true,
        timers: { headersMs: 1 },
        onRetry: (reason) => reasons.push(reason),
      },
    };
    const egress = observeEgress(inner, {
      observer: { observe: (one) => observed.push(one) },
      clock: { monotonic: () => now },
    });
    const response = await egress.send(request, new AbortController().signal);
    expect(response.status).toBe(200);
    expect(reasons).toEqual(["status 429"]);
    expect(observed).toEqual([
      { type: "retry", run: "r1", key: "main/m", reason: "status 429" },
      { type: "exchange", run: "r1", kind: "model", key: "main/m", status: 200, ms: 30 },
    ]);
  });
});

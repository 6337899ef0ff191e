import { describe, expect, it } from "@jest/globals";
import type { Egress, EgressRequest, Observation } from "../../../src/core/ports.ts";
import { observeEgress } from "../../../src/telemetry/observeEgress.ts";

describe("observeEgress", () => {
  it("tells of the exchange, and hands it on unchanged", async () => {
    const observed: Observation[] = [];
    let now = 10;
    const inner: Egress = {
      async send() {
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
      },
    };
    const egress = observeEgress(inner, {
      observer: { observe: (one) => observed.push(one) },
      clock: { monotonic: () => now },
    });
    const response = await egress.send(request, new AbortController().signal);
    expect(response.status).toBe(200);
    expect(observed).toEqual([{ type: "exchange", run: "r1", kind: "model", key: "main/m", status: 200, ms: 30 }]);
  });
});

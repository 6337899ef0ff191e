import { describe, expect, it } from "@jest/globals";
import { createFailure, type Failure } from "../../../../src/core/failures.ts";
import {
  isRetryableFailure,
  isRetryableStatus,
  mayCallerRepeat,
  waitBeforeRetry,
  waitForLoading,
  withRetriesSpent,
} from "../../../../src/core/http/retryPolicy.ts";

const bounds = { attempts: 3, minWaitMs: 500, maxWaitMs: 8_000 };

function lost(details?: Failure["details"]): Failure {
  return createFailure("upstream_unavailable", "lost", details);
}

describe("retryPolicy: the retry policy", () => {
  it("sends again what a busy or broken server answered, and not what it refused", () => {
    const statuses = [200, 400, 401, 404, 408, 409, 422, 429, 500, 501, 502, 503, 504];
    expect(statuses.filter(isRetryableStatus)).toEqual([408, 409, 429, 500, 502, 503, 504]);
  });

  it.each<[what: string, failure: Failure, expected: boolean]>([
    ["a lost connection", lost(), true],
    ["one that could not be made", lost({ phase: "connect" }), true],
    ["a certificate, which is the same again", lost({ phase: "certificate" }), false],
    [
      "a server that has the request and is silent",
      createFailure("upstream_timeout", "silent", { phase: "headers" }),
      false,
    ],
    ["a turn whose time is up", createFailure("upstream_timeout", "late", { phase: "answer" }), false],
    ["an open breaker", lost({ breaker: "open" }), false],
    ["what would only go the same way", createFailure("upstream_protocol_error", "no HTTP"), false],
    ["a caller who left", createFailure("cancelled", "left"), false],
    ["a failure of ours", createFailure("gateway_overloaded", "full"), false],
  ])("knows of no answer at all: %s", (_, found, expected) => {
    expect(isRetryableFailure(found)).toBe(expected);
  });

  it("waits under a bound that doubles, with full jitter, up to the cap", () => {
    const waits = [1, 2, 3, 9].map((attempt) => waitBeforeRetry(attempt, { bounds, draw: 0.5 }));
    expect(waits).toEqual([250, 500, 1_000, 4_000]);
    expect(waitBeforeRetry(1, { bounds, draw: 0 })).toBe(0);
  });

  it("waits as long as the server asks, and gives up where that is longer than any wait", () => {
    expect(waitBeforeRetry(1, { bounds, draw: 0.5, requestedMs: 8_000 })).toBe(8_000);
    expect(waitBeforeRetry(3, { bounds, draw: 0.5, requestedMs: 200 })).toBe(1_000);
    expect(waitBeforeRetry(1, { bounds, draw: 0.5, requestedMs: 8_001 })).toBeUndefined();
  });

  it("asks a loading server every second, or as rarely as it wants", () => {
    expect([waitForLoading(), waitForLoading(20), waitForLoading(5_000)]).toEqual([1_000, 1_000, 5_000]);
  });

  it("tells a caller to repeat what may succeed later, unless the gateway has repeated it itself", () => {
    expect(mayCallerRepeat(lost({ status: 503 }))).toBe(true);
    expect(mayCallerRepeat(withRetriesSpent(lost({ status: 503 })))).toBe(false);
    expect(withRetriesSpent(lost({ status: 503 })).details).toEqual({ status: 503, retriesSpent: true });
    expect(mayCallerRepeat(createFailure("invalid_request", "no"))).toBe(false);
  });
});

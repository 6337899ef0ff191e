// Waits as servers state them, well and badly.
import { describe, expect, it } from "@jest/globals";
import { retryAfterMs, retryDelayMs } from "../../../../src/core/http/retryAfter.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const DAY_MS = 86_400_000;

describe("retryAfterMs", () => {
  it.each<[headers: Record<string, string>, expected: number | undefined]>([
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": " 0 " }, 0],
    [{ "retry-after-ms": "70", "retry-after": "2" }, 70],
    [{ "retry-after-ms": "70.2" }, 71],
    [{ "retry-after-ms": "soon", "retry-after": "2" }, 2_000],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:03 GMT" }, 3_000],
    [{ "retry-after": "Thursday, 01-Jan-26 00:00:03 GMT" }, 3_000],
    [{ "retry-after": "Thu Jan  1 00:00:03 2026" }, 3_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "Sunday, 06-Nov-94 08:49:37 GMT" }, 0],
    [{}, undefined],
  ])("of %j is %s", (headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
  });

  it.each(["99999999999999999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"])(
    "of %s is a day, for nobody waits longer and nobody is told nonsense",
    (stated) => {
      expect(retryAfterMs({ "retry-after": stated }, now)).toBe(DAY_MS);
    },
  );

  it.each([
    "",
    "soon",
    "-4",
    "0.5",
    "1e3",
    "0x10",
    "Infinity",
    "5, 10",
    "2026-01-01",
    "2026-01-01T00:00:03Z",
    "1 Jan 2026 00:00:03",
    "Thu, 1 Jan 2026 00:00:03 GMT",
    "Thu, 01 Jan 2026 00:00:03 +0000",
    "Thu, 01 Jan 2026 25:00:03 GMT",
    "Thu, 31 Feb 2026 00:00:03 GMT",
    "thu, 01 jan 2026 00:00:03 gmt",
    "Thu Jan 1 00:00:03 2026",
  ])("of %j is none: it is neither seconds nor an HTTP date", (stated) => {
    expect(retryAfterMs({ "retry-after": stated }, now)).toBeUndefined();
  });
});

describe("retryDelayMs", () => {
  const body = (delay: unknown) => JSON.stringify({ error: { code: 429, details: [{ retryDelay: delay }] } }, null, 2);

  it.each<[delay: unknown, expected: number | undefined]>([
    ["34s", 34_000],
    ["0.0704s", 71],
    ["999999999s", DAY_MS],
    ["soon", undefined],
    [34, undefined],
    ["-3s", undefined],
  ])("of a body that says %j is %s", (delay, expected) => {
    expect(retryDelayMs(body(delay))).toBe(expected);
  });
});

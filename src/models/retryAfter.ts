// How long an upstream asks to be left alone. Decides nothing about waiting.

/**
 * Milliseconds from `retry-after-ms`, or from `retry-after` in seconds or as a date; absent where there is none or it is no time.
 * @param now epoch milliseconds.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (exact >= 0) return Math.ceil(exact);
  const stated = headers["retry-after"]?.trim();
  if (!stated) return undefined;
  const seconds = Number(stated);
  const wait = Number.isNaN(seconds) ? Date.parse(stated) - now : seconds * 1_000;
  return Number.isFinite(wait) ? Math.max(0, Math.ceil(wait)) : undefined;
}

// Computes medians of measured values.

/** Returns the median of `values`: the mean of the middle two for an even count; NaN if `values` is empty or holds NaN. */
export function computeMedian(values: readonly number[]): number {
  if (values.some(Number.isNaN)) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

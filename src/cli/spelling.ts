// Moments, spans and numbers as a person reads them. Knows nothing of what they are of.

/** Of this machine's time zone, to the second. @param at epoch milliseconds */
export function momentOf(at: number): string {
  return new Date(at).toLocaleString("sv-SE");
}

/** Such as `12 ms`, `3.4 s`, `12 min`, `5.0 h`. */
export function spanOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

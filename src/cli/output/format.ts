// Formats times, durations and numbers for a human reader.

/** Formats a time in the local time zone, such as `2026-11-23 06:44`. @param at epoch milliseconds */
export function formatTime(at: number): string {
  return new Date(at).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}

/** Formats a duration, such as `12 ms`, `3.4 s`, `12 min`, `5.0 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

/** Formats a count, such as `1 call`, `2 calls`. */
export function pluralize(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The text on one line, truncated to `most` characters. */
export function truncate(text: string, limit: number): string {
  const line = text
    .slice(0, 4 * limit)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > limit || text.length > 4 * limit ? `${sliceBefore(line, limit - 1)}…` : line;
}

/** The text before `index`, never splitting a surrogate pair. */
export function sliceBefore(text: string, index: number): string {
  return text.slice(0, index).replace(/[\uD800-\uDBFF]$/, "");
}

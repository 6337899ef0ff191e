// How long evidence is good, and what is known of a key once more of it came. Keeps nothing; knows no model.
import type { Evidence } from "./capabilities.ts";

/** An upstream that was restarted with another flag gets its second chance after an hour. Milliseconds. */
export const EVIDENCE_GOOD_MS = 3_600_000;

/** @param now epoch milliseconds. */
export function freshEvidence(known: readonly Evidence[], now: number): readonly Evidence[] {
  return known.every(({ at }) => isGood(at, now)) ? known : known.filter(({ at }) => isGood(at, now));
}

function isGood(at: number, now: number): boolean {
  return now - at < EVIDENCE_GOOD_MS;
}

/** Of each kind the youngest, the oldest first. */
export function joinEvidence(known: readonly Evidence[], more: readonly Evidence[]): readonly Evidence[] {
  const kinds = new Map<string, Evidence>();
  for (const one of [...known, ...more].sort((a, b) => a.at - b.at)) {
    kinds.delete(one.refused);
    kinds.set(one.refused, one);
  }
  return [...kinds.values()];
}

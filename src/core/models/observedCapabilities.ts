// Expires and merges observed capabilities.
import type { ObservedCapability } from "./capabilities.ts";

/** Lifetime of an observation in milliseconds: one hour, because the upstream may be restarted with other flags. */
export const OBSERVATION_TTL_MS = 3_600_000;

/** @param now epoch milliseconds. */
export function filterUnexpired(known: readonly ObservedCapability[], now: number): readonly ObservedCapability[] {
  return known.every(({ at }) => isGood(at, now)) ? known : known.filter(({ at }) => isGood(at, now));
}

function isGood(at: number, now: number): boolean {
  return now - at < OBSERVATION_TTL_MS;
}

/** The latest of each kind, oldest first. */
export function joinEvidence(
  known: readonly ObservedCapability[],
  more: readonly ObservedCapability[],
): readonly ObservedCapability[] {
  const kinds = new Map<string, ObservedCapability>();
  for (const one of [...known, ...more].sort((a, b) => a.at - b.at)) {
    kinds.delete(one.refused);
    kinds.set(one.refused, one);
  }
  return [...kinds.values()];
}

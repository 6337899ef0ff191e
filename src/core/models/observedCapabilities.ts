// Expires and merges observed capabilities.
import type { ObservedCapability } from "./capabilities.ts";

/** Lifetime of an observation in milliseconds: one hour, because the upstream may be restarted with other flags. */
export const OBSERVATION_TTL_MS = 3_600_000;

/** @param now epoch milliseconds. */
export function filterUnexpired(
  observations: readonly ObservedCapability[],
  now: number,
): readonly ObservedCapability[] {
  return observations.every(({ at }) => isUnexpired(at, now))
    ? observations
    : observations.filter(({ at }) => isUnexpired(at, now));
}

function isUnexpired(at: number, now: number): boolean {
  return now - at < OBSERVATION_TTL_MS;
}

/** The latest of each kind, oldest first. */
export function joinEvidence(
  observations: readonly ObservedCapability[],
  added: readonly ObservedCapability[],
): readonly ObservedCapability[] {
  const kinds = new Map<string, ObservedCapability>();
  for (const one of [...observations, ...added].sort((a, b) => a.at - b.at)) {
    kinds.delete(one.refused);
    kinds.set(one.refused, one);
  }
  return [...kinds.values()];
}

// Maps run outcomes of older versions to the present ones.
import type { RunEvent } from "../../core/events/events.ts";
import type { RunOutcome, RunStop } from "../../core/runs/outcomes.ts";

/** Older versions had one outcome for all limits, and the limit in a second field. */
const LIMIT = "limit";
const LIMITS: Readonly<Record<string, RunStop>> = {
  turns: "max-turns",
  time: "timeout",
  calls: "budget",
  tokens: "budget",
  repeats: "repeats",
};

/** @param limit value of the second field */
export function migrateOutcome(outcome: string, limit: string | null | undefined): RunOutcome {
  return outcome === LIMIT ? (LIMITS[limit ?? ""] ?? "budget") : (outcome as RunOutcome);
}

/** @param event the stored event */
export function migrateEvent(event: RunEvent & { readonly limit?: string }): RunEvent {
  if (event.type !== "run-end" || event.limit === undefined) return event;
  const { limit, ...end } = event;
  return { ...end, outcome: migrateOutcome(end.outcome, limit) };
}

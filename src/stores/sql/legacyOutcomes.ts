// What older versions said of how a run ended, in the words of today. Knows no table.
import type { RunEvent } from "../../core/events/events.ts";
import type { RunOutcome, RunStop } from "../../core/runs/outcomes.ts";

/** There was one outcome for all limits, and the limit beside it. */
const LIMIT = "limit";
const LIMITS: Readonly<Record<string, RunStop>> = {
  turns: "max-turns",
  time: "timeout",
  calls: "budget",
  tokens: "budget",
  repeats: "repeats",
};

/** @param limit what stood beside the outcome */
export function migrateOutcome(outcome: string, limit: string | null | undefined): RunOutcome {
  return outcome === LIMIT ? (LIMITS[limit ?? ""] ?? "budget") : (outcome as RunOutcome);
}

/** @param event as it was stored */
export function migrateEvent(event: RunEvent & { readonly limit?: string }): RunEvent {
  if (event.type !== "run-end" || event.limit === undefined) return event;
  const { limit, ...end } = event;
  return { ...end, outcome: migrateOutcome(end.outcome, limit) };
}

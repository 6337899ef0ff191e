// Sums the usage and the attempts of several turns.
import type { TurnEnd, Usage } from "./events.ts";

/** The last end, with usage, attempts and retries summed. */
export function mergeTurnEnds(before: TurnEnd | undefined, last: TurnEnd): TurnEnd {
  if (!before) return last;
  return {
    ...last,
    usage: addUsage(before.usage, last.usage),
    usagePartial: before.usagePartial || last.usagePartial,
    usageEstimated: before.usageEstimated || last.usageEstimated,
    mended: [...new Set([...(before.mended ?? []), ...(last.mended ?? [])])],
    attempts: before.attempts + last.attempts,
    retries: before.retries + last.retries,
  };
}

/** Sums two usages; undefined if both are. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    details: b.details ?? a.details,
  };
}

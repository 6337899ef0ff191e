// Removes log-probabilities from provider fields, because they belong to characters that are not emitted.
import type { Extra } from "../../core/events/events.ts";

/** The remaining fields; an entry without other fields is removed. */
export function stripLogprobs(extra: readonly Extra[]): readonly Extra[] {
  return extra.flatMap(({ level, fields: { logprobs: _, ...fields } }) =>
    Object.keys(fields).length > 0 ? [{ level, fields }] : [],
  );
}

// Upstream fields without log-probabilities, which are those of characters and mean nothing beside others. Knows no text.
import type { Extra } from "../../core/events/events.ts";

/** What is left; an extra that held nothing else is gone. */
export function stripLogprobs(extra: readonly Extra[]): readonly Extra[] {
  return extra.flatMap(({ level, fields: { logprobs: _, ...fields } }) =>
    Object.keys(fields).length > 0 ? [{ level, fields }] : [],
  );
}

// Limits the nesting of external JSON values, because serialising them recurses.
import type { JsonObject, JsonValue } from "../messages.ts";

/** Maximum depth of a tool's result that is kept as a value. */
export const RESULT_LEVELS = 512;

/** Returns true if objects and lists are nested deeper than `most`. Values nested a few thousand levels deep cannot be serialised. */
export function isDeeperThan(value: JsonValue | undefined, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) if (isDeeperThan(value[at], most - 1)) return true;
    return false;
  }
  for (const name in value) if (isDeeperThan((value as JsonObject)[name], most - 1)) return true;
  return false;
}

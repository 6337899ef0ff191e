// The nesting of JSON values that others wrote. Reading them again level by level needs room on the stack.
import type { JsonObject, JsonValue } from "../messages.ts";

/** Levels of a tool's result that are kept as a value. */
export const RESULT_LEVELS = 512;

/** Whether objects and lists stand in each other deeper than `most`: what is nested beyond a few thousand cannot be written again. */
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

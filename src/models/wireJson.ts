// Careful reading of foreign JSON: a field is what it should be, or it is absent.
import type { JsonObject, JsonValue } from "../core/messages.ts";

export function objectIn(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The array, or the lone value that stands where an array should be, as one. */
export function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/** A string that is not empty. */
export function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

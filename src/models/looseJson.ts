// Reads fields of untrusted JSON: each has the expected type or is absent.
import { parseJson } from "../core/json/parseJson.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";

export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** Returns the array; a single value in its place becomes an array of one. */
export function asArray(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/** Returns those members of a list that are objects. */
export function asObjects(list: JsonValue | undefined): readonly JsonObject[] {
  return asArray(list)
    .map(asObject)
    .filter((entry) => entry !== undefined);
}

/** A string that is not empty. */
export function asString(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads a number of tokens in any spelling of servers. */
export function asTokenCount(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** About as many characters as the value has as JSON text. For values of a bounded depth. */
export function measureJson(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return SCALAR_CHARS;
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).reduce<number>((sum, one) => sum + measureJson(one), 2);
  let size = 2;
  for (const [name, member] of Object.entries(value)) size += name.length + 3 + measureJson(member);
  return size;
}

/** A number or literal of JSON, and the comma after it. */
const SCALAR_CHARS = 6;

// Sanitizes the texts of an untrusted schema with a given function. Values that are compared or sent back stay unchanged.
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";

/** Names of parameters stay, and so do values that calls must have. */
export function sanitizeSchema(schema: JsonObject, clean: (text: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, item]) => {
      if (KEPT.has(key)) return [key, item];
      return [key, NAMED.has(key) && isObject(item) ? cleanedMembers(item, clean) : cleaned(item, clean)];
    }),
  );
}

/** Keywords whose values are compared or sent back. */
const KEPT: ReadonlySet<string> = new Set(["enum", "const", "default", "required", "pattern"]);

/** Keywords that contain schemas by name; the names may equal keywords. */
const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

function cleanedMembers(members: JsonObject, clean: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, item]) => [name, cleaned(item, clean)]));
}

function cleaned(value: JsonValue, clean: (text: string) => string): JsonValue {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, clean));
  return isObject(value) ? sanitizeSchema(value, clean) : value;
}

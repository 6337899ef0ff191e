// A schema that somebody outside wrote, with its texts cleaned. Knows no way of cleaning, and leaves what is compared or sent back as it is.
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

/** What is compared or sent back. */
const KEPT: ReadonlySet<string> = new Set(["enum", "const", "default", "required", "pattern"]);

/** What holds schemas by names, which may be those of keywords. */
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

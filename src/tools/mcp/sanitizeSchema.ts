// Sanitizes the texts of an untrusted schema with a given function. Values that are compared or sent back stay unchanged.
import { getSchemaForm, mapSchemas } from "../../core/json/subschemas.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";

/** Names of parameters stay, and so do values that calls must have. */
export function sanitizeSchema(schema: JsonObject, clean: (text: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, item]) => {
      if (KEPT.has(key)) return [key, item];
      // The names of schemas may equal keywords.
      if (getSchemaForm(key, item) === "map") return [key, mapSchemas(key, item, (one) => cleaned(one, clean))];
      return [key, cleaned(item, clean)];
    }),
  );
}

/** Keywords whose values are compared or sent back. */
const KEPT: ReadonlySet<string> = new Set(["enum", "const", "default", "required", "pattern"]);

function cleaned(value: JsonValue, clean: (text: string) => string): JsonValue {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, clean));
  return isObject(value) ? sanitizeSchema(value, clean) : value;
}

// Removes secrets from a JSON value with the given Redact.
import type { JsonObject, JsonValue } from "../messages.ts";
import type { Redact } from "../ports.ts";

/** Redacts the texts, keys and numbers of a value. Returns the same value if it contains no secret. A secret number becomes a text. */
export function redactJson(value: JsonValue, redact: Redact): JsonValue {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number") {
    const digits = String(value);
    const redacted = redact(digits);
    return redacted === digits ? value : redacted;
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    const redacted = items.map((item) => redactJson(item, redact));
    return redacted.every((item, index) => item === items[index]) ? value : redacted;
  }
  const entries = Object.entries(value as JsonObject);
  const redacted = entries.map(([key, item]) => [redact(key), redactJson(item, redact)] as const);
  const same = redacted.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index]?.[1]);
  return same ? value : Object.fromEntries(redacted);
}

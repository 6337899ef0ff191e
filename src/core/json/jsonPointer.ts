// Resolves a reference inside a JSON document (`#/$defs/place`, RFC 6901 as a fragment).
import type { JsonObject, JsonValue } from "../messages.ts";

/** The referenced value; undefined if there is none, and for a reference to another document. */
export function resolvePointer(root: JsonValue, reference: string): JsonValue | undefined {
  const [start, ...steps] = reference.split("/");
  if (start !== "#") return undefined;
  let at: JsonValue | undefined = root;
  for (const step of steps) {
    const key = decodeStep(step);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key];
  }
  return at;
}

/** Decodes a step; an invalid one stays unchanged. */
function decodeStep(step: string): string {
  if (!/[%~]/.test(step)) return step;
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}

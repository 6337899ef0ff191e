// Where a reference inside a JSON document leads (`#/$defs/place`, RFC 6901 as a fragment). Knows no schema and no document.
import type { JsonObject, JsonValue } from "../messages.ts";

/** What stands there; undefined where nothing does, and for a reference that leads outside of the document. */
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

/** A step that is written wrongly stands for itself. */
function decodeStep(step: string): string {
  if (!/[%~]/.test(step)) return step;
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}

// Infers a JSON Schema of parameters from the `${input.…}` placeholders of templates.

import type { JsonObject, JsonValue } from "../messages.ts";
import { findPlaceholders } from "./fillTemplate.ts";

/** The form of all parameter schemas that the gateway creates. */
export type Parameters = {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
};

/**
 * A placeholder without a default is required; a default gives the type; otherwise the type is string. `params`
 * overrides all of it. Further parameters are refused, unless a template uses the complete input.
 */
export function inferParameters(
  templates: readonly JsonValue[],
  params: Readonly<Record<string, JsonObject>> = {},
): Parameters {
  const properties = new Map<string, JsonObject>();
  const required = new Set<string>();
  let takesWhole = false;
  for (const { root, path, fallback } of templates.flatMap(findPlaceholders)) {
    if (root !== "input") continue;
    const [name, ...below] = path;
    takesWhole ||= name === undefined;
    if (name === undefined) continue;
    if (fallback === undefined) required.add(name);
    const inferred = below.length > 0 ? { type: "object" } : inferType(fallback);
    properties.set(name, { ...inferred, ...properties.get(name) });
  }
  for (const [name, refinement] of Object.entries(params))
    properties.set(name, { ...properties.get(name), ...refinement });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: [...required],
    additionalProperties: takesWhole,
  };
}

function inferType(fallback: JsonValue | undefined): JsonObject {
  if (typeof fallback === "number") return { type: "number", default: fallback };
  if (typeof fallback === "boolean") return { type: "boolean", default: fallback };
  return fallback === undefined ? { type: "string" } : { type: "string", default: fallback };
}

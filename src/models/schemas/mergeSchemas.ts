// Merges object schemas of `allOf`, `anyOf` or `oneOf` to one object schema. Follows no reference.
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { asArray, asObject } from "../looseJson.ts";

/** Returns the requirements of both. If both set a keyword, the first schema has precedence. */
export function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const required = [...new Set([...asArray(one.required), ...asArray(other.required)])];
  const properties = { ...asObject(other.properties), ...asObject(one.properties) };
  return {
    ...other,
    ...one,
    ...((one.properties ?? other.properties) && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** Returns an object schema that allows the properties of any branch and requires those that all branches require. */
export function mergeAlternatives(branches: readonly JsonObject[]): JsonObject {
  const properties = new Map<string, Map<string, JsonValue>>();
  for (const branch of branches) {
    for (const [name, schema] of Object.entries(asObject(branch.properties) ?? {})) {
      const seen = properties.get(name) ?? new Map<string, JsonValue>();
      properties.set(name, seen.set(JSON.stringify(schema), schema));
    }
  }
  const alternatives = [...properties].map(([name, seen]) => [name, mergeAnyOf([...seen.values()])]);
  const [first, ...others] = branches.map((branch) => new Set(asArray(branch.required)));
  const required = [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
  return {
    ...(alternatives.length > 0 && { properties: Object.fromEntries(alternatives) }),
    ...(required.length > 0 && { required }),
  };
}

function mergeAnyOf([one = {}, ...more]: readonly JsonValue[]): JsonValue {
  return more.length > 0 ? { anyOf: [one, ...more] } : one;
}

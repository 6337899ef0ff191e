// Reads the type of a schema's values and the keywords that belong to one type.
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { asArray, asObject, asObjects } from "../looseJson.ts";

/** Keywords that apply to one type only. */
const OWN_KEYWORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["object", new Set(["properties", "minProperties", "maxProperties", "propertyOrdering", "additionalProperties"])],
  ["array", new Set(["minItems", "maxItems"])],
  ["string", new Set(["pattern", "minLength", "maxLength"])],
  ["number", new Set(["minimum", "maximum"])],
]);

/** Returns the types of a schema, or those that its other keywords imply. Never empty: a text can express any value. */
export function getTypes(schema: JsonObject): readonly string[] {
  const names = asArray(schema.type).filter((type) => typeof type === "string");
  if (names.length > 0) return names;
  if (schema.properties !== undefined) return ["object"];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ["array"];
  const values = schema.const === undefined ? asArray(schema.enum) : [schema.const];
  const types = new Set(values.map(detectType));
  return types.size > 0 ? [...types] : ["string"];
}

function detectType(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns the schema without keywords that concern only other types. */
export function pickTypeKeywords(type: string, schema: JsonObject): JsonObject {
  const kind = type === "integer" ? "number" : type;
  const foreign = new Set([...OWN_KEYWORDS].flatMap(([owner, names]) => (owner === kind ? [] : [...names])));
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !foreign.has(name)));
}

/** Returns one schema for all items of a list. Items of a tuple may come in any order; items without a schema are texts. */
export function getItemSchema({ items, prefixItems }: JsonObject): JsonObject {
  const subschemas = [...asObjects(prefixItems), ...(Array.isArray(items) ? asObjects(items) : [])];
  const rest = Array.isArray(items) ? undefined : asObject(items);
  const says = rest !== undefined && Object.keys(rest).length > 0;
  const [one = { type: "string" }, ...more] = says ? [...subschemas, rest] : subschemas;
  return more.length > 0 ? { anyOf: [one, ...more] } : one;
}

// Visits and replaces the schemas that a keyword of a JSON Schema holds.
import { isObject, type JsonValue } from "../messages.ts";

/** Form of a keyword's value: one schema, a list of schemas, or schemas by name. */
type SchemaForm = "schema" | "list" | "map";

const FORMS: ReadonlyMap<string, SchemaForm> = new Map<string, SchemaForm>([
  ...["additionalProperties", "items", "not", "if", "then", "else", "contains", "propertyNames"].map(toForm("schema")),
  ...["unevaluatedItems", "unevaluatedProperties", "additionalItems"].map(toForm("schema")),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map(toForm("list")),
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"].map(toForm("map")),
]);

function toForm(form: SchemaForm): (keyword: string) => readonly [string, SchemaForm] {
  return (keyword) => [keyword, form];
}

/** Returns the form that the value of a keyword must have; undefined if the keyword holds no schemas. */
export function getSchemaForm(keyword: string, value: JsonValue): SchemaForm | undefined {
  return keyword === "items" && Array.isArray(value) ? "list" : FORMS.get(keyword);
}

/**
 * Visits the schemas of a keyword until `visit` returns a value, and returns that value. A value of another form than the
 * keyword's holds no schemas. @param visit receives the schema, and its name or index if the keyword holds several
 */
export function visitSchemas<T>(
  keyword: string,
  value: JsonValue,
  visit: (schema: JsonValue, key?: string | number) => T | undefined,
): T | undefined {
  const form = getSchemaForm(keyword, value);
  if (form === "schema") return visit(value);
  if (form === "list" ? !Array.isArray(value) : form === undefined || !isObject(value)) return undefined;
  const schemas = value as Readonly<Record<string, JsonValue>>;
  for (const key of Object.keys(schemas)) {
    const found = visit(schemas[key] ?? null, form === "list" ? Number(key) : key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Replaces each schema of a keyword. Returns the value itself if it holds none. @param map see `visit` of `visitSchemas` */
export function mapSchemas(
  keyword: string,
  value: JsonValue,
  map: (schema: JsonValue, key?: string | number) => JsonValue,
): JsonValue {
  const form = getSchemaForm(keyword, value);
  if (form === "schema") return map(value);
  if (form === "list" && Array.isArray(value)) return value.map(map);
  if (form !== "map" || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, map(schema, name)]));
}

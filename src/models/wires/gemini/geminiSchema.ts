// Projects a JSON Schema to the API's two newer schema fields. `schema-gemini` is for endpoints that have only the older one.
import { mapSchemas } from "../../../core/json/subschemas.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/messages.ts";
import { asObject } from "../../looseJson.ts";

/** Keywords of `responseJsonSchema` by its documentation. `parametersJsonSchema` accepts the same. */
const KEPT: ReadonlySet<string> = new Set([
  ...["$anchor", "type", "format", "title", "description", "enum", "minItems", "maxItems", "minimum", "maximum"],
  ...["required", "propertyOrdering", "default"],
]);
const NESTED: ReadonlySet<string> = new Set([
  ...["items", "additionalProperties", "anyOf", "oneOf", "prefixItems", "properties", "$defs"],
]);

/**
 * Omits keywords that the API does not know, which only restrict values further. `const` becomes an `enum`, `definitions` `$defs`, and `allOf`
 * is merged into the schema. The API takes nothing next to a `$ref`.
 */
export function toGeminiSchema(schema: JsonObject): JsonObject {
  const { allOf, ...ownThinking } = schema;
  const merged = Array.isArray(allOf) ? allOf.filter(isObject).reduce(joined, ownThinking) : ownThinking;
  const { const: only, definitions, $ref: ref, ...rest } = merged;
  const isReference = typeof ref === "string" && (schema.$ref !== undefined || rest.properties === undefined);
  if (isReference) return addDefinitions({ $ref: ref.replace(/^#\/definitions\//, "#/$defs/") }, merged);
  const members: JsonObject = {
    ...rest,
    ...(only !== undefined && { enum: [only] }),
    ...(isObject(definitions) && { $defs: { ...definitions, ...asObject(rest.$defs) } }),
  };
  return Object.fromEntries(Object.entries(members).flatMap(([name, value]) => projected(name, value)));
}

/** The root of a schema may be a reference into its own definitions. */
function addDefinitions(reference: JsonObject, { $defs, definitions }: JsonObject): JsonObject {
  const found = { ...asObject(definitions), ...asObject($defs) };
  return Object.keys(found).length > 0 ? { ...reference, $defs: mapSchemas("$defs", found, convertSchema) } : reference;
}

function projected(name: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (KEPT.has(name) || (name === "additionalProperties" && !isObject(value))) return [[name, value]];
  if (!NESTED.has(name) || (name === "items" && !isObject(value))) return [];
  return [[name, mapSchemas(name, value, convertSchema)]];
}

/** `true` and `false` are schemas too; the API can express neither. */
function convertSchema(schema: JsonValue): JsonObject {
  return isObject(schema) ? toGeminiSchema(schema) : {};
}

/** Merges two schemas: members and requirements of both; for other keywords, the first has precedence. */
function joined(one: JsonObject, other: JsonObject): JsonObject {
  const nested = Array.isArray(other.allOf) ? other.allOf.filter(isObject).reduce(joined, other) : other;
  const required = [one.required, nested.required].flatMap((names) => (Array.isArray(names) ? names : []));
  return {
    ...nested,
    ...one,
    ...((one.properties || nested.properties) && {
      properties: { ...asObject(nested.properties), ...asObject(one.properties) },
    }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

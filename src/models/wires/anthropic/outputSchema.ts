// Converts a JSON Schema for Anthropic's structured outputs. The answer is validated against the original schema elsewhere.
import { mapSchemas } from "../../../core/json/subschemas.ts";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asObject } from "../../looseJson.ts";

/**
 * Keywords that limit or describe a value. Without them the schema allows more, and the gateway validates them.
 * Docs: structured outputs, "JSON Schema limitations".
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);
/** Keywords without an equivalent: such a schema cannot be enforced. */
const UNKNOWN: ReadonlySet<string> = new Set([
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
  "prefixItems",
  "contains",
  "not",
  "if",
]);
const FORMATS: ReadonlySet<JsonValue> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);
/** Schemas in one another; the gateway takes no deeper ones either. */
const MAX_DEPTH = 64;

/**
 * Closes every object, as the API demands: a value of the result also fits the caller's schema. Undefined for a schema without an
 * equivalent: one with free object keys, one that contains itself, or one with a keyword that the API lacks.
 */
export function toOutputSchema(schema: JsonObject): JsonObject | undefined {
  try {
    return containsItself(schema) ? undefined : projected(schema, MAX_DEPTH);
  } catch (error) {
    if (error === INEXPRESSIBLE) return undefined;
    throw error;
  }
}

const INEXPRESSIBLE = new Error("This schema cannot be said to Anthropic's structured outputs.");

function projected(schema: JsonObject, depth: number): JsonObject {
  if (depth === 0 || isOpenMap(schema)) throw INEXPRESSIBLE;
  const made: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (UNKNOWN.has(name) || (name === "$ref" && getDefinitionName(value) === undefined)) throw INEXPRESSIBLE;
    if (LEFT_OUT.has(name) || (name === "format" && !FORMATS.has(value))) continue;
    if (name === "minItems" && value !== 0 && value !== 1) continue;
    made[name === "oneOf" ? "anyOf" : name] =
      name === "additionalProperties" ? value : mapSchemas(name, value, (one) => ofMember(one, depth - 1));
  }
  if (isObjectSchema(schema)) made.additionalProperties = false;
  return made;
}

/** `true` and `false` are schemas too, of which the API knows nothing. */
function ofMember(value: JsonValue, depth: number): JsonObject {
  const schema = asObject(value);
  if (!schema) throw INEXPRESSIBLE;
  return projected(schema, depth);
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || properties !== undefined;
}

/** An object in which any key may stand, and nothing is known of its own. */
function isOpenMap(schema: JsonObject): boolean {
  const { additionalProperties: further, properties } = schema;
  if (asObject(further)) return true;
  return isObjectSchema(schema) && further !== false && Object.keys(asObject(properties) ?? {}).length === 0;
}

/** Returns true if a definition uses itself: definitions that use no remaining one are removed in turn, and the rest is recursive. */
function containsItself({ $defs, definitions }: JsonObject): boolean {
  const left = new Map(
    Object.entries({ ...asObject(definitions), ...asObject($defs) }).map(([name, schema]) => [
      name,
      collectReferences(schema),
    ]),
  );
  for (let before = 0; before !== left.size; ) {
    before = left.size;
    for (const [name, used] of left) if (!used.some((one) => left.has(one))) left.delete(name);
  }
  return left.size > 0;
}

/** The names of the definitions that a value refers to. */
function collectReferences(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(collectReferences);
  const object = asObject(value);
  if (!object) return [];
  return [getDefinitionName(object.$ref) ?? [], ...Object.values(object).map(collectReferences)].flat();
}

/** Returns the name of the referenced definition; undefined for any other reference. */
function getDefinitionName(ref: JsonValue | undefined): string | undefined {
  return typeof ref === "string" ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1] : undefined;
}

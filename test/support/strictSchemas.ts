// What strict servers say of a tool's schema, as their refusals have been reported: one judge for each dialect.
import { isObject, type JsonObject, type JsonValue } from "../../src/core/messages.ts";

/** What the server of a dialect says of the schema; undefined: it takes it. */
export function schemaFault(schema: JsonObject, dialect: string): string | undefined {
  switch (dialect) {
    case "schema-object":
      return rootFault(schema) ?? anywhere(schema, "root", arrayFault);
    case "schema-gemini":
      return anywhere(schema, "parameters", geminiFault);
    case "schema-moonshot":
      if (schema.type !== "object") return 'tools.function.parameters.type is required and must be "object"';
      return anywhere(schema, "root", moonshotFault);
    case "schema-nova": {
      const other = Object.keys(schema).find((name) => !["type", "properties", "required"].includes(name));
      if (other !== undefined)
        return `The model returned the following errors: unknown key ${other} in the input schema.`;
      return anywhere(schema, "root", (one) => (one.$ref === undefined ? undefined : "a reference that leads nowhere"));
    }
    default:
      throw new Error(`No judge for ${dialect}.`);
  }
}

function rootFault(schema: JsonObject): string | undefined {
  const composed = ["oneOf", "anyOf", "allOf", "enum", "not"].some((name) => schema[name] !== undefined);
  if (schema.type === "object" && !composed) return undefined;
  return "Invalid schema for function 'look': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
}

function arrayFault(schema: JsonObject, path: string): string | undefined {
  const isList = schema.type === "array" || (Array.isArray(schema.type) && schema.type.includes("array"));
  if (Array.isArray(schema.items))
    return `Invalid schema for function 'look': In context=(${path}), items is not of type 'object'.`;
  return isList && schema.items === undefined
    ? `Invalid schema for function 'look': In context=(${path}), array schema missing items.`
    : undefined;
}

const GEMINI = new Set([
  ...["type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required"],
  ...["minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering"],
  ...["default", "items", "minimum", "maximum"],
]);

function geminiFault(schema: JsonObject, path: string): string | undefined {
  const unknown = Object.keys(schema).find((name) => !GEMINI.has(name));
  const at = `'tools[0].function_declarations[0].${path}'`;
  if (unknown !== undefined)
    return `Invalid JSON payload received. Unknown name "${unknown}" at ${at}: Cannot find field.`;
  if (Array.isArray(schema.type))
    return `Unknown name "type" at ${at}: Proto field is not repeating, cannot start list.`;
  const where = `GenerateContentRequest.tools[0].function_declarations[0].${path}`;
  if (schema.anyOf !== undefined) {
    return Object.keys(schema).length === 1 ? undefined : `${where}: when using any_of, it must be the only field set.`;
  }
  if (typeof schema.type !== "string") return `${where}.type: must be specified.`;
  if (schema.enum && !(schema.type === "string" && listed(schema.enum).every((one) => typeof one === "string" && one)))
    return `${where}.enum: only allowed for STRING type`;
  if (schema.type === "array" && !isObject(schema.items)) return `${where}.items: missing field.`;
  if (schema.type !== "array" && schema.items !== undefined)
    return `${where}.items: field predicate failed: $type == Type.ARRAY`;
  if (schema.type !== "object" && schema.properties !== undefined)
    return `${where}.properties: only allowed for OBJECT type`;
  const known = isObject(schema.properties) ? schema.properties : {};
  const missing = listed(schema.required).find((name) => !Object.hasOwn(known, String(name)));
  return missing === undefined ? undefined : `${where}.required[0]: property is not defined`;
}

function moonshotFault(schema: JsonObject, path: string): string | undefined {
  const say = (details: string) =>
    `tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '${path}': ${details}>`;
  if (schema.allOf !== undefined) return "Conflict in schema definitions for key 'if'.";
  if (schema.anyOf !== undefined) {
    return schema.type === undefined
      ? undefined
      : say("when using anyOf, type should be defined in anyOf items instead of the parent schema");
  }
  return typeof schema.type === "string" ? undefined : say("type is not defined");
}

function listed(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "$defs", "definitions"];

/** The first fault of a schema or of one inside it. */
function anywhere(
  schema: JsonObject,
  path: string,
  faultOf: (schema: JsonObject, path: string) => string | undefined,
): string | undefined {
  const inner = Object.entries(schema).flatMap(([name, value]): (readonly [string, JsonValue])[] => {
    if (name === "items") return [[`${path}.items`, value]];
    if (LISTS.includes(name)) return listed(value).map((one, at) => [`${path}.${name}[${at}]`, one]);
    if (!MAPS.includes(name) || !isObject(value)) return [];
    return Object.entries(value).map(([key, one]) => [`${path}.${name}[${key}]`, one]);
  });
  const own = faultOf(schema, path);
  if (own !== undefined) return own;
  for (const [at, one] of inner) {
    const fault = isObject(one) ? anywhere(one, at, faultOf) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

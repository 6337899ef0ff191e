// The JSON of one call as a schema that an upstream can hold its model to. Says only what every compiler of grammars takes: whether a call fits is checked by the tool's own schema.
import { isObject, type JsonObject, type JsonValue, type ToolChoice, type ToolSpec } from "../../core/messages.ts";

/** Characters of a form; a longer one takes a small server longer to compile than the answer is worth. */
const MOST_CHARS = 32_768;
const MOST_LEVELS = 12;

/** `{name, arguments}` of a tool that may be called; undefined where there is none, or where the form would be too long. */
export function buildCallSchema(tools: readonly ToolSpec[], toolChoice: ToolChoice): JsonObject | undefined {
  const callable = toolChoice.type === "tool" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const form = { anyOf: callable.map(buildCallForm) };
  return callable.length > 0 && JSON.stringify(form).length <= MOST_CHARS ? form : undefined;
}

function buildCallForm({ name, parameters }: ToolSpec): JsonObject {
  const given = plainSchema({ type: "object", ...parameters });
  return {
    type: "object",
    properties: { name: { const: name }, arguments: given.anyOf || given.type ? given : { type: "object" } },
    required: ["name", "arguments"],
    additionalProperties: false,
  };
}

/** What joins schemas or speaks of names that are not listed: beside it no list of properties is the whole truth. */
const JOINED = ["$ref", "$dynamicRef", "allOf", "not", "if", "patternProperties", "dependentSchemas"];
const SCALARS: ReadonlySet<JsonValue | undefined> = new Set(["string", "integer", "number", "boolean", "null"]);

/** A schema that takes whatever the given one does, of types, properties, items and fixed values alone. */
function plainSchema(schema: JsonValue | undefined, level = 0): JsonObject {
  if (!isObject(schema) || level > MOST_LEVELS) return {};
  if (schema.const !== undefined) return { const: schema.const };
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return { enum: schema.enum };
  const either = Array.isArray(schema.type)
    ? schema.type.map((type: JsonValue): JsonObject => ({ ...schema, type }))
    : (schema.anyOf ?? schema.oneOf);
  if (Array.isArray(either) && either.length > 0) return joinAnyOf(either.map((one) => plainSchema(one, level + 1)));
  const plain = plainType(schema, level);
  return schema.nullable === true ? joinAnyOf([plain, { type: "null" }]) : plain;
}

/** Anything goes where one of the choices says so. */
function joinAnyOf(choices: readonly JsonObject[]): JsonObject {
  return choices.every((choice) => Object.keys(choice).length > 0) ? { anyOf: choices } : {};
}

function plainType(schema: JsonObject, level: number): JsonObject {
  const { type } = schema;
  if (SCALARS.has(type)) return { type: type ?? null };
  const isJoined = JOINED.some((key) => schema[key] !== undefined);
  if (type === "array") {
    const items = isJoined || schema.prefixItems !== undefined ? {} : plainSchema(schema.items, level + 1);
    return { type, ...(Object.keys(items).length > 0 && { items }) };
  }
  if (type !== "object" && !isObject(schema.properties)) return {};
  return isJoined ? { type: "object" } : plainObject(schema, level);
}

function plainObject(schema: JsonObject, level: number): JsonObject {
  const listed = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const names = new Set(listed.map(([name]) => name));
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => typeof name === "string" && names.has(name))
    : [];
  const further = schema.additionalProperties;
  const isOpen = further === undefined ? !isObject(schema.properties) : further !== false;
  return {
    type: "object",
    ...(listed.length > 0 && {
      properties: Object.fromEntries(listed.map(([name, one]) => [name, plainSchema(one, level + 1)])),
    }),
    ...(required.length > 0 && { required }),
    ...(isOpen ? {} : { additionalProperties: false }),
    ...(isObject(further) && { additionalProperties: plainSchema(further, level + 1) }),
    ...(further === true && { additionalProperties: true }),
  };
}

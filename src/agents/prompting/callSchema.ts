// Builds the JSON schema of one call for constrained decoding. Uses only basic keywords; the tool's own schema validates the call later.
import { isObject, type JsonObject, type JsonValue, type ToolChoice, type ToolSpec } from "../../core/messages.ts";

/** Maximum number of characters of a schema; compiling a longer one costs a small server more time than it saves. */
const MOST_CHARS = 32_768;
const MOST_LEVELS = 12;

/** Schema of `{name, arguments}` for the tools that may be called; undefined if there is none, or if the schema is too long. */
export function buildCallSchema(tools: readonly ToolSpec[], toolChoice: ToolChoice): JsonObject | undefined {
  const callable = toolChoice.type === "tool" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const form = { anyOf: callable.map(buildCallForm) };
  return callable.length > 0 && JSON.stringify(form).length <= MOST_CHARS ? form : undefined;
}

function buildCallForm({ name, parameters }: ToolSpec): JsonObject {
  const parameterSchema = plainSchema({ type: "object", ...parameters });
  return {
    type: "object",
    properties: {
      name: { const: name },
      arguments: parameterSchema.anyOf || parameterSchema.type ? parameterSchema : { type: "object" },
    },
    required: ["name", "arguments"],
    additionalProperties: false,
  };
}

/** Keywords that combine schemas or match unlisted names: next to them a list of properties is incomplete. */
const JOINED = ["$ref", "$dynamicRef", "allOf", "not", "if", "patternProperties", "dependentSchemas"];
const SCALARS: ReadonlySet<JsonValue | undefined> = new Set(["string", "integer", "number", "boolean", "null"]);

/** A schema that accepts at least what the given one accepts. It uses only types, properties, items and fixed values. */
function plainSchema(schema: JsonValue | undefined, level = 0): JsonObject {
  if (!isObject(schema) || level > MOST_LEVELS) return {};
  if (schema.const !== undefined) return { const: schema.const };
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return { enum: schema.enum };
  const typeAlternatives = Array.isArray(schema.type)
    ? schema.type.map((type: JsonValue): JsonObject => ({ ...schema, type }))
    : (schema.anyOf ?? schema.oneOf);
  if (Array.isArray(typeAlternatives) && typeAlternatives.length > 0)
    return joinAnyOf(typeAlternatives.map((one) => plainSchema(one, level + 1)));
  const plain = plainType(schema, level);
  return schema.nullable === true ? joinAnyOf([plain, { type: "null" }]) : plain;
}

/** If one choice accepts anything, the result accepts anything. */
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

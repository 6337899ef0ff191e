// The types of JSON Schema, and common other names for them.

export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/** Names that tool authors write (Python, SQL, OpenAPI) after the type that they mean; any other name allows everything. */
const TYPE_NAMES: readonly (readonly [JsonType, ...string[]])[] = [
  ["string", "str", "text", "varchar", "char", "enum"],
  ["number", "float", "float32", "float64", "double", "decimal"],
  ["integer", "int", "int32", "int64", "long"],
  ["boolean", "bool"],
  ["null", "none"],
  ["object", "dict", "map"],
  ["array", "list", "tuple"],
];
const typeNames = new Map(TYPE_NAMES.flatMap((names) => names.map((name) => [name, names[0]] as const)));

/** The type that a schema's name means; undefined for an unknown name. */
export function toJsonType(name: unknown): JsonType | undefined {
  return typeof name === "string" ? typeNames.get(name.toLowerCase()) : undefined;
}

// The types of JSON Schema, and the names that people write for them. Sees no schema and no data.

export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/** Type names that tool authors write (Python's, SQL's, OpenAPI's) behind the one they mean; any other name allows everything. */
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

/** The type that a word of a schema names; undefined for a word that nobody knows. */
export function toJsonType(name: unknown): JsonType | undefined {
  return typeof name === "string" ? typeNames.get(name.toLowerCase()) : undefined;
}

// Defines the tools that hostile inputs offer.

/** Returns a tool of the `tools` field of a request. @param parameters JSON schema of its arguments. */
export function createTool(parameters: object, name = "f", description = "Does it."): object {
  return { type: "function", function: { name, description, parameters } };
}

/** A tool that accepts any value as `a`. */
export const TOOL_WITH_ANY_VALUE = [createTool({ type: "object", properties: { a: {} } })];

/** A tool that requires an integer as `a`. */
export const TOOL_WITH_INTEGER = [
  createTool({ type: "object", properties: { a: { type: "integer" } }, required: ["a"] }),
];

/** Returns the largest allowed number of tools, each with a name of the largest allowed length. */
export function createLongNamedTools(): readonly object[] {
  return Array.from({ length: 128 }, (_, i) =>
    createTool({ type: "object", properties: {} }, `${"long_name_".repeat(12)}${String(i).padStart(8, "0")}`),
  );
}

// The tools that hostile inputs are about. Knows no attack.

export function tool(parameters: object, name = "f", description = "Does it."): object {
  return { type: "function", function: { name, description, parameters } };
}

/** One that takes anything under `a`. */
export const TAKES_ANYTHING = [tool({ type: "object", properties: { a: {} } })];

export const NEEDS_NUMBER = [tool({ type: "object", properties: { a: { type: "integer" } }, required: ["a"] })];

/** As many as may be offered, with names as long as may be. */
export function longNames(): readonly object[] {
  return Array.from({ length: 128 }, (_, i) =>
    tool({ type: "object", properties: {} }, `${"long_name_".repeat(12)}${String(i).padStart(8, "0")}`),
  );
}

import { describe, expect, it } from "@jest/globals";
import { buildCallSchema } from "../../../../src/agents/prompting/callSchema.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";

/** What is asked of a tool's arguments. */
function argumentsOf(parameters: JsonObject): unknown {
  const form = buildCallSchema([{ name: "t", parameters }], { type: "required" });
  const [one] = (form?.anyOf ?? []) as readonly { readonly properties: { readonly arguments: unknown } }[];
  return one?.properties.arguments;
}

function propertyOf(schema: JsonObject): unknown {
  const object = argumentsOf({ type: "object", properties: { p: schema } }) as { properties: { p: unknown } };
  return object.properties.p;
}

describe("the form of a call", () => {
  it("is the name of a tool and its arguments, and nothing else", () => {
    const tools = [{ name: "a", parameters: { type: "object", properties: {} } }, { name: "b" }];
    expect(buildCallSchema(tools, { type: "required" })).toEqual({
      anyOf: [
        {
          type: "object",
          properties: { name: { const: "a" }, arguments: { type: "object", additionalProperties: false } },
          required: ["name", "arguments"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: { name: { const: "b" }, arguments: { type: "object" } },
          required: ["name", "arguments"],
          additionalProperties: false,
        },
      ],
    });
  });

  it("is none where nothing may be called, or where it would be endless", () => {
    expect(buildCallSchema([], { type: "required" })).toBeUndefined();
    expect(buildCallSchema([{ name: "a" }], { type: "tool", name: "b" })).toBeUndefined();
    const long = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { type: "string" }]));
    expect(buildCallSchema([{ name: "a", parameters: { properties: long } }], { type: "required" })).toBeUndefined();
  });

  const plain: readonly [string, JsonObject, JsonObject][] = [
    [
      "a pattern, a length and a format are left to the check",
      { type: "string", pattern: "^a", minLength: 3, format: "uuid" },
      { type: "string" },
    ],
    ["bounds are left to the check", { type: "integer", minimum: 1, maximum: 9 }, { type: "integer" }],
    ["fixed values stay", { type: "string", enum: ["a", "b"] }, { enum: ["a", "b"] }],
    ["a constant stays", { const: 3 }, { const: 3 }],
    [
      "several types are a choice",
      { type: ["string", "null"], minLength: 2 },
      { anyOf: [{ type: "string" }, { type: "null" }] },
    ],
    [
      "one of several is any of them",
      { oneOf: [{ type: "string" }, { type: "integer" }] },
      { anyOf: [{ type: "string" }, { type: "integer" }] },
    ],
    ["a choice that takes anything takes anything", { anyOf: [{ type: "string" }, { $ref: "#/$defs/x" }] }, {}],
    [
      "a nullable type takes null",
      { type: "number", nullable: true },
      { anyOf: [{ type: "number" }, { type: "null" }] },
    ],
    ["a reference takes anything", { $ref: "#/$defs/x" }, {}],
    [
      "items keep their types",
      { type: "array", items: { type: "integer", minimum: 0 }, minItems: 2 },
      { type: "array", items: { type: "integer" } },
    ],
    [
      "items that differ are left to the check",
      { type: "array", prefixItems: [{ type: "string" }] },
      { type: "array" },
    ],
    [
      "joined objects are left to the check",
      { type: "object", properties: { a: { type: "string" } }, allOf: [{ required: ["b"] }] },
      { type: "object" },
    ],
    [
      "names by pattern are left to the check",
      { type: "object", patternProperties: { "^x": { type: "string" } } },
      { type: "object" },
    ],
    [
      "a map keeps the type of its values",
      { type: "object", additionalProperties: { type: "string", maxLength: 9 } },
      { type: "object", additionalProperties: { type: "string" } },
    ],
    [
      "an object that is open stays open",
      { type: "object", properties: { a: {} }, additionalProperties: true },
      { type: "object", properties: { a: {} }, additionalProperties: true },
    ],
    [
      "a required name that is not listed is left to the check",
      { type: "object", properties: { a: { type: "string" } }, required: ["a", "b"] },
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
    ],
  ];
  it.each(plain)("%s", (_title, given, expected) => {
    expect(propertyOf(given)).toEqual(expected);
  });

  it("always wants an object of arguments", () => {
    expect(argumentsOf({ $ref: "#/$defs/x" })).toEqual({ type: "object" });
    expect(argumentsOf({ allOf: [{ type: "object" }] })).toEqual({ type: "object" });
    expect(argumentsOf({})).toEqual({ type: "object" });
  });

  it("ends where a schema does not", () => {
    let deep: JsonObject = { type: "string" };
    for (let level = 0; level < 40; level += 1) deep = { type: "array", items: deep };
    expect(JSON.stringify(propertyOf(deep)).match(/array/g)).toHaveLength(12);
  });
});

import { describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { checkToolSchema as check, createSchemaBudget } from "../../../../src/server/validation/checkToolSchema.ts";
import { LIMITS } from "../../../support/defaults.ts";

function checkToolSchema(schema: JsonObject): string | undefined {
  return check(schema, createSchemaBudget(LIMITS.schemaSteps));
}

describe("checkToolSchema", () => {
  it.each<[string, JsonObject]>([
    ["an empty schema", {}],
    ["plain parameters", { type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"] }],
    ["a recursive schema, which data brings to an end", { type: "object", properties: { child: { $ref: "#" } } }],
    ["definitions", { type: "object", properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { type: "string" } } }],
    ["an escaped pointer", { properties: { a: { $ref: "#/$defs/x~1y" } }, $defs: { "x/y": {} } }],
    ["a default that looks like a schema", { properties: { a: { default: { properties: null } } } }],
  ])("takes %s", (_name, schema) => {
    expect(checkToolSchema(schema)).toBeUndefined();
  });

  it.each<[string, JsonObject, RegExp]>([
    [
      "a remote reference",
      { properties: { a: { $ref: "http://127.0.0.1/x.json" } } },
      /#\/properties\/a\/\$ref points outside/,
    ],
    [
      "a loop of references",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      /without end/,
    ],
    ["a loop through allOf", { $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } } }, /without end/],
    ["a reference to nothing", { properties: { a: { $ref: "#/$defs/none" } } }, /points to nothing/],
    ["a reference into the prototype", { properties: { a: { $ref: "#/constructor" } } }, /points to nothing/],
    ["an array schema", { type: "array" }, /must be "object"/],
    ["null properties", { properties: null }, /#\/properties must be an object/],
    ["a list of types with a double", { properties: { a: { type: ["string", "string"] } } }, /#\/properties\/a\/type/],
    ["required as text", { required: "a" }, /#\/required must be a list/],
    ["too many bytes", { properties: { a: { enum: ["x".repeat(262_144)] } } }, /longer than 262144/],
    ["a dynamic reference", { properties: { a: { $dynamicRef: "#x" } } }, /not supported/],
  ])("refuses %s", (_name, schema, fault) => {
    expect(checkToolSchema(schema)).toMatch(fault);
  });

  it("refuses 65 levels", () => {
    let schema: JsonObject = {};
    for (let level = 0; level < 40; level++) schema = { properties: { a: schema } };
    expect(checkToolSchema(schema)).toMatch(/deeper than 64/);
  });

  it("follows a chain of thousands of references without recursion", () => {
    const links = Array.from({ length: 7_000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }] as const);
    const schema = { $defs: { ...Object.fromEntries(links), d7000: {} } };
    expect(checkToolSchema(schema)).toBeUndefined();
  });
});

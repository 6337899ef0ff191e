// Schemas of tools as strict servers take them.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../../src/core/messages.ts";
import { applyQuirks } from "../../../../src/models/request/quirks.ts";
import { SCHEMA_DIALECTS } from "../../../../src/models/schemas/schemaDialects.ts";
import { runsOf } from "../../../support/sample.ts";
import { schemaFault } from "../../../support/strictSchemas.ts";

function bodyWith(parameters: JsonObject, strict?: boolean): JsonObject {
  const declared = { name: "look", parameters, ...(strict !== undefined && { strict }) };
  return { messages: [], tools: [{ type: "function", function: declared }] };
}

function projected(parameters: JsonObject, dialect: string): JsonObject {
  const { tools } = applyQuirks(bodyWith(parameters), [dialect]) as unknown as {
    tools: { function: { parameters: JsonObject } }[];
  };
  return tools[0]?.function.parameters ?? {};
}

const PLAIN: JsonObject = {
  type: "object",
  properties: {
    city: { type: "string", description: "Where." },
    days: { type: "integer", minimum: 1 },
    tags: { type: "array", items: { type: "string" } },
    unit: { type: "string", enum: ["c", "f"] },
  },
  required: ["city"],
};

describe.each([...SCHEMA_DIALECTS.keys()])("the dialect %s", (dialect) => {
  it("leaves a plain schema as it is, and the body with it", () => {
    const body = bodyWith(PLAIN);
    expect(applyQuirks(body, [dialect])).toBe(body);
  });

  it("leaves a tool alone that its caller wants held to its own schema", () => {
    const body = bodyWith({ type: "object", anyOf: [{ required: ["a"] }] }, true);
    expect(applyQuirks(body, [dialect])).toBe(body);
  });

  it("gives nothing that its server refuses, whatever the schema", () => {
    const property = fc.property(schemas(), (schema) => {
      expect(schemaFault(projected(schema, dialect), dialect)).toBeUndefined();
    });
    fc.assert(property, { numRuns: runsOf(400) });
  });

  it("ends, and soon, where references lead in circles or double at each step", () => {
    const bomb = Object.fromEntries(
      Array.from({ length: 40 }, (_, at): [string, JsonValue] => [
        `d${at}`,
        {
          type: "object",
          properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } },
          allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 2}` }],
        },
      ]),
    );
    const tree = { type: "object", properties: { value: { type: "string" }, next: { $ref: "#/$defs/tree" } } };
    const schema: JsonObject = {
      type: "object",
      properties: { bomb: { $ref: "#/$defs/d0" }, tree: { $ref: "#/$defs/tree" }, self: { $ref: "#" } },
      $defs: { ...bomb, tree, loop: { $ref: "#/$defs/loop" } },
      anyOf: [{ $ref: "#/$defs/loop" }, { $ref: "#/$defs/d0" }],
    };
    const text = JSON.stringify(projected(schema, dialect));
    expect(text.length).toBeLessThan(1_000_000);
    expect(schemaFault(projected(schema, dialect), dialect)).toBeUndefined();
  });

  it("makes a root that is a union an object with what any of its branches has", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      oneOf: [
        { properties: { kind: { const: "file" }, path: { type: "string" } }, required: ["kind", "path"] },
        { properties: { kind: { const: "link" }, url: { type: "string" } }, required: ["kind", "url"] },
      ],
    };
    const { properties, required, oneOf } = projected(schema, dialect);
    expect(oneOf).toBeUndefined();
    expect(Object.keys(properties as JsonObject).sort()).toEqual(["id", "kind", "path", "url"]);
    expect([...(required as string[])].sort()).toEqual(["id", "kind"]);
  });
});

describe("schema-object", () => {
  it("follows a root that is a reference, and keeps the definitions that others lead to", () => {
    const schema = {
      $ref: "#/$defs/Args",
      $defs: { Args: { type: "object", properties: { at: { $ref: "#/$defs/Place" } } }, Place: { type: "string" } },
    };
    expect(projected(schema, "schema-object")).toMatchObject({
      type: "object",
      properties: { at: { $ref: "#/$defs/Place" } },
      $defs: { Place: { type: "string" } },
    });
  });

  it("follows a reference to a key with a blank, which stands in it as in a URL", () => {
    const schema = { $ref: "#/$defs/All%20args", $defs: { "All args": { type: "object", properties: { at: {} } } } };
    expect(projected(schema, "schema-object")).toMatchObject({ type: "object", properties: { at: {} } });
  });

  it("gives arrays without items, and tuples of both spellings, items", () => {
    const schema = {
      type: "object",
      properties: {
        any: { type: "array" },
        old: { type: "array", items: [{ type: "number" }, { type: "string" }] },
        pair: { type: "array", prefixItems: [{ type: "number" }] },
      },
    };
    expect(projected(schema, "schema-object")).toEqual({
      type: "object",
      properties: {
        any: { type: "array", items: {} },
        old: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: {} },
        pair: { type: "array", prefixItems: [{ type: "number" }], items: {} },
      },
    });
  });
});

describe("schema-gemini", () => {
  const schema: JsonObject = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: false,
    properties: {
      mode: { const: "fast" },
      level: { enum: [1, 2, 3] },
      name: { type: ["string", "null"], format: "email", description: "Who." },
      when: { type: "string", format: "date-time" },
      place: { oneOf: [{ $ref: "#/$defs/Place" }, { type: "null" }], description: "Where." },
      either: { type: ["string", "array"], items: { type: "integer", exclusiveMinimum: 0 } },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      open: {},
      unset: { type: "string", enum: ["", "a"] },
    },
    required: ["mode", "gone"],
    $defs: {
      Place: { allOf: [{ $ref: "#/$defs/Point" }, { properties: { label: { type: "string" } } }] },
      Point: {
        type: "object",
        properties: { lat: { type: "number" } },
        required: ["lat"],
      },
    },
  };

  it("says the same in the words that Google knows", () => {
    expect(projected(schema, "schema-gemini")).toEqual({
      type: "object",
      properties: {
        mode: { type: "string", enum: ["fast"] },
        level: { type: "number" },
        name: { type: "string", nullable: true, description: "Who." },
        when: { type: "string", format: "date-time" },
        place: {
          type: "object",
          nullable: true,
          description: "Where.",
          properties: { label: { type: "string" }, lat: { type: "number" } },
          required: ["lat"],
        },
        either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "integer" } }] },
        pair: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
        open: { type: "string" },
        unset: { type: "string" },
      },
      required: ["mode"],
    });
  });
});

describe("schema-moonshot", () => {
  it("says the type in each branch of a union and nowhere beside it", () => {
    const items = {
      type: "object",
      properties: { a: {}, b: { type: "integer" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    const read = projected({ type: "object", properties: { list: { type: "array", items } } }, "schema-moonshot");
    const properties = { a: { type: "string" }, b: { type: "integer" } };
    expect(read).toEqual({
      type: "object",
      properties: {
        list: {
          type: "array",
          items: {
            anyOf: [
              { type: "object", properties, required: ["a"] },
              { type: "object", properties, required: ["b"] },
            ],
          },
        },
      },
    });
  });
});

describe("schema-nova", () => {
  it("has three keywords at the root, and what references lead to in their place", () => {
    const schema = {
      title: "Args",
      description: "Arguments.",
      type: "object",
      properties: { at: { $ref: "#/definitions/Place" } },
      definitions: { Place: { type: "string", minLength: 1 } },
      additionalProperties: false,
    };
    expect(projected(schema, "schema-nova")).toEqual({
      type: "object",
      properties: { at: { type: "string", minLength: 1 } },
    });
  });
});

/** Schemas with whatever JSON Schema has, references among them. */
function schemas(): fc.Arbitrary<JsonObject> {
  const { root } = fc.letrec<{ node: JsonValue; root: JsonObject }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.constantFrom<JsonValue>(
        {},
        true,
        { type: "string" },
        { type: ["integer", "null"] },
        { $ref: "#/$defs/x" },
        { enum: [1, "a", null] },
      ),
      fc.record(
        { type: fc.constant("array"), items: tie("node"), prefixItems: fc.array(tie("node"), { maxLength: 2 }) },
        { requiredKeys: ["type"] },
      ),
      fc.record(
        {
          type: fc.constantFrom<JsonValue>("object", ["object", "null"], ["string", "array"]),
          properties: fc.dictionary(fc.constantFrom("a", "b", "if"), tie("node"), { maxKeys: 3 }),
          required: fc.subarray(["a", "c"]),
          anyOf: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
          oneOf: fc.array(tie("node"), { minLength: 1, maxLength: 2 }),
          allOf: fc.array(tie("node"), { minLength: 1, maxLength: 2 }),
          not: tie("node"),
          additionalProperties: tie("node"),
          const: fc.constantFrom<JsonValue>("x", 1, null),
          description: fc.constant("D"),
          format: fc.constantFrom("uuid", "date-time"),
          $ref: fc.constantFrom("#/$defs/x", "#/$defs/y", "#/nowhere", "#"),
        },
        { requiredKeys: [] },
      ),
    ),
    root: fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(fc.constantFrom("a", "b"), tie("node"), { maxKeys: 2 }),
        anyOf: fc.array(tie("node"), { maxLength: 2 }),
        allOf: fc.array(tie("node"), { maxLength: 2 }),
        $ref: fc.constant("#/$defs/y"),
        $defs: fc.record({ x: tie("node"), y: tie("node") }),
      },
      { requiredKeys: ["$defs"] },
    ) as fc.Arbitrary<JsonObject>,
  }));
  return root;
}

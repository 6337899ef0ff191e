import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../../src/core/messages.ts";
import { CompiledSchema } from "../../../../src/formats/validation/CompiledSchema.ts";
import { checkValue } from "../../../../src/formats/validation/fitValue.ts";
import { runsOf } from "../../../support/sample.ts";
import { valueTree } from "../../../support/valueTree.ts";

const check = (schema: JsonObject, value: JsonValue) => checkValue(valueTree(value), new CompiledSchema(schema));
const broken = (schema: JsonObject, value: JsonValue) => check(schema, value).fault?.keyword;

describe("a rule of a schema", () => {
  it.each<[string, JsonObject, JsonValue, JsonValue]>([
    ["minimum", { minimum: 3 }, 3, 2],
    ["exclusiveMaximum", { exclusiveMaximum: 3 }, 2.9, 3],
    ["minimum", { minimum: 3, exclusiveMinimum: true }, 4, 3],
    ["multipleOf", { multipleOf: 0.1 }, 0.3, 0.35],
    ["multipleOf", { multipleOf: 1e-308 }, 1e300, 1.5e-308],
    ["maxLength", { maxLength: 2 }, "\u{1F600}\u{1F600}", "abc"],
    ["minLength", { minLength: 2 }, "ab", "\u{1F600}"],
    ["pattern", { pattern: "^a" }, "ab", "ba"],
    ["const", { const: { a: 1, b: [2] } }, { b: [2], a: 1 }, { a: 1 }],
    ["enum", { enum: ["x", 1, null] }, null, "1"],
    ["minItems", { minItems: 1 }, [1], []],
    [
      "uniqueItems",
      { uniqueItems: true },
      [1, "1", { a: 1 }],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    ["contains", { contains: { type: "string" } }, [1, "a"], [1]],
    ["maxContains", { contains: { const: 1 }, maxContains: 1 }, [1, 2], [1, 1]],
    ["required", { required: ["a"] }, { a: 1 }, { b: 1 }],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, { a: 1, b: 2 }, { a: 1 }],
    ["dependentRequired", { dependencies: { a: ["b"] } }, {}, { a: 1 }],
    ["minProperties", { minProperties: 1 }, { a: 1 }, {}],
    ["propertyNames", { propertyNames: { pattern: "^x_" } }, { x_a: 1 }, { a: 1 }],
    ["false", { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
    ["type", { patternProperties: { "^n": { type: "number" } } }, { n1: 1, s: "x" }, { n1: "x" }],
    ["false", { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    ["false", { prefixItems: [{}], unevaluatedItems: false }, [1], [1, 2]],
    ["not", { not: { required: ["a"] } }, {}, { a: 1 }],
    ["anyOf", { anyOf: [{ type: "string" }, { type: "null" }] }, null, 1],
    ["oneOf", { oneOf: [{ type: "integer" }, { minimum: 5 }] }, 3, 7],
    [
      "minimum",
      condition({ properties: { a: { const: 1 } } }, { properties: { b: { minimum: 5 } } }),
      { a: 2, b: 1 },
      { a: 1, b: 1 },
    ],
    ["required", { if: { required: ["a"] }, else: { required: ["b"] } }, { a: 1 }, {}],
    ["maximum", { properties: { a: { $ref: "#/$defs/x~1y" } }, $defs: { "x/y": { maximum: 1 } } }, { a: 1 }, { a: 2 }],
  ])("%s of %j takes %j and not %j", (keyword, schema, good, bad) => {
    expect(check(schema, good)).toMatchObject({ fault: undefined, isPartial: false });
    expect(broken(schema, bad)).toBe(keyword);
  });

  it.each<[string, string, string]>([
    ["date", "2024-02-29", "2023-02-29"],
    ["date-time", "2024-05-01T10:00:00Z", "2024-05-01 10:00"],
    ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123"],
    ["ipv6", "::1", "1.2.3"],
    ["email", "a@b", "a at b"],
    ["uri", "https://a.example/b", "no uri"],
  ])("format %s is a remark: %s is in it, %s is not, and both pass", (format, good, bad) => {
    expect(check({ format }, good)).toMatchObject({ fault: undefined, hasOtherFormat: false });
    expect(check({ format }, bad)).toMatchObject({ fault: undefined, hasOtherFormat: true });
  });

  it("that is not known to hold stays open, and nothing is concluded from it", () => {
    const open = { pattern: "(a)\\1" };
    for (const schema of [open, { not: open }, { oneOf: [open, {}] }, condition(open, false), { $ref: "#/gone" }]) {
      expect(check(schema, "x")).toEqual({ fault: undefined, isPartial: true, hasOtherFormat: false });
    }
    expect(broken({ allOf: [open, { maxLength: 1 }] }, "xx")).toBe("maxLength");
    expect(broken({ anyOf: [{ type: "null" }, { type: "number" }] }, "xx")).toBe("anyOf");
  });
});

describe("a check", () => {
  it("means what the validator means that was used before", () => {
    const scalar = fc.constantFrom<JsonValue>(0, 1, 2.5, "a", "bb", "", true, null);
    const value = fc.letrec<{ any: JsonValue }>((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        scalar,
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
      ),
    })).any;
    const small = fc.integer({ min: 0, max: 3 });
    const { schema } = fc.letrec<{ schema: JsonValue; keyword: JsonObject }>((tie) => {
      const list = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
      const map = fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema"), { maxKeys: 3 });
      const one = (name: string, arbitrary: fc.Arbitrary<unknown>) =>
        arbitrary.map((wanted) => ({ [name]: wanted }) as JsonObject);
      const names = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 });
      return {
        schema: fc.oneof(
          { depthSize: "small", withCrossShrink: true },
          fc.boolean(),
          fc.array(tie("keyword"), { maxLength: 3 }).map((parts) => Object.assign({}, ...parts) as JsonObject),
        ),
        keyword: fc.oneof(
          one("type", fc.constantFrom("string", "number", "integer", "object", "array", "null", "boolean")),
          one("type", fc.constant(["string", "object"])),
          one("enum", fc.array(scalar, { minLength: 1, maxLength: 3 })),
          one("const", value),
          ...["minimum", "exclusiveMaximum", "maxLength", "minLength", "minItems", "maxItems", "maxProperties"].map(
            (name) => one(name, small),
          ),
          one("multipleOf", fc.constantFrom(0.5, 2)),
          one("uniqueItems", fc.boolean()),
          one("pattern", fc.constantFrom("^a", "b$")),
          one("required", names),
          one(
            "dependentRequired",
            names.map((needed) => ({ a: needed })),
          ),
          ...["allOf", "anyOf", "oneOf", "prefixItems"].map((name) => one(name, list)),
          ...["properties", "dependentSchemas"].map((name) => one(name, map)),
          one(
            "patternProperties",
            tie("schema").map((inner) => ({ "^[ab]$": inner })),
          ),
          ...["not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"].map((name) =>
            one(name, tie("schema")),
          ),
          ...["unevaluatedProperties", "unevaluatedItems"].map((name) => one(name, fc.constant(false))),
        ),
      };
    });
    fc.assert(
      fc.property(schema, value, (given, data) => {
        if (typeof given !== "object") return;
        const verdict = check(given as JsonObject, data);
        expect(verdict.isPartial).toBe(false);
        const before = new Validator(given as never, "2020-12").validate(data).valid;
        expect([verdict.fault === undefined, given, data]).toEqual([before, given, data]);
      }),
      { numRuns: runsOf(2_000) },
    );
  });

  it.each<[string, JsonObject, JsonValue]>([
    [
      "references that double at every level",
      {
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries(
          Array.from({ length: 60 }, (_, n) => [
            `d${n}`,
            n === 59 ? {} : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]),
        ),
      },
      {},
    ],
    ["a reference to itself", { $ref: "#" }, {}],
    ["sixty alternatives of sixty alternatives", alternatives(4), nested(40)],
    [
      "a thousand patterns for a thousand keys",
      manyPatterns(),
      Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`a${n}`, 1])),
    ],
    [
      "a thousand names required of a thousand objects",
      { items: { allOf: [{ not: { required: names(1_000) } }] } },
      Array(1_000).fill(Object.fromEntries(names(999).map((name) => [name, 1]))),
    ],
    [
      "a list that is unique in each of a thousand ways",
      { allOf: Array(1_000).fill({ uniqueItems: true }) },
      names(2_000),
    ],
    [
      "a long text that is counted a thousand times",
      { allOf: Array(1_000).fill({ maxLength: 600_000 }) },
      "\u{1F600}x".repeat(300_000),
    ],
  ])("ends with its steps, and says so: %s", (_what, schema, value) => {
    const started = process.cpuUsage();
    expect(check(schema, value)).toMatchObject({ fault: undefined, isPartial: true });
    const { user, system } = process.cpuUsage(started);
    // 200,000 steps; the clock only shows that none of them hides a loop.
    expect((user + system) / 1_000).toBeLessThan(30_000);
  });

  it("looks 16,000 values up among 16,000 in steps that are theirs", () => {
    const values = names(12_000);
    expect(check({ items: { enum: values } }, values)).toMatchObject({ fault: undefined, isPartial: false });
  });
});

/** The linter takes an object with a `then` of its own for a promise. */
function condition(when: JsonValue, consequence: JsonValue): JsonObject {
  return JSON.parse(`{"if":${JSON.stringify(when)},"then":${JSON.stringify(consequence)}}`) as JsonObject;
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `name ${n}`);
}

function alternatives(levels: number): JsonObject {
  const level = (n: number) => ({ anyOf: Array(60).fill({ properties: { a: { $ref: `#/$defs/d${n + 1}` } } }) });
  const $defs = Object.fromEntries(Array.from({ length: levels }, (_, n) => [`d${n}`, level(n)]));
  return { $ref: "#/$defs/d0", $defs: { ...$defs, [`d${levels}`]: { type: "string" } } };
}

function nested(levels: number): JsonValue {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

function manyPatterns(): JsonObject {
  return { patternProperties: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`^b{1,9}${n}`, {}])) };
}

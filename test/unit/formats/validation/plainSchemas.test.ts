// A value that was brought to a plain schema is not checked once more: then it must keep every rule of it. Any schema that says more is checked.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../../src/core/messages.ts";
import { readValue } from "../../../../src/formats/decoders/jsonTree.ts";
import { CompiledSchema } from "../../../../src/formats/validation/CompiledSchema.ts";
import { checkValue, fitValue } from "../../../../src/formats/validation/fitValue.ts";
import { runsOf } from "../../../support/sample.ts";

const MANY = Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`p${index}`, {}]));
const KEYS = ["a", "b", "city"];
const key = fc.constantFrom(...KEYS);

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonObject>(
      ...[{}, { type: "string" }, { type: "integer" }, { type: ["number", "null"] }, { type: "boolean" }],
      ...[{ enum: ["red", "light-blue", 5, null] }, { type: "integer", enum: [1, 2] }, { const: { a: [1] } }],
      ...[
        { type: "str" },
        { type: "integer", nullable: true },
        { enum: [{ a: 1 }], properties: { a: { type: "string" } } },
      ],
    ),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc
      .record({
        properties: fc.dictionary(key, tie("schema")),
        required: fc.subarray(KEYS),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
      })
      .map((parts): JsonObject => ({ type: "object", ...parts })),
  ),
}));

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>("red", "Light_Blue", "5", "5.0", 5, 5.5, 1e20, true, null, "null", '{"a":1}', "[1,[2]]"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, "City"), tie("value")),
  ),
}));

describe("a value that was brought to a plain schema", () => {
  it("keeps every rule of it, whatever was mended on the way", () => {
    fc.assert(
      fc.property(schema, value, fc.boolean(), (root, given, strict) => {
        const prepared = new CompiledSchema(root);
        const read = readValue(JSON.stringify(given));
        if (!read) throw new Error("The value is no JSON.");
        const leave = { strict, deeperArrays: !strict };
        const fitted = fitValue(read, prepared, leave);
        if (fitted.type === "misfit") return;
        const left = readValue(fitted.text);
        expect(left && checkValue(left, prepared, leave)).toMatchObject({ fault: undefined, isPartial: false });
      }),
      { numRuns: runsOf(3_000) },
    );
  });

  it.each<[string, string, JsonObject]>([
    ["at its root", '{"a":["b"]}', { maxProperties: 0 }],
    ["in a property", '{"a":1}', { properties: { a: { minimum: 9 } } }],
    ["in items", '{"a":["b"]}', { properties: { a: { items: { pattern: "x" } } } }],
    ["for other keys", '{"a":["b"]}', { additionalProperties: { not: {} } }],
    ["behind more schemas than are looked at", '{"z":1}', { properties: { ...MANY, z: { minimum: 9 } } }],
  ])("is still checked where the schema says more %s", (_, text, root) => {
    const read = readValue(text);
    expect(read && fitValue(read, new CompiledSchema(root), { strict: true }).type).toBe("misfit");
  });
});

// Values and schemas that are large: what is looked up, how often, and what is still validated whole.
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { parseStrictValue } from "../../../../src/formats/decoders/jsonTree.ts";
import { fitCall } from "../../../../src/formats/validation/fitCall.ts";
import { Literals } from "../../../../src/formats/validation/schemaAlternatives.ts";

function fit(parameters: JsonObject, args: unknown, among?: number) {
  const value = parseStrictValue(JSON.stringify(args));
  if (!value) throw new Error("The arguments are more than one call may have.");
  const tools = [{ name: "f", description: "", parameters }];
  const candidate = { name: "f", arguments: { type: "json", value }, repairs: [] } as const;
  return fitCall(candidate, { tools, family: "qwen", raw: "", among });
}

const list = (items: JsonObject): JsonObject => ({ type: "object", properties: { x: { type: "array", items } } });
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

afterEach(() => {
  jest.restoreAllMocks();
});

describe("Literals", () => {
  it.each([
    ["integers", range(0, 90_000), range(50_000, 19_000)],
    ["fractions", range(0, 90_000).map((n) => n + 0.5), range(50_000, 19_000).map((n) => n + 0.5)],
    ["strings", range(0, 90_000).map((n) => `v${n}`), range(50_000, 19_000).map((n) => `v${n}`)],
  ])("makes the table of 90,000 %s once, and looks each of 19,000 items up once", (_, values, items) => {
    const made = jest.spyOn(Literals, "fromValues");
    const looked = jest.spyOn(Literals.prototype, "has");
    expect(fit(list({ enum: values }), { x: items })).toMatchObject({ type: "call", repairs: [] });
    expect(made).toHaveBeenCalledTimes(1);
    expect(looked.mock.calls.length).toBeLessThanOrEqual(2 * items.length);
  });

  it.each([
    ["a number in another spelling", [1, 2.5, 1e21, -0], '{"x":[1.0,25e-1,1000000000000000000000,0]}'],
    ["objects, whatever the order of keys", [{ a: 1, b: [2] }], '{"x":[{"b":[2.0],"a":1}]}'],
  ])("holds %s", (_, values, args) => {
    const value = JSON.parse(args) as { readonly x: unknown };
    expect(fit(list({ enum: values }), value)).toMatchObject({ type: "call", repairs: [] });
  });

  it("finds a near miss among 20,000 strings, and looks for none among more", () => {
    const values = range(0, 20_000).map((n) => `value ${n}`);
    expect(fit(list({ enum: values }), { x: ["VALUE 7"] })).toMatchObject({ repairs: ["enum-spelling"] });
    const more = [...values, "one more"];
    expect(fit(list({ enum: more }), { x: ["value 7"] })).toMatchObject({ type: "call", repairs: [] });
    expect(fit(list({ enum: more }), { x: ["VALUE 7"] })).toMatchObject({ issue: { code: "invalid-arguments" } });
  });
});

describe("alternatives that list values", () => {
  const ways = (count: number) =>
    range(0, count).map((way) => ({ enum: range(way * 1_000, 1_000).map((n) => `v${n}`) }));

  it("look 19,000 items up in counted steps", () => {
    const looked = jest.spyOn(Literals.prototype, "has");
    fit(list({ anyOf: ways(60) }), { x: range(0, 19_000).map((n) => `V${n}`) });
    expect(looked.mock.calls.length).toBeLessThan(400_000);
  });

  it("take a value that the last of them lists, and mend one that it nearly lists", () => {
    expect(fit(list({ anyOf: ways(60) }), { x: ["v59999"] })).toMatchObject({ type: "call", repairs: [] });
    expect(fit(list({ anyOf: ways(60) }), { x: ["V59999"] })).toMatchObject({ repairs: ["enum-spelling"] });
    expect(fit(list({ anyOf: [{ type: "integer" }, { enum: ["7"] }] }), { x: ["7", 7] })).toMatchObject({
      repairs: [],
    });
  });
});

/** As a booking tool has it: 30 properties, three levels of references, patterns, bounds and alternatives. */
const BOOKING: JsonObject = {
  type: "object",
  properties: Object.fromEntries(
    range(0, 30).map((n) => [
      `field${n}`,
      [
        { $ref: "#/$defs/address" },
        { type: "integer", minimum: 0, maximum: 100 },
        { anyOf: [{ type: "string", pattern: "^[a-z]+$" }, { type: "null" }] },
        { type: "array", items: { $ref: "#/$defs/city" }, uniqueItems: true },
        { type: "string", enum: ["low", "high"] },
      ][n % 5] ?? {},
    ]),
  ),
  required: ["field0", "field1"],
  additionalProperties: false,
  $defs: {
    address: {
      type: "object",
      properties: { street: { type: "string", minLength: 1 }, city: { $ref: "#/$defs/city" } },
      required: ["street", "city"],
    },
    city: {
      type: "object",
      properties: { name: { type: "string" }, code: { $ref: "#/$defs/code" } },
      required: ["code"],
    },
    code: { type: "string", pattern: "^[A-Z]{2}\\d{4}$" },
  },
};

const booked = (code: string) =>
  Object.fromEntries(
    range(0, 30).map((n) => [
      `field${n}`,
      [{ street: "Main 5", city: { name: "Bern", code: "CH3000" } }, 42, "abc", [{ name: "Bern", code }], "low"][n % 5],
    ]),
  );

describe("calls of one answer", () => {
  it.each([1, 21, 100, 500, 2_000])("are validated whole where they are %i and their schema is a real one", (count) => {
    expect(fit(BOOKING, booked("CH3000"), count)).toMatchObject({ type: "call", repairs: [] });
    expect(fit(BOOKING, booked("none"), count)).toMatchObject({ issue: { code: "invalid-arguments" } });
  });

  it("are validated whole where each has few arguments", () => {
    const few = { field0: { street: "x", city: { code: "CH3000" } }, field1: 1 };
    expect(fit(BOOKING, few, 100)).toMatchObject({ type: "call", repairs: [] });
    expect(fit(BOOKING, { ...few, field1: 101 }, 100)).toMatchObject({ issue: { code: "invalid-arguments" } });
  });
});

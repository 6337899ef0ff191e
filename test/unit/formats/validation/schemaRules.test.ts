// What a tool's schema asks of the arguments beyond their types, and that asking much costs little.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject, ToolSpec } from "../../../../src/core/messages.ts";
import { fitCall } from "../../../../src/formats/validation/fitCall.ts";
import { jsonArguments } from "../../../support/candidateArguments.ts";

function fit(properties: JsonObject, args: string, more: JsonObject = {}, spec: Partial<ToolSpec> = {}) {
  const tools = [{ name: "f", parameters: { type: "object", properties, ...more }, ...spec }];
  return fitCall({ name: "f", arguments: jsonArguments(args), repairs: [] }, { tools, family: "native", raw: args });
}

function messageOf(...given: Parameters<typeof fit>): string | undefined {
  const result = fit(...given);
  return result.type === "issue" && result.issue.code === "invalid-arguments" ? result.issue.message : undefined;
}

describe("a call that breaks a rule of its tool's schema", () => {
  it.each<[string, JsonObject, string, RegExp]>([
    ["a bound", { a: { type: "integer", minimum: 1 } }, '{"a":0}', /parameter "a" must be at least 1, got 0/],
    ["a length", { a: { type: "string", maxLength: 2 } }, '{"a":"abc"}', /at most 2 characters, got 3/],
    [
      "a pattern",
      { a: { type: "string", pattern: "^\\d{5}$" } },
      '{"a":"1234"}',
      /must match the pattern "\^\\\\d\{5\}\$", got "1234"/,
    ],
    [
      "a bound inside",
      { a: { type: "array", items: { maximum: 3 } } },
      '{"a":[1,9]}',
      /parameter "a\.1" must be at most 3, got 9/,
    ],
    ["uniqueness", { a: { type: "array", uniqueItems: true } }, '{"a":[1,1]}', /must not hold an item twice/],
    ["a number of items", { a: { type: "array", minItems: 1 } }, '{"a":[]}', /at least 1 items/],
    ["exactly one form", { a: { oneOf: [{ minimum: 1 }, { maximum: 5 }] } }, '{"a":3}', /exactly one of the forms/],
    ["what it must not be", { a: { not: { const: "root" } } }, '{"a":"root"}', /does not satisfy "not"/],
  ])("is told which: %s", (_rule, properties, args, message) => {
    expect(messageOf(properties, args)).toMatch(message);
  });

  it("is told of rules between its parameters", () => {
    const card = { dependentRequired: { card: ["address"] } };
    expect(messageOf({ card: {}, address: {} }, '{"card":1}', card)).toMatch(/must have the property "address" too/);
    const either = { anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    expect(messageOf({ a: {}, b: {} }, "{}", either)).toBeDefined();
  });

  it("is judged by what it says after it was fitted", () => {
    const bounded = { a: { type: "integer", minimum: 3 } } as const;
    expect(fit(bounded, '{"a":"5"}')).toMatchObject({ arguments: '{"a":5}', repairs: ["string-to-integer"] });
    expect(messageOf(bounded, '{"a":"2"}')).toMatch(/at least 3, got 2/);
  });
});

describe("what fitting lets pass", () => {
  it("passes the check too: rows, other names of types, an empty list of values, null where it is nullable", () => {
    expect(fit({ a: { type: "array", items: { type: "number" } } }, '{"a":[[1],[2]]}').type).toBe("call");
    expect(messageOf({ a: { type: "array", items: { type: "number", maximum: 1 } } }, '{"a":[[1],[2]]}')).toBeDefined();
    expect(fit({ a: { type: "dict" }, b: { type: "float" }, c: { type: "any" } }, '{"a":{},"b":1,"c":[]}').type).toBe(
      "call",
    );
    expect(fit({ a: { enum: [] } }, '{"a":"x"}').type).toBe("call");
    expect(fit({ a: { type: "string", nullable: true } }, '{"a":null}', { required: ["a"] }).type).toBe("call");
  });

  it("is a listed object, in whatever order its keys stand", () => {
    expect(fit({ a: { enum: [{ x: 1, y: [2] }] } }, '{"a":{"y":[2.0],"x":1}}').type).toBe("call");
    expect(messageOf({ a: { enum: [{ x: 1, y: [2] }] } }, '{"a":{"y":[2],"x":2}}')).toMatch(
      /must be one of \{"x":1,"y":\[2\]\}/,
    );
  });

  it("is one of more than 64 alternatives", () => {
    const anyOf = Array.from({ length: 100 }, (_, n) => ({ const: `way ${n}` }));
    expect(fit({ a: { anyOf } }, '{"a":"way 99"}').type).toBe("call");
    expect(messageOf({ a: { anyOf } }, '{"a":"way 100"}')).toBeDefined();
  });

  it("is reported where a rule could not be checked, and where a text has another format", () => {
    expect(fit({ a: { pattern: "(.)\\1" } }, '{"a":"x"}')).toMatchObject({
      type: "call",
      repairs: ["schema-unchecked"],
    });
    expect(fit({ a: { format: "date" } }, '{"a":"today"}')).toMatchObject({ type: "call", repairs: ["format-unmet"] });
    expect(fit({ a: { format: "date" } }, '{"a":"2024-05-01"}')).toMatchObject({ type: "call", repairs: [] });
  });
});

/** Far above what any of them takes, far below what each took: half a minute and more for the first. */
const CPU_MS = 15_000;
const names = (count: number, stem = "name") => Array.from({ length: count }, (_, n) => `${stem} ${n}`);

describe("a large schema against large arguments", () => {
  it.each<[string, JsonObject, unknown]>([
    [
      "12,000 values of an enum of 12,000 in another spelling",
      { a: { items: { enum: names(12_000) } } },
      { a: names(12_000, "NAME") },
    ],
    [
      "4,000 properties and 8,000 objects with a misspelt one",
      { a: { items: { properties: Object.fromEntries(names(4_000).map((one) => [one, {}])) } } },
      { a: Array(8_000).fill({ "NAME-7": 1 }) },
    ],
    [
      "4,000 names of one spelling and 8,000 objects with one more",
      { a: { items: { properties: Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [spelt(n), {}])) } } },
      { a: Array(8_000).fill({ [spelt(5_000)]: 1 }) },
    ],
    [
      "4,000 closed properties as the first alternative of 8,000 objects",
      {
        a: {
          items: {
            anyOf: [
              { properties: Object.fromEntries(names(4_000).map((one) => [one, {}])), additionalProperties: false },
              { type: "object" },
            ],
          },
        },
      },
      { a: Array(8_000).fill({ z: 1 }) },
    ],
    [
      "2,000 objects joined of 500 parts",
      {
        a: {
          items: { allOf: Array(500).fill({ properties: Object.fromEntries(names(100).map((one) => [one, {}])) }) },
        },
      },
      { a: Array(2_000).fill({ "name 1": 1 }) },
    ],
    [
      "9,000 members against 5,000 rules about their names",
      { a: { allOf: Array(5_000).fill({ required: ["name 1"], minProperties: 2 }) } },
      { a: Object.fromEntries(names(9_000).map((one) => [one, 1])) },
    ],
    [
      "a long text against 64 listed forms",
      { a: { anyOf: names(64).map((one) => ({ const: one })) } },
      { a: "x".repeat(250_000) },
    ],
  ])("costs what both are long: %s", (_what, properties, args) => {
    const text = JSON.stringify(args);
    const before = process.cpuUsage();
    fit(properties, text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(CPU_MS);
  });

  it("is prepared once for thousands of calls", () => {
    const tools = [
      {
        name: "f",
        parameters: { type: "object", properties: Object.fromEntries(names(10_000).map((one) => [one, {}])) },
      },
    ];
    const before = process.cpuUsage();
    for (let calls = 0; calls < 8_000; calls++) {
      fitCall(
        { name: "f", arguments: jsonArguments('{"name 1":1}'), repairs: [] },
        { tools, family: "native", raw: "" },
      );
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(CPU_MS);
  });
});

/** Spellings of one name: each bit is a separator. */
function spelt(n: number): string {
  return [..."abcdefghijklmn"].map((letter, bit) => letter + ((n >> bit) & 1 ? "_" : "-")).join("");
}

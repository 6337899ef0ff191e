// The final answer in the form that was asked for, and the answers that are refused.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { OutputNormalizer } from "../../../../src/formats/answers/OutputNormalizer.ts";

const schema: JsonObject = {
  type: "object",
  properties: { port: { type: "string" }, day: { type: "integer" } },
  required: ["port"],
  additionalProperties: false,
};

function withSchema(text: string, own: JsonObject = schema) {
  return new OutputNormalizer({ type: "json_schema", name: "tide", schema: own, strict: true }).normalize(text);
}

function asObject(text: string) {
  return new OutputNormalizer({ type: "json_object" }).normalize(text);
}

describe("an answer in text", () => {
  it("stays as it is, JSON or not", () => {
    const normalizer = new OutputNormalizer({ type: "text" });
    for (const text of ["", "  hi\n", '```json\n{"a":1}\n```'])
      expect(normalizer.normalize(text)).toEqual({ type: "ok", text, repairs: [] });
  });
});

describe("an answer in JSON", () => {
  it("is passed on verbatim where it is strict: spaces, order and big numbers survive", () => {
    const text = ' { "b": 12345678901234567890,  "a": 1e2 }\n';
    expect(asObject(text)).toEqual({ type: "ok", text, repairs: [] });
  });

  it("is taken out of a fence, with or without a language and prose around it", () => {
    for (const text of [
      '```json\n{"port":"Brest"}\n```',
      'Here, as of [1]:\n\n```\n{"port":"Brest"}\n```\nDone.',
      '```json\n{"port":"Brest"}',
    ]) {
      expect(withSchema(text)).toEqual({ type: "ok", text: '{"port":"Brest"}', repairs: ["fence"] });
    }
  });

  it("is taken out of prose around exactly one value", () => {
    expect(withSchema('The answer [1] is {"port":"a } \\" b"}, I hope.')).toEqual({
      type: "ok",
      text: '{"port":"a } \\" b"}',
      repairs: ["surrounding-text"],
    });
  });

  it("is repaired where that loses nothing", () => {
    const result = withSchema("{'port': 'Brest', 'day': 3,}");
    expect(result.type === "ok" && JSON.parse(result.text)).toEqual({ port: "Brest", day: 3 });
    expect(result.type === "ok" && result.repairs.length).toBeGreaterThan(0);
  });

  it("is repaired inside a fence", () => {
    const result = withSchema("Sure:\n```json\n{port: 'Brest'}\n```");
    expect(result.type === "ok" && JSON.parse(result.text)).toEqual({ port: "Brest" });
    expect(result.type === "ok" && result.repairs).toContain("fence");
  });

  it("equal values twice are one value", () => {
    expect(withSchema('{"port":"Brest"} or {"port":"Brest"}')).toMatchObject({ type: "ok", text: '{"port":"Brest"}' });
  });
});

describe("an answer whose values are written otherwise than the schema wants", () => {
  it("is fitted like the arguments of a call, and keeps every other character", () => {
    expect(withSchema('{ "port" : "Brest",\n "day": "3" }')).toEqual({
      type: "ok",
      text: '{ "port" : "Brest",\n "day": 3 }',
      repairs: ["string-to-integer"],
    });
  });

  it("is fitted in a fence and between words too", () => {
    for (const text of ['```json\n{"port":"Brest","day":"3"}\n```', 'Sure: {"port":"Brest","day":"3"}!'])
      expect(withSchema(text)).toMatchObject({ type: "ok", text: '{"port":"Brest","day":3}' });
  });

  it("is fitted deep inside and behind references", () => {
    const own: JsonObject = {
      $defs: { tide: { type: "object", properties: { cm: { type: "number" } }, required: ["cm"] } },
      type: "object",
      properties: { tides: { type: "array", items: { $ref: "#/$defs/tide" } }, spring: { type: "boolean" } },
    };
    expect(withSchema('{"tides":[{"cm":"4.50"},{"cm":7}],"spring":"true"}', own)).toMatchObject({
      type: "ok",
      text: '{"tides":[{"cm":4.50},{"cm":7}],"spring":true}',
    });
  });

  it("is preferred as it stands where another value fits only when it is mended", () => {
    expect(withSchema('Not {"port":"Brest","day":"2"} but {"port":"Brest","day":3}.')).toMatchObject({
      type: "ok",
      text: '{"port":"Brest","day":3}',
    });
  });

  it("is refused where the mended value breaks a bound, in words", () => {
    const own: JsonObject = { type: "object", properties: { day: { type: "integer", maximum: 31 } } };
    expect(withSchema('{"day":"32"}', own)).toEqual({ type: "invalid", reason: '"day" must be at most 31, got 32' });
  });

  it("is never rounded", () => {
    expect(withSchema('{"port":"Brest","day":2.5}')).toMatchObject({ type: "invalid" });
    const lax = new OutputNormalizer({ type: "json_schema", name: "tide", schema, strict: false });
    expect(lax.normalize('{"port":"Brest","day":2.5}')).toMatchObject({ type: "invalid" });
  });
});

describe("what a model is told of its answer", () => {
  it.each<readonly [string, JsonObject, string]>([
    [
      '{"a":"x"}',
      { properties: { a: { type: "string", minLength: 3 } } },
      '"a" must have at least 3 characters, got 1',
    ],
    ['{"a":[1,2]}', { properties: { a: { type: "array", maxItems: 1 } } }, '"a" must have at most 1 items, got 2'],
    [
      '{"a":{"b":[{"c":0}]}}',
      {
        properties: {
          a: { properties: { b: { items: { properties: { c: { type: "number", exclusiveMinimum: 0 } } } } } },
        },
      },
      '"a.b[0].c" must be more than 0, got 0',
    ],
    [
      '{"a":"red"}',
      { properties: { a: { enum: ["green", "blue"] } } },
      '"a" must be one of "green", "blue", got the string "red"',
    ],
    [
      '{"a":5}',
      { properties: { a: { $ref: "#/$defs/n" } }, $defs: { n: { type: "integer", multipleOf: 2 } } },
      '"a" must be a multiple of 2, got 5',
    ],
    [
      '{"a":"ab"}',
      { properties: { a: { anyOf: [{ type: "string", minLength: 3 }, { type: "null" }] } } },
      '"a" must have at least 3 characters, got 2',
    ],
    ['{"a":1}', { not: { type: "object" } }, 'the answer does not satisfy "not" of the schema, got {"a":1}'],
    ["[1]", { type: "object" }, "the answer must be object, got the array [1]"],
    [
      '{"a":{}}',
      { properties: { a: { type: "object", minProperties: 1 } } },
      '"a" must have at least 1 properties, got 0',
    ],
  ])("%s is a sentence about place, finding and wish", (text, own, reason) => {
    expect(withSchema(text, own)).toEqual({ type: "invalid", reason });
  });
});

describe("an answer that is refused", () => {
  it("two values that both fit are no answer", () => {
    expect(withSchema('{"port":"Brest"} or {"port":"Lorient"}')).toEqual({
      type: "invalid",
      reason: "the answer holds 2 different JSON values that fit; one is expected",
    });
  });

  it("prose without JSON", () => {
    for (const text of ["", "Low water is at 06:12.", "use { and }} [", '{"port": "Bre']) {
      expect(withSchema(text)).toMatchObject({ type: "invalid" });
    }
  });

  it("JSON that does not fit names the place and what is expected", () => {
    const result = withSchema('{"port":"Brest","day":"three"}');
    expect(result).toEqual({ type: "invalid", reason: '"day" must be integer, got the string "three"' });
    expect(withSchema('{"day":3}')).toEqual({ type: "invalid", reason: '"port" is required (string) and missing' });
    expect(withSchema('{"port":"Brest","moon":1}')).toEqual({
      type: "invalid",
      reason: '"moon" is no property; known are: port, day',
    });
  });

  it("json_object wants an object", () => {
    expect(asObject("[1]")).toEqual({ type: "invalid", reason: "the answer must be a JSON object, got [1]" });
    expect(asObject("3")).toMatchObject({ type: "invalid" });
  });

  it("nesting without end is refused, not followed", () => {
    expect(asObject(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)).toMatchObject({ type: "invalid" });
    expect(asObject("{".repeat(300_000))).toMatchObject({ type: "invalid" });
  });
});

describe("a hostile schema", () => {
  it("has its pattern run without trying again, and one that needs that is reported", () => {
    const evil = (pattern: string): JsonObject => ({ type: "object", properties: { s: { type: "string", pattern } } });
    const text = JSON.stringify({ s: `${"a".repeat(50)}!` });
    expect(withSchema(text, evil("^(a+)+$"))).toMatchObject({
      type: "invalid",
      reason: expect.stringContaining("pattern"),
    });
    expect(withSchema(text, evil("^(a+)+!$"))).toMatchObject({ type: "ok", repairs: [] });
    expect(withSchema(text, evil("^(a+)\\1$"))).toMatchObject({ type: "ok", repairs: ["schema-unchecked"] });
  });

  it("a property that is called pattern is still checked", () => {
    const own: JsonObject = { type: "object", properties: { pattern: { type: "integer" } } };
    expect(withSchema('{"pattern":"x"}', own)).toMatchObject({ type: "invalid" });
  });

  it("references that double at every level end with the steps, which is reported", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        n === 39 ? { type: "integer" } : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    );
    expect(withSchema('{"a":1}', { $defs, properties: { a: { $ref: "#/$defs/d0" } } })).toMatchObject({
      type: "ok",
      repairs: ["schema-unchecked"],
    });
  });

  it("references to nowhere, to themselves and too deep are reported", () => {
    for (const bad of [{ $ref: "#/$defs/gone" }, { $ref: "#" }] satisfies readonly JsonObject[]) {
      expect(withSchema("{}", bad)).toMatchObject({ type: "ok", repairs: ["schema-unchecked"] });
    }
  });
});

// The final answer in the form that was asked for, and the answers that are refused.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../src/core/messages.ts";
import { OutputNormalizer } from "../../src/formats/OutputNormalizer.ts";

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
    expect(result).toMatchObject({ type: "invalid", reason: expect.stringContaining("#/day") });
    expect(result).toMatchObject({ reason: expect.stringContaining("integer") });
    expect(withSchema('{"day":3}')).toMatchObject({ reason: expect.stringContaining("port") });
  });

  it("json_object wants an object", () => {
    expect(asObject("[1]")).toEqual({
      type: "invalid",
      reason: "the JSON does not fit, at the root: an object is expected",
    });
    expect(asObject("3")).toMatchObject({ type: "invalid" });
  });

  it("nesting without end is refused, not followed", () => {
    expect(asObject(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)).toMatchObject({ type: "invalid" });
    expect(asObject("{".repeat(300_000))).toMatchObject({ type: "invalid" });
  });
});

describe("a hostile schema", () => {
  it("cannot make a pattern run", () => {
    const evil: JsonObject = { type: "object", properties: { s: { type: "string", pattern: "^(a+)+$" } } };
    const text = JSON.stringify({ s: `${"a".repeat(50)}!` });
    expect(withSchema(text, evil)).toMatchObject({ type: "ok" });
  });

  it("a property that is called pattern is still checked", () => {
    const own: JsonObject = { type: "object", properties: { pattern: { type: "integer" } } };
    expect(withSchema('{"pattern":"x"}', own)).toMatchObject({ type: "invalid" });
  });

  it("references that double at every level end in a refusal", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        n === 39 ? { type: "integer" } : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    );
    expect(withSchema('{"a":1}', { $defs, properties: { a: { $ref: "#/$defs/d0" } } })).toMatchObject({
      type: "invalid",
      reason: expect.stringContaining("steps"),
    });
  });

  it("references to nowhere, to themselves, too deep and too large end in a refusal", () => {
    let deep: JsonObject = { type: "integer" };
    for (let n = 0; n < 100; n++) deep = { items: deep };
    for (const bad of [
      { $ref: "#/$defs/gone" },
      { $ref: "#" },
      deep,
      { description: "x".repeat(300 * 1024) },
    ] satisfies readonly JsonObject[]) {
      expect(withSchema("{}", bad)).toMatchObject({ type: "invalid", reason: expect.stringContaining("schema") });
    }
  });
});

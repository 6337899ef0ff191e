// Arguments follow the schema without loss, edits stay at their spans, and what does not fit is refused with a reason.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonObject, ToolSpec } from "../../../../src/core/messages.ts";
import type { Argument, CandidateArguments } from "../../../../src/formats/decoders/CallCandidate.ts";
import { type FitResult, fitCall } from "../../../../src/formats/validation/fitCall.ts";
import { jsonArguments } from "../../../support/candidateArguments.ts";
import { runsOf } from "../../../support/sample.ts";

const properties: JsonObject = {
  i: { type: "integer" },
  n: { type: "number" },
  s: { type: "string" },
  b: { type: "boolean" },
  a: { type: "list", items: { type: "int32" } },
  o: { type: "dict", properties: { x: { type: "float" } }, required: ["x"] },
  unit: { type: "string", enum: ["celsius", "fahrenheit"] },
  maybe: { type: ["string", "null"] },
  either: { anyOf: [{ type: "integer" }, { type: "string" }] },
  all: { allOf: [{ type: "number" }, { enum: [1, 2] }] },
  tree: { $ref: "#/$defs/Tree" },
  maxItems: { type: "integer" },
  free: {},
};
const tree: JsonObject = { type: "object", properties: { q: { type: "integer" }, sub: { $ref: "#/$defs/Tree" } } };
const tools: readonly ToolSpec[] = [
  { name: "f", parameters: { type: "object", properties, $defs: { Tree: tree } } },
  {
    name: "weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city"],
    },
  },
  { name: "run_code", parameters: { type: "object", properties: { code: { type: "string" } }, required: ["code"] } },
  {
    name: "closed",
    parameters: { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
  },
  { name: "bare" },
];

function fit(name: string, given: string | CandidateArguments, offered = tools): FitResult {
  const args: CandidateArguments = typeof given === "string" ? jsonArguments(given) : given;
  return fitCall({ name, arguments: args, repairs: [] }, { tools: offered, family: "test", raw: "raw", at: 3 });
}

function argumentsOf(result: FitResult): string {
  return result.type === "call" ? result.arguments : `${result.issue.code}: ${result.issue.message}`;
}

describe("arguments that fit", () => {
  it("leave with their very characters", () => {
    const text = '{"n" : 1.50, "i": 12345678901234567890,  "free": {"k": [1e2]}}';
    expect(fit("f", text)).toEqual({ type: "call", name: "f", arguments: text, repairs: [] });
  });

  it("stay verbatim whatever is in them where the tool has no schema", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(argumentsOf(fit("bare", text))).toBe(text);
      }),
    );
  });

  it.each([["null"], ['""'], ["{}"], ['"{}"']])("are an empty object where the wire has %j", (text) => {
    expect(argumentsOf(fit("bare", text))).toBe("{}");
  });
});

describe("coercion by the schema", () => {
  it.each<[string, string, string]>([
    ['{"i": "3", "n":"2.5"}', '{"i": 3, "n":2.5}', "string-to-integer,string-to-number"],
    ['{"i":"12345678901234567890"}', '{"i":12345678901234567890}', "string-to-integer"],
    ['{"i":5.0}', '{"i":5}', "number-to-integer"],
    ['{"n":5}', '{"n":5}', ""],
    ['{"s":"02139"}', '{"s":"02139"}', ""],
    ['{"s":2139}', '{"s":"2139"}', "number-to-string"],
    ['{"b":"True"}', '{"b":true}', "string-to-boolean"],
    ['{"b":"yes"}', '{"b":true}', "string-to-boolean"],
    ['{"a":"[1, \\"2\\"]"}', '{"a":[1, 2]}', "string-to-array,string-to-integer"],
    ["{\"o\":\"{'x': '1.5'}\"}", '{"o":{"x": 1.5}}', "string-to-object,quotes,string-to-number"],
    ['{"unit":"Celsius"}', '{"unit":"celsius"}', "enum-spelling"],
    ['{"maybe":null}', '{"maybe":null}', ""],
    ['{"maybe":"null"}', '{"maybe":"null"}', ""],
    ['{"either":"3"}', '{"either":"3"}', ""],
    ['{"either":3}', '{"either":3}', ""],
    ['{"all":"2"}', '{"all":2}', "string-to-integer"],
    ['{"tree":{"sub":{"sub":{"q":"1"}}}}', '{"tree":{"sub":{"sub":{"q":1}}}}', "string-to-integer"],
    ['{"i":null, "n":1}', '{"n":1}', "null-dropped"],
    ['{"n":1, "i":null}', '{"n":1}', "null-dropped"],
    ['{"i":null,"b":null}', "{}", "null-dropped"],
    ['{"i":1, "i":2}', '{"i":2}', "duplicate-key"],
    ['{"max_items":3}', '{"maxItems":3}', "parameter-name"],
    ['{"Max-Items":"3"}', '{"maxItems":3}', "parameter-name,string-to-integer"],
    ['{"arguments":{"i":"3"}}', '{"i":3}', "unwrapped,string-to-integer"],
    ['{"type":"object","properties":{"i":3}}', '{"i":3}', "schema-echo,unwrapped"],
    ['"{\\"i\\":3}"', '{"i":3}', ""],
    ['[{"i":3}]', '{"i":3}', "unwrapped"],
    ['{"__proto__":{"x":1},"constructor":2}', '{"__proto__":{"x":1},"constructor":2}', ""],
  ])("%s becomes %s", (text, expected, repairs) => {
    const result = fit("f", text);
    expect(argumentsOf(result)).toBe(expected);
    expect(result.type === "call" && result.repairs.join()).toBe(repairs);
  });

  it.each<[string, string]>([
    ['{"i":"three"}', 'parameter "i" must be integer, got the string "three"'],
    ['{"n":"NaN"}', 'parameter "n" must be number'],
    ['{"n":1e400}', "range of a double"],
    ['{"n":1E-9999999999}', "range of a double"],
    [`{"free":${"9".repeat(1_000_000)}}`, "at most 1000 digits"],
    ['{"free":[1e400]}', "range of a double"],
    ['{"b":3}', 'parameter "b" must be boolean'],
    ['{"s":true}', 'parameter "s" must be string'],
    ['{"a":1}', 'parameter "a" must be array'],
    ['{"o":{}}', 'parameter "o.x" is required (number) and missing'],
    ['{"unit":"kelvin"}', 'must be one of "celsius", "fahrenheit", got the string "kelvin"'],
    ['{"i":"x","b":3}', 'parameter "i" must be integer, got the string "x"; parameter "b" must be boolean'],
    ["[1, 2]", "must be one object"],
    ['{"i":1', "no JSON that can be read"],
  ])("%# refuses what does not fit and says why", (text, message) => {
    expect(argumentsOf(fit("f", text))).toMatch(/^invalid-arguments: /);
    expect(argumentsOf(fit("f", text))).toContain(message);
  });

  it("refuses a fraction for an integer: the schema is the contract", () => {
    for (const text of ['{"i":5.5}', '{"i":"5.5"}', '{"i":-0.5}']) {
      expect(argumentsOf(fit("f", text))).toContain('parameter "i" must be integer');
    }
    expect(argumentsOf(fit("f", '{"i":5.0}'))).toBe('{"i":5}');
  });

  it("passes such a fraction on where the operator says so, reports it, and never to a strict tool", () => {
    const candidate = { name: "f", arguments: jsonArguments('{"i":5.5}'), repairs: [] };
    const lenient = { tools, fractions: true, family: "native", raw: "" };
    expect(fitCall(candidate, lenient)).toMatchObject({ arguments: '{"i":5.5}', repairs: ["fraction-for-integer"] });
    const strict = tools.map((tool) => ({ ...tool, strict: true }));
    expect(fitCall(candidate, { ...lenient, tools: strict })).toMatchObject({ issue: { code: "invalid-arguments" } });
  });

  it("refuses unknown parameters only where the schema does", () => {
    expect(argumentsOf(fit("weather", '{"city":"x","hue":1}'))).toBe('{"city":"x","hue":1}');
    expect(argumentsOf(fit("closed", '{"hue":1}'))).toContain('parameter "hue" is no parameter; known are: a');
  });

  it("refuses a required parameter that is missing or null", () => {
    expect(argumentsOf(fit("weather", "{}"))).toContain('"city" is required (string) and missing');
    expect(argumentsOf(fit("weather", '{"city":null}'))).toContain('"city" must be string, got null');
  });
});

describe("arguments without types", () => {
  const raw = (key: string | undefined, value: string): Argument => ({ key, value, form: "raw" });
  const list = (...items: Argument[]): CandidateArguments => ({ type: "list", list: items });

  it("take their types from the schema, and strings stay as they are", () => {
    expect(
      argumentsOf(
        fit("f", list(raw("i", " 3 "), raw("s", "3"), raw("zip", "02139"), raw("either", "3"), raw("maybe", "null"))),
      ),
    ).toBe('{"i":3,"s":"3","zip":"02139","either":3,"maybe":null}');
  });

  it("keep white space that is data", () => {
    expect(argumentsOf(fit("run_code", list(raw("code", "  x = 1\n"))))).toBe('{"code":"  x = 1\\n"}');
  });

  it("keep the types of the wire where it has them", () => {
    expect(
      argumentsOf(fit("bare", list({ key: "a", value: "1", form: "json" }, { key: "b", value: "1", form: "string" }))),
    ).toBe('{"a":1,"b":"1"}');
  });

  it("go to the properties in their order where they have no names", () => {
    expect(argumentsOf(fit("weather", list(raw(undefined, "Oslo"), raw(undefined, "2"))))).toBe(
      '{"city":"Oslo","days":2}',
    );
    expect(argumentsOf(fit("weather", list(raw(undefined, "a"), raw(undefined, "2"), raw(undefined, "3"))))).toContain(
      "more than the tool has",
    );
  });

  it("keep a key such as __proto__ as data", () => {
    expect(argumentsOf(fit("bare", list(raw("__proto__", '{"x":1}'), raw("constructor", "2"))))).toBe(
      '{"__proto__":"{\\"x\\":1}","constructor":"2"}',
    );
  });
});

describe("free text", () => {
  const text = (value: string): CandidateArguments => ({ type: "text", text: value });

  it("is the one parameter it can be for", () => {
    expect(argumentsOf(fit("weather", text("Oslo")))).toBe('{"city":"Oslo"}');
    expect(argumentsOf(fit("weather", text('"Oslo"')))).toBe('{"city":"Oslo"}');
  });

  it("is the arguments where it is their JSON", () => {
    expect(argumentsOf(fit("weather", text("{'city': 'Oslo', 'days': '2'}")))).toBe('{"city": "Oslo", "days": 2}');
  });

  it("stays text where its JSON has none of the tool's parameters", () => {
    expect(argumentsOf(fit("run_code", text('{"x": 1}')))).toBe('{"code":"{\\"x\\": 1}"}');
  });

  it("is never made of JSON that was cut", () => {
    expect(argumentsOf(fit("run_code", text('{"code": "pri')))).toContain("no JSON that can be read");
  });

  it("is refused where several parameters could be meant", () => {
    expect(argumentsOf(fit("f", text("hello")))).toContain("must be one JSON object");
  });

  it("is refused where nobody could read it as arguments", () => {
    expect(argumentsOf(fit("run_code", { type: "unreadable", text: "x" }))).toContain("no JSON that can be read");
  });
});

describe("arguments that are too large to be fitted", () => {
  const many = `{"i": "7", "free": [${"1, ".repeat(20_000)}1]}`;

  it("leave as they came where they are a whole object, and say that nobody checked them", () => {
    expect(fit("F", { type: "oversized", text: many })).toEqual({
      type: "call",
      name: "f",
      arguments: many,
      repairs: ["name-case", "schema-unchecked"],
    });
    expect(argumentsOf(fit("nobody", { type: "oversized", text: many }))).toMatch(/^unknown-tool/);
  });

  it("are refused with the limit where they would have to be mended first", () => {
    const loose = `{'i': 7, 'free': [${"1, ".repeat(10_001)}1]}`;
    const long = `{'s': '${"x y ".repeat(70_000)}'}`;
    const keyed = `{${Array.from({ length: 5_100 }, (_, i) => `'k${i}': 1`).join(", ")}}`;
    for (const given of [loose, long, keyed])
      expect(argumentsOf(fit("f", { type: "unreadable", text: given }))).toContain(
        "10,000 values and keys or 262,144 characters",
      );
    expect(argumentsOf(fit("f", '{"i":1'))).not.toContain("values");
  });
});

describe("an issue", () => {
  it("names the offered tools where the name is unknown, without a hidden character", () => {
    const result = fit("ѕend\r\n", "{}");
    expect(result).toEqual({
      type: "issue",
      issue: {
        code: "unknown-tool",
        message: 'There is no tool "\\u0455end\\r\\n". The tools are: f, weather, run_code, closed, bare.',
        family: "test",
        at: 3,
        raw: "raw",
      },
    });
  });

  it("bears the tool that was meant and the id of a native call", () => {
    const result = fitCall(
      { name: "weather", id: "call_1", arguments: jsonArguments("{}"), repairs: [] },
      { tools, family: "native", raw: "" },
    );
    expect(result.type === "issue" && result.issue).toMatchObject({ tool: "weather", callId: "call_1" });
  });
});

describe("hostile schemas", () => {
  const offer = (parameters: JsonObject): readonly ToolSpec[] => [{ name: "t", parameters }];

  it.each<[string, JsonObject]>([
    ["a reference to itself", { type: "object", properties: { a: { $ref: "#" } } }],
    ["a loop of references", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
    ["a foreign reference", { $ref: "http://127.0.0.1:1/schema.json" }],
    [
      "nonsense in each keyword",
      { type: ["string", "string", "object"], properties: null, required: "a", additionalProperties: 5 },
    ],
    ["keys of the prototype", { properties: { a: { default: { constructor: 1 } } }, required: ["a"] }],
    ["a pattern that explodes", { properties: { a: { type: "string", pattern: "^(a|a)*$" } } }],
  ])("with %s do no harm", (_, parameters) => {
    const text = '{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}';
    expect(argumentsOf(fit("t", text, offer(parameters)))).toMatch(/^(\{"a"|invalid-arguments)/);
  });

  it("with unions that multiply are given up in bounded time", () => {
    const union: JsonObject = {
      anyOf: Array.from({ length: 30 }, () => ({
        type: "object",
        properties: { a: { $ref: "#/$defs/u" } },
        required: ["z"],
      })),
    };
    const deep = `${'{"a":'.repeat(60)}1${"}".repeat(60)}`;
    const start = performance.now();
    fit("t", deep, offer({ type: "object", properties: { a: { $ref: "#/$defs/u" } }, $defs: { u: union } }));
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it("never make it throw, whatever the schema and the arguments", () => {
    const word = fc.constantFrom(
      "type",
      "properties",
      "items",
      "anyOf",
      "allOf",
      "oneOf",
      "enum",
      "const",
      "$ref",
      "required",
      "additionalProperties",
      "a",
      "b",
    );
    const leaf = fc.oneof(
      fc.constantFrom("string", "integer", "object", "array", "#", "#/properties/a", "a", true, false, null, 1),
      fc.string(),
    );
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.dictionary(
        word,
        fc.oneof({ maxDepth: 4 }, leaf, tie("schema"), fc.array(fc.oneof(leaf, tie("schema")), { maxLength: 3 })),
        { maxKeys: 4 },
      ),
    }));
    const form = fc.constantFrom("json" as const, "text" as const);
    fc.assert(
      fc.property(schema, form, fc.oneof(fc.json(), fc.string()), (parameters, type, text) => {
        const result = fit("t", type === "json" ? text : { type, text }, offer(parameters));
        if (result.type === "call") expect(JSON.parse(result.arguments)).toBeInstanceOf(Object);
      }),
      { numRuns: runsOf(2000) },
    );
  });
});

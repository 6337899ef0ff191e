// Strict JSON stays itself, mended JSON means what was written, and what is cut or ambiguous is refused in linear time.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { decodeJson } from "../../../../src/formats/decoders/decodeJson.ts";
import { runsOf } from "../../../support/sample.ts";

const textOf = (text: string): string | undefined => decodeJson(text)?.text;
const meaningOf = (text: string): unknown => JSON.parse(textOf(text) ?? '"refused"');

describe("strict JSON", () => {
  it("is forwarded verbatim, big numbers and key order included", () => {
    const text = '{"z": 1.50, "id": 12345678901234567890,\n "a": "\\u00e9"}';
    expect(decodeJson(text)).toMatchObject({ text, repairs: [] });
  });

  it("is forwarded verbatim whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "medium" }), fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(decodeJson(text)).toMatchObject({ text, repairs: [] });
      }),
    );
  });

  it("is refused where it is nested deeper than 64", () => {
    expect(textOf(`${"[".repeat(64)}${"]".repeat(64)}`)).toBeDefined();
    expect(textOf(`${"[".repeat(65)}${"]".repeat(65)}`)).toBeUndefined();
  });

  it("is refused where it holds more values than one slice of the event loop can fit, however short", () => {
    expect(textOf(JSON.stringify(Array(19_999).fill(1)))).toBeDefined();
    expect(textOf(JSON.stringify(Array(20_001).fill(1)))).toBeUndefined();
    expect(textOf(`[${"{},".repeat(200_000)}1]`)).toBeUndefined();
  });

  it("may be one long string", () => {
    expect(textOf(JSON.stringify({ file: 'const x = "a, b, c";\n'.repeat(40_000) }))).toBeDefined();
  });

  it("does not count brackets inside strings as depth", () => {
    const text = JSON.stringify({ s: '"['.repeat(100_000) });
    expect(textOf(text)).toBe(text);
  });
});

describe("broken JSON that can mean one thing only", () => {
  it.each<[string, string, unknown]>([
    [
      "single quotes with an apostrophe in the value",
      `{'name':'get','arguments':{'city':"O'Hara's"}}`,
      { name: "get", arguments: { city: "O'Hara's" } },
    ],
    ["an apostrophe inside single quotes", "{'text': 'I don't know'}", { text: "I don't know" }],
    ["unescaped inner quotes", '{"text":"He said "go" and left"}', { text: 'He said "go" and left' }],
    ["inner quotes at the very end", '{"a": "He said "hi"", "b": "x"}', { a: 'He said "hi"', b: "x" }],
    ["trailing commas", '{"a":1,"b":[2,],}', { a: 1, b: [2] }],
    ["a missing comma between members", '{"a":"1" "b":2}', { a: "1", b: 2 }],
    [
      "bare keys and words",
      "{name: get_weather, arguments: {city: New York}}",
      { name: "get_weather", arguments: { city: "New York" } },
    ],
    ["Python literals", '{"a":True,"b":None}', { a: true, b: null }],
    [
      "comments outside strings only",
      '/* plan */ {"f": 1, // pick\n "u":"http://h/a//b"}',
      { f: 1, u: "http://h/a//b" },
    ],
    ["doubled braces of a template", '{{"name": "x", "arguments": {{"a": 1}}}}', { name: "x", arguments: { a: 1 } }],
    ["spare closers behind the value", '{"a":1}}', { a: 1 }],
    ["the torso of an end mark", '{"a":1}</tool_call', { a: 1 }],
    ["smart quotes and full-width punctuation", "{“a”：1，“b”：“x”}", { a: 1, b: "x" }],
    ["escaped quotes around everything", '{\\"a\\": \\"b\\"}', { a: "b" }],
    ["entities around everything", "{&quot;port&quot;: 1}", { port: 1 }],
    ["raw line breaks in a string", '{"a": "line\n\tline"}', { a: "line\n\tline" }],
    ["needless escapes", '{"a\\_b": "x\\_y \\* \\\' \\$"}', { a_b: "x_y * ' $" }],
    ["a path with its backslashes", '{"p": "C:\\zemp"}', { p: "C:\\zemp" }],
    ["numbers in other spellings", '{"a": +5, "b": .5, "c": 5.}', { a: 5, b: 0.5, c: 5 }],
    ["digits that are no JSON number", '{"zip": 02139, "n": 1_000}', { zip: "02139", n: "1_000" }],
    ["strings to be joined", '{"q": "a" + "b"}', { q: "ab" }],
    ["triple quotes", '{"q": """say "x" """}', { q: 'say "x" ' }],
    ["a tuple", "{'a': ('x', 1)}", { a: ["x", 1] }],
    ["a fence around it", '```json\n{"a":1}\n```', { a: 1 }],
  ])("reads %s", (_, text, expected) => expect(meaningOf(text)).toEqual(expected));

  it("keeps NaN, Infinity and undefined as words, never as null or 0", () => {
    expect(meaningOf('{"c":NaN,"d":-Infinity,"e":undefined}')).toEqual({ c: "NaN", d: "-Infinity", e: "undefined" });
  });

  it("says what it mended", () => {
    expect(decodeJson("{'a': True,}")?.repairs).toEqual(["quotes", "python-literal", "json-repair"]);
  });

  it("keeps the digits of a big number beside a repair", () => {
    expect(textOf("{'id': 12345678901234567890}")).toBe('{"id": 12345678901234567890}');
  });
});

describe("text that is not one whole value", () => {
  it.each([
    ["a missing closer", '{"a":{"b":1}'],
    ["a list that never closed", '[{"name":"f"},{"name":"g"},'],
    ["a string that never closed", '{"a": "b'],
    ["two values", '{"a":1}{"b":2}'],
    ["inner quotes that would split the string in two", '{"text":"He said "go", "x": and left"}'],
    ["an inch mark", '{"size": "5" disk", "b": 1}'],
    ["two strings side by side", '["a" "b"]'],
    ["a key without a value", '{"a":"b","c"}'],
    ["an empty value", '{"a":,"b":1}'],
    ["an operation", '{"a": 9**9}'],
    ["a sum of names", '{"a": x + 1}'],
    ["a subscript", `{"a": data['sales']}`],
    ["a call", '{"a": now()}'],
    ["an ellipsis", '{"a": [1, 2, ...]}'],
    ["a set", '{"a": {1, 2}}'],
    ["prose", "hello world"],
    ["nothing", ""],
  ])("is refused: %s", (_, text) => expect(decodeJson(text)).toBeUndefined());
});

describe("hostile text", () => {
  it("never throws, and what it reads is strict JSON", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"',
      "'",
      "\\",
      "a",
      " ",
      "\n",
      "1",
      "-",
      "None",
      "/*",
      "*/",
      "//",
      "#",
      "+",
      "“",
      "&quot;",
      "(",
      ")",
      "```",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = textOf(pieces.join(""));
        if (text !== undefined) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: runsOf(3000) },
    );
  });

  it.each<[string, (n: number) => string]>([
    ["brackets that open", (n) => "[".repeat(n)],
    ["nested brackets", (n) => "[".repeat(n) + "]".repeat(n)],
    ["quotes", (n) => `{"a":${'"'.repeat(n)}}`],
    ["backslashes", (n) => `{'a':"${"\\".repeat(n)}"}`],
    ["quotes with blanks", (n) => `{"a":"${'" '.repeat(n)}}`],
    ["would-be members", (n) => `{"a":"${'", "b" '.repeat(n)}}`],
    ["missing commas", (n) => `{'a':1 ${'"b":2 '.repeat(n)}}`],
    ["spare commas", (n) => `{'a':[1${",".repeat(n)}]}`],
    ["joined strings", (n) => `{'a':"x"${'+"y"'.repeat(n)}}`],
    ["comments", (n) => "#\n".repeat(n)],
    ["words", (n) => `{'a':${"x ".repeat(n)}}`],
    ["digits", (n) => `{'a':${"9".repeat(n)}}`],
    ["entities", (n) => `{&quot;${"&".repeat(n)}`],
    ["escapes", (n) => `{\\"a\\":${"\\".repeat(n)}`],
  ])("does little work on a megabyte of %s", (_, make) => {
    const start = performance.now();
    decodeJson(make((1_000_000 / make(1000).length) * 1000));
    // A quadratic reading of these takes minutes; a linear one less than a second.
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

describe("JSON that is mended", () => {
  it("may hold half as many values, and be a quarter of a megabyte long", () => {
    expect(textOf(`['a',${"1,".repeat(9_000)}1]`)).toBeDefined();
    expect(textOf(`['a',${"1,".repeat(11_000)}1]`)).toBeUndefined();
    expect(textOf(`{'file': '${"x y ".repeat(60_000)}'}`)).toBeDefined();
    expect(textOf(`{'file': '${"x y ".repeat(70_000)}'}`)).toBeUndefined();
  });
});

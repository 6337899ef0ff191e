import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { decodePython, type PythonOptions } from "../../../../src/formats/decoders/decodePython.ts";
import { runsOf } from "../../../support/sample.ts";

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  f: ["a", "b", "c", "body", "location", "include"],
  g: ["x", "y"],
  "math.gcd": ["num1", "num2"],
  "get weather-now/v2": ["city"],
};
const OPTIONS: PythonOptions = {
  callableNames: Object.keys(PARAMETERS),
  knownParameters: (tool) => PARAMETERS[tool] ?? [],
};

/** Calls as `name` and an array of `[key, value]`, values parsed. */
function read(body: string) {
  return decodePython(body, OPTIONS)?.map((call) => {
    if (call.arguments.type !== "list") throw new Error("a Python call has a list of arguments");
    return [call.name, ...call.arguments.list.map(({ key, value }) => [key, JSON.parse(value)])];
  });
}

function lexemes(body: string) {
  return decodePython(body, OPTIONS)?.flatMap((call) =>
    call.arguments.type === "list" ? call.arguments.list.map(({ value }) => value) : [],
  );
}

const A1 = ["f", ["a", 1]];
const G = ["g"];

describe("the shapes in which calls are written", () => {
  it.each([
    ["one call", "f(a=1)", [A1]],
    ["a list", "[f(a=1), g()]", [A1, G]],
    ["a list with a trailing comma", "[f(a=1), g(),]", [A1, G]],
    ["semicolons", "f(a=1); g();", [A1, G]],
    ["a call a line", "f(a=1)\n\n  g()\n", [A1, G]],
    ["commas on the top level", "f(a=1), g()", [A1, G]],
    ["lists on lines of their own", "[f(a=1)]\n[g()]", [A1, G]],
    ["a list of lists", "[[f(a=1)], [g()]]", [A1, G]],
    ["a list of strings", `["f(a=1)", 'g()']`, [A1, G]],
    ["a string with quotes inside", `['f(a="x")']`, [["f", ["a", "x"]]]],
    ["a set of strings", `[{'f(a=1)'}]`, [A1]],
    ["a printed call", "print(f(a=1))\nprint(g())", [A1, G]],
    ["an assigned call whose result is printed", "x = f(a=1)\nprint(x)", [A1]],
    ["an assigned list", "calls = [f(a=1), g()]", [A1, G]],
    ["an awaited call", "await f(a=1)", [A1]],
    ["comments", "# first\nf(a=1)  # one\n# second\ng()", [A1, G]],
    ["a quoted callee", `["f"(a=1)]`, [A1]],
    ["pairs of a name and a dict", `[('f', {'a': 1}), 'g', {}]`, [A1, G]],
    ["a name and its arguments as strings", `['f', 'a=1', 'b="x"']`, [["f", ["a", 1], ["b", "x"]]]],
    ["a name and its brackets as strings", `['f', '(a=1)', 'g', '()']`, [A1, G]],
    ["Markdown escapes", "\\[f(a=1), math.gcd(num\\_1=2)\\]", [A1, ["math.gcd", ["num_1", 2]]]],
    ["a name that is no Python name", "[get weather-now/v2(city='x')]", [["get weather-now/v2", ["city", "x"]]]],
    ["a name that nobody offered", "default_api.f(a=1)", [["default_api.f", ["a", 1]]]],
    ["a colon for the equals sign", `f(a: 1, "b": 2)`, [["f", ["a", 1], ["b", 2]]]],
    ["positional arguments", "f(1, 'x', c=2)", [["f", [undefined, 1], [undefined, "x"], ["c", 2]]]],
    ["a dict as the only argument", "f({'a': 1, 'b': [2]})", [["f", ["a", 1], ["b", [2]]]]],
    ["a dict whose keys the schema does not know", "f({'q': 1})", [["f", [undefined, { q: 1 }]]]],
  ])("reads %s", (_, body, calls) => {
    expect(read(body)).toEqual(calls);
  });

  it.each([
    ["no call", "[]"],
    ["nothing", ""],
    ["prose", "I would call f with a=1."],
    ["prose behind a call", "f(a=1) gives one"],
    ["unpacked keywords", "f(**{'a': 1})"],
    ["unpacked lists", "[g(*[1, 2])]"],
    ["a positional argument behind a keyword", "f(a=1, 2)"],
    ["arithmetic", "f(a=9**9**9)"],
    ["a sum of calls", "[f(a=1) + g()]"],
    ["a variable", "f(a=returns)"],
    ["an attribute", "f(a=x.b)"],
    ["a subscript", "f(a=data['sales'])"],
    ["a subscript of a result", "f(a=1)['x']"],
    ["a placeholder", "f(a=<previous_result>)"],
    ["a shell variable", "f(a=$previous)"],
    ["a result that is used", "x = f(a=1)\ng(x=x)"],
    ["control flow", "for i in [1]:\n  f(a=i)"],
    ["an import", "import json\nf(a=1)"],
    ["an unknown function as a value", "f(a=len('x'))"],
    ["a lambda", "f(a=lambda x: x)"],
    ["a comprehension", "f(a=[x for x in y])"],
    ["a field in an f-string", "f(a=f'{x}')"],
    ["a named character", "f(a='\\N{DASH}')"],
    ["an open bracket", "f(a=1"],
    ["an open list", "[f(a=1), g()"],
    ["an open string", "f(a='x)"],
    ["one bad element in a list", "[f(a=1), f(a=b)]"],
    ["a dict of calls", "[{'name': 'f', 'arguments': {'a': 1}}]"],
    ["an offered name alone", "['f']"],
    ["an open inner quote", "f(b=['age>25', 'job='engineer'])"],
  ])("refuses %s", (_, body) => {
    expect(decodePython(body, OPTIONS)).toBeUndefined();
  });

  it("refuses nested calls", () => {
    expect(read("[f(a=g(x=1), b=2), f(c=3)]")).toBeUndefined();
    expect(read("f(a=len('x'))")).toBeUndefined();
  });

  it("gives a key like __proto__ as data", () => {
    expect(lexemes('f(__proto__={"x":1}, constructor=2)')).toEqual(['{"x":1}', "2"]);
  });
});

describe("values", () => {
  it.each([
    ["True", "true"],
    ["null", "null"],
    ["None", "null"],
    ["12345678901234567890", "12345678901234567890"],
    ["1e+21", "1e+21"],
    ["-.5", "-0.5"],
    ["5.", "5.0"],
    ["+5", "5"],
    ["- 5", "-5"],
    ["1_000", '"1_000"'],
    ["0x1F", '"0x1F"'],
    ["0o777", '"0o777"'],
    ["-0b1", '"-0b1"'],
    ["007", '"007"'],
    ["1e309", '"1e309"'],
    ["-inf", '"-inf"'],
    ["nan", '"nan"'],
    ["'a' 'b'", '"ab"'],
    ["'a' + \"b\"", '"ab"'],
    ["r'\\d'", '"\\\\d"'],
    ["b'x'", '"x"'],
    ["f'x'", '"x"'],
    ["'''a\n'b''''", undefined],
    ["'''a\n'b' '''", "\"a\\n'b' \""],
    ["'\\x41\\u00e9\\101\\'\\q'", '"AéA\'\\\\q"'],
    ["'\\ud800'", '"\\ud800"'],
    ["[1, (2,), {3}, (4), ()]", "[1,[2],[3],4,[]]"],
    ["{\"a\": {}, 'b': [None], 1: 2, c: 3}", '{"a":{},"b":[null],"1":2,"c":3}'],
    ["dict(x=1, y=dict())", '{"x":1,"y":{}}'],
    ["-+-1", undefined],
    ["1 + 1", undefined],
    ["2j", undefined],
    ["Color.RED", undefined],
    ["{'a', 'b': 1}", undefined],
  ])("reads %s as %s", (source, json) => {
    expect(lexemes(`f(a=${source})`)).toEqual(json === undefined ? undefined : [json]);
  });
});

describe("strings that nobody quoted or escaped", () => {
  it.each([
    ["f(body='Let's meet at 10 AM', b='x')", "Let's meet at 10 AM", "unescaped-quote"],
    ["[f(body='I love it! It's fresh.')]", "I love it! It's fresh.", "unescaped-quote"],
    ['f(body="a "big" café", b=1)', 'a "big" café', "unescaped-quote"],
    ["f(body='he said 'no, never', then left', b=1)", "he said 'no, never', then left", "unescaped-quote"],
    ["f(location=New York, NY, include=True)", "New York, NY", "bare-word"],
    ["f(location=Paris, include=True)", "Paris", "bare-word"],
    ["f(body=a.b@example.com)", "a.b@example.com", "bare-word"],
    ["f(body=2024-10-11)", "2024-10-11", "bare-word"],
    ["['f(location=San Francisco, a=violent)']", "San Francisco", "bare-word"],
    ["f(body='two\nlines')", "two\nlines", "raw-newline"],
  ])("reads the first argument of %s", (body, value, repair) => {
    expect(read(body)?.[0]?.[1]?.[1]).toBe(value);
    expect(decodePython(body, OPTIONS)?.[0]?.repairs).toEqual([repair]);
  });

  it.each([
    ["a lower-case word with nothing beside it", "f(location=paris)"],
    ["a doubtful word beside a quoted string", "f(location=New York, a=violent, b='x')"],
    ["a constant", "f(location=MAX_SIZE)"],
    ["a parameter that the tool does not know", "f(place=New York)"],
    ["a condition", "f(location=x if y else z)"],
    ["a subtraction", "f(location=price - 10)"],
  ])("refuses %s", (_, body) => {
    expect(decodePython(body, OPTIONS)).toBeUndefined();
  });

  it("accepts no bare words without a schema", () => {
    expect(decodePython("f(location=New York)", { callableNames: ["f"] })).toBeUndefined();
  });
});

describe("any input", () => {
  it("gives back the values that were written as Python", () => {
    const key = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/).filter((name) => name !== "f");
    const args = fc.uniqueArray(fc.tuple(key, fc.jsonValue({ maxDepth: 4 })), { maxLength: 4, selector: ([k]) => k });
    fc.assert(
      fc.property(fc.array(args, { minLength: 1, maxLength: 3 }), (calls) => {
        const source = `[${calls.map((list) => `f(${list.map(([k, v]) => `${k}=${repr(v)}`).join(", ")})`).join(", ")}]`;
        expect(read(source)).toEqual(calls.map((list) => ["f", ...list.map(([k, v]) => [k, plain(v)])]));
      }),
      { numRuns: runsOf(500) },
    );
  });

  it("never throws, and gives JSON values only", () => {
    const piece = fc.constantFrom(
      ..."fg(){}[]=,:'\"\\#; \n-+.1e*_$",
      "a=",
      "f(",
      "'''",
      "True",
      "print(",
      "dict(",
      "x",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))), (pieces) => {
        read(pieces.join(""));
      }),
      { numRuns: runsOf(3000) },
    );
  });

  it.each([
    ["nested calls", `[${"f(a=b,".repeat(2000)}`],
    ["nested calls with keys", `[${"f(a=f(b=1),".repeat(20_000)}`],
    ["open brackets", "[".repeat(100_000)],
    ["open brackets in an argument", `f(${"[".repeat(20_000)}`],
    ["open dicts", `f(a=${"{'a':".repeat(20_000)}`],
    ["unclosed quotes and hashes", `f(a='${"'#".repeat(300_000)}`],
    ["quotes and commas", `f(a='${"', '".repeat(200_000)}`],
    ["quotes and blanks", `f(a='${"'  ".repeat(300_000)}`],
    ["escapes", `f(a='${"\\x41".repeat(250_000)}')`],
    ["words and commas", `f(location=${"New York, ".repeat(100_000)})`],
    ["digits", `f(a=${"1".repeat(1_000_000)})`],
    ["underscored digits", `f(a=${"1_".repeat(500_000)}.`],
    ["signs", `f(a=${"-".repeat(1_000_000)}1)`],
    ["assignments", "x=".repeat(300_000)],
    ["strings in strings", `["${"f(a='x'), ".repeat(100_000)}"]`],
    ["a long name", "a.".repeat(500_000)],
  ])("does little work on a megabyte of %s", (_, body) => {
    const start = performance.now();
    decodePython(body, OPTIONS);
    // A quadratic reading of these takes minutes; a linear one some ten milliseconds.
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  it("reads a million characters in one string, and depth 60 but not 70", () => {
    expect(read(`f(a='${"x[".repeat(500_000)}')`)?.[0]?.[1]?.[1]).toHaveLength(1_000_000);
    expect(decodePython(`f(a=${"[".repeat(60)}${"]".repeat(60)})`, OPTIONS)).toHaveLength(1);
    expect(decodePython(`f(a=${"[".repeat(70)}${"]".repeat(70)})`, OPTIONS)).toBeUndefined();
  });
});

/** As Python writes a JSON value. */
function repr(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") {
    const inner = value.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n");
    return `'${inner}'`;
  }
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  return `{${Object.entries(Object(value))
    .map(([key, inner]) => `${repr(key)}: ${repr(inner)}`)
    .join(", ")}}`;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { parse, stringify, type ToStringOptions } from "yaml";
import { decodeYaml, readYamlBlock, type YamlMember } from "../../../../src/formats/decoders/decodeYaml.ts";
import { runsOf } from "../../../support/sample.ts";

function read(body: string) {
  const call = decodeYaml(body);
  if (call?.arguments.type !== "list") return undefined;
  return [call.name, ...call.arguments.list.map(({ key, value, form }) => [key, value, form])];
}

function plainly(members: readonly YamlMember[]): unknown {
  return Object.fromEntries(
    members.map(({ key, value, form, members: inner }) => [
      key,
      inner ? plainly(inner) : form === "json" ? JSON.parse(value) : value,
    ]),
  );
}

describe("a call as YAML", () => {
  it("leaves plain scalars untyped, so that no, dates and numbers are the schema's word", () => {
    expect(read("name: f\narguments:\n  a: no\n  b: 2024-01-02\n  c: 007\n  d: ~\n")).toEqual([
      "f",
      ["a", "no", "raw"],
      ["b", "2024-01-02", "raw"],
      ["c", "007", "raw"],
      ["d", "~", "raw"],
    ]);
  });

  it.each([
    [
      "quoted scalars as strings",
      "name: f\narguments:\n  a: \"3\"\n  b: 'x'",
      ["f", ["a", "3", "string"], ["b", "x", "string"]],
    ],
    ["block scalars as strings", "name: f\narguments:\n  a: |\n    x: y\n    z\n", ["f", ["a", "x: y\nz\n", "string"]]],
    [
      "nested values as JSON",
      "name: f\narguments:\n  a: [1, {b: c}]\n  d:\n    e: x\n",
      ["f", ["a", '["1",{"b":"c"}]', "json"], ["d", '{"e":"x"}', "json"]],
    ],
    ["other words for both keys", "---\ntool: f\nparameters: {a: b}\n", ["f", ["a", "b", "raw"]]],
    [
      "words on several lines as one",
      'name: f\narguments:\n  a: one\n    two\n\n    three # four\n  b: "one\n    two"\n',
      ["f", ["a", "one two\nthree", "raw"], ["b", "one two", "string"]],
    ],
    [
      "a folded scalar, with what is indented further as it stands",
      "name: f\narguments:\n  a: >-\n    one\n    two\n\n    three\n      four\n  b: |2+\n     x\n\n",
      ["f", ["a", "one two\nthree\n  four", "string"], ["b", " x\n\n", "string"]],
    ],
    [
      "flow collections on several lines",
      'name: f\narguments:\n  a: [\n    1,\n    {"b":2, c: },\n    ]\n',
      ["f", ["a", '["1",{"b":"2","c":""}]', "json"]],
    ],
    [
      "lists of maps, also without indentation",
      "name: f\narguments:\n  a:\n  - b: 1\n    c: 2\n  - - x\n    -\n  d: http://e.f # g\n",
      ["f", ["a", '[{"b":"1","c":"2"},["x",""]]', "json"], ["d", "http://e.f", "raw"]],
    ],
    ["an empty map", "name: f\narguments:\n", ["f"]],
  ])("reads %s", (_, body, call) => {
    expect(read(body)).toEqual(call);
  });

  it.each([
    ["an anchor", "name: f\narguments:\n  a: &x 1\n"],
    ["an alias", "name: f\narguments: *x\n"],
    ["a tag", "name: f\narguments:\n  a: !!int 3\n"],
    ["another key", "name: f\narguments: {}\nand: more\n"],
    ["a name without arguments", "name: f\n"],
    ["arguments that are no map", "name: f\narguments: [1]\n"],
    ["a name that is a map", "name: {a: b}\narguments: {}\n"],
    ["a duplicate key", "name: f\nname: g\narguments: {}\n"],
    ["two documents", "name: f\narguments: {}\n---\nname: g\narguments: {}\n"],
    ["prose", "The name: is f"],
    ["a value that is a key too", "name: f\narguments:\n  a: b: c\n"],
    ["a key twice", "name: f\narguments:\n  a: 1\n  a: 2\n"],
    ["a tab as indentation", "name: f\narguments:\n\ta: 1\n"],
    ["lines that lean out", "name: f\narguments:\n   a: 1\n  b: 2\n"],
    ["an explicit key", "name: f\narguments:\n  ? a\n  : b\n"],
    ["an escape that JSON has not", 'name: f\narguments:\n  a: "\\x41"\n'],
    ["broken YAML", "name: f\narguments: {a: [b\n"],
  ])("refuses %s", (_, body) => {
    expect(decodeYaml(body)).toBeUndefined();
  });

  it.each([
    ["brackets", `name: ${"[".repeat(60_000)}`],
    ["dashes", `name:\n${"- ".repeat(30_000)}`],
    ["question marks", `name:\n${"? ".repeat(30_000)}`],
    [
      "indentation",
      `name: f\narguments:\n${Array.from({ length: 300 }, (_, i) => `${" ".repeat(i + 1)}a:`).join("\n")}`,
    ],
    ["blanks", `${" ".repeat(60_000)}x`],
    ["keys", `name: f\narguments:\n${"  a: b\n".repeat(8_000)}`],
    ["a megabyte", `name: f\narguments:\n  a: ${"x".repeat(1_000_000)}`],
  ])("does little work on hostile %s", (_, body) => {
    const start = performance.now();
    expect(decodeYaml(body)).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  it("reads what the language's own library writes as that library reads it", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom("a: b", "- x", "# c", "x\ny", "x\n\n  y\n", "\n\nx", " x", "it's", "~", ""),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.stringMatching(/^[a-z][a-z :'"-]{0,5}[a-z]$/), tie("tree"), { maxKeys: 3 }),
      ),
    }));
    const style = fc.record({
      indent: fc.constantFrom(2, 3, 4),
      lineWidth: fc.constantFrom(0, 20, 80),
      indentSeq: fc.boolean(),
      defaultStringType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
      collectionStyle: fc.constantFrom("any", "flow", "block"),
    });
    fc.assert(
      fc.property(tree, style, (value, options) => {
        const written = stringify({ name: "f", arguments: { a: value } }, options as ToStringOptions);
        const read = readYamlBlock(written);
        if (read !== undefined) expect(plainly(read)).toEqual(parse(written, { schema: "failsafe" }));
      }),
      { numRuns: runsOf(1_000) },
    );
  });

  it("never throws", () => {
    const piece = fc.constantFrom(..."{}[]:,\"'\n -&*!|>?#%", "name: f\n", "arguments:", "\n  a: ", "- ", "---\n");
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))), (pieces) => {
        decodeYaml(`name: f\narguments:${pieces.join("")}`);
      }),
      { numRuns: runsOf(2000) },
    );
  });
});

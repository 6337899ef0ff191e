import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { decodeYaml } from "../../../src/formats/bodies/decodeYaml.ts";

function read(body: string) {
  const call = decodeYaml(body);
  if (call?.arguments.type !== "list") return undefined;
  return [call.name, ...call.arguments.list.map(({ key, value, form }) => [key, value, form])];
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

  it("never throws", () => {
    const piece = fc.constantFrom(..."{}[]:,\"'\n -&*!|>?#%", "name: f\n", "arguments:", "\n  a: ", "- ", "---\n");
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))), (pieces) => {
        decodeYaml(`name: f\narguments:${pieces.join("")}`);
      }),
      { numRuns: 2000 },
    );
  });
});

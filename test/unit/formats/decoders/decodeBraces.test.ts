import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Argument } from "../../../../src/formats/decoders/CallCandidate.ts";
import type { BraceOptions } from "../../../../src/formats/decoders/decodeBraces.ts";
import { decodeBraces } from "../../../../src/formats/decoders/decodeBraces.ts";
import { runsOf } from "../../../support/sample.ts";

const Q = '<|"|>';
const OPTIONS: BraceOptions = {
  strings: [Q, "<escape>", "<ctrl46>"],
  knownParameters: () => ["port", "day", "body", "path", "a:b", "when"],
};

function read(body: string, options: Partial<BraceOptions> = {}) {
  return decodeBraces(body, { ...OPTIONS, ...options })?.map((call) => [call.name, ...listOf(call.arguments)]);
}

function listOf(args: { readonly type: string; readonly list?: readonly Argument[] }) {
  return (args.list ?? []).map(({ key, value, form }) => [key, value, form]);
}

describe("brace literals", () => {
  it.each([
    ["no arguments", "call:f{}", [["f"]]],
    [
      "delimited strings as raw data",
      `call:f{port:${Q}a "b", {c}: d\n${Q},day:3}`,
      [["f", ["port", 'a "b", {c}: d\n', "string"], ["day", "3", "json"]]],
    ],
    [
      "the numbers' own spelling",
      "call:f{day:1e+21,when:-0.5}",
      [["f", ["day", "1e+21", "json"], ["when", "-0.5", "json"]]],
    ],
    ["literal words", "call:f{day:null,port:true}", [["f", ["day", "null", "json"], ["port", "true", "json"]]]],
    [
      "nested values as JSON",
      `call:f{x:[[1, ${Q}t${Q}],{a:{B c:false}}],y:{}}`,
      [["f", ["x", '[[1,"t"],{"a":{"B c":false}}]', "json"], ["y", "{}", "json"]]],
    ],
    ["a key with spaces", "call:f{key with space:1.5e-05}", [["f", ["key with space", "1.5e-05", "json"]]]],
    ["a key with a colon that the schema knows", "call:f{a:b:x y}", [["f", ["a:b", "x y", "raw"]]]],
    ["a value with colons under a known key", "call:f{when:12:30}", [["f", ["when", "12:30", "raw"]]]],
    ["a key with a colon before a value that parses", "call:f{m:n:{o:1}}", [["f", ["m:n", '{"o":1}', "json"]]]],
    [
      "a JSON string",
      'call:f{port: "Br\\u00e9st", "day": 2}',
      [["f", ["port", "Brést", "string"], ["day", "2", "json"]]],
    ],
    [
      "unquoted text up to the next parameter",
      "call:f{port:New York, NY,day:3}",
      [["f", ["port", "New York, NY", "raw"], ["day", "3", "json"]]],
    ],
    [
      "unquoted text up to the final brace",
      "call:f{body:if (a) { b } else}",
      [["f", ["body", "if (a) { b } else", "raw"]]],
    ],
    ["an equals sign for the colon", "call:f{port=Brest}", [["f", ["port", "Brest", "raw"]]]],
    [
      "a namespace",
      "call:default_api:save-note{path:<ctrl46>a.md<ctrl46>}",
      [["save-note", ["path", "a.md", "string"]]],
    ],
    ["angle brackets around it", "<call:default_api:f{day:1}>", [["f", ["day", "1", "json"]]]],
    ["two calls", "call:f{day:1}\ncall:g{}", [["f", ["day", "1", "json"]], ["g"]]],
    ["a number as a delimited string", "call:f{day:<escape>5<escape>}", [["f", ["day", "5", "string"]]]],
    ["the same without its prefix", "f{day:1}", [["f", ["day", "1", "json"]]]],
    ["a key like __proto__ as data", "call:f{x:{__proto__:1}}", [["f", ["x", '{"__proto__":1}', "json"]]]],
  ])("reads %s", (_, body, calls) => {
    expect(read(body)).toEqual(calls);
  });

  it.each([
    ["no brace", "call:odd thing"],
    ["an open string", `call:f{port:${Q}Brest`],
    ["an open object", "call:f{day:3"],
    ["open unquoted text", "call:f{port:Brest"],
    ["text behind the call", "call:f{day:3} and more"],
    ["a member without a value", "call:f{day:[,]}"],
    ["a member without a key", "call:f{:3}"],
    ["a delimiter inside unquoted text", `call:f{port:a ${Q}b}`],
    ["nothing", ""],
  ])("refuses %s", (_, body) => {
    expect(decodeBraces(body, OPTIONS)).toBeUndefined();
  });

  it("lets one final brace be missing where the close mark was seen, and says so", () => {
    expect(decodeBraces("call:f{day:3", { ...OPTIONS, closed: true })?.[0]?.repairs).toEqual(["missing-brace"]);
    expect(read("call:f{x:{day:3", { closed: true })).toBeUndefined();
    expect(read(`call:f{port:${Q}Brest`, { closed: true })).toBeUndefined();
  });
});

describe("arrow literals", () => {
  it.each([
    [
      '{tool => "f", args => {\n  --port "Brest"\n  --day 3\n  --body a b\n}}',
      [["f", ["port", "Brest", "string"], ["day", "3", "raw"], ["body", "a b", "raw"]]],
    ],
    [
      '{tool => "f", args => {--port "say "hi" now" --x [1, {"y": null}]}}',
      [["f", ["port", 'say "hi" now', "string"], ["x", '[1,{"y":null}]', "json"]]],
    ],
    ['{"tool": "f", "params": {"port": "a", "day": [1]}}', [["f", ["port", "a", "string"], ["day", "[1]", "json"]]]],
    ["{tool => 'f', arguments => {}}", [["f"]]],
  ])("reads %s", (body, calls) => {
    expect(read(body)).toEqual(calls);
  });

  it.each([
    "{args => {}}",
    '{tool => "f", args => {--port}}',
    '{tool => "f", args => {--a 1}',
    '{tool => "f", other => 1}',
  ])("refuses %s", (body) => {
    expect(decodeBraces(body, OPTIONS)).toBeUndefined();
  });
});

describe("any input", () => {
  it("never throws", () => {
    const piece = fc.constantFrom(
      ..."{}[]:=,\"' \n>-",
      "call:",
      "f{",
      Q,
      "port:",
      "tool =>",
      "args => {",
      "--x ",
      "1",
      "null",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))), fc.boolean(), (pieces, closed) => {
        for (const lead of ["", "call:f{", '{tool => "f", args => {']) read(lead + pieces.join(""), { closed });
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it.each([
    ["open objects", `call:f{${"a:{".repeat(300_000)}`],
    ["open lists", `call:f{a:${"[".repeat(1_000_000)}`],
    ["colons", `call:f{${":".repeat(1_000_000)}`],
    ["keys of colons", `call:f{${"a:b:c:d:e:1,".repeat(80_000)}`],
    ["braces and blanks", `call:f{port:${"}  ".repeat(300_000)}`],
    ["commas and blanks", `call:f{port:${",  ".repeat(300_000)}`],
    ["blanks", `call:f{port:1}${" ".repeat(1_000_000)}x`],
    ["a name", "a:".repeat(500_000)],
    ["open delimiters", `call:f{port:${Q.repeat(200_000)}`],
    ["quotes", `call:f{port:${'"  '.repeat(300_000)}`],
    ["flags", `{tool => "f", args => {${"--a b ".repeat(150_000)}`],
  ])("does little work on a megabyte of %s", (_, body) => {
    const start = performance.now();
    decodeBraces(body, OPTIONS);
    // A quadratic reading of these takes minutes; a linear one some ten milliseconds.
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

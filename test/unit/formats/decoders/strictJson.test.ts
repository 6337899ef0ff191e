// What a reader hands on as JSON is strict, for nobody parses it again before it is fitted.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { CallCandidate } from "../../../../src/formats/decoders/CallCandidate.ts";
import { decodeBraces } from "../../../../src/formats/decoders/decodeBraces.ts";
import { decodePython } from "../../../../src/formats/decoders/decodePython.ts";
import { decodeContainer, decodeElements } from "../../../../src/formats/decoders/decodeXml.ts";
import { decodeYaml } from "../../../../src/formats/decoders/decodeYaml.ts";
import { readValue } from "../../../../src/formats/decoders/jsonTree.ts";
import { runsOf } from "../../../support/sample.ts";

const pieces = [
  ...["{", "}", "[", "]", "(", ")", ":", ",", "=", "<k>", "</k>", "<item>", "</item>", "\n  ", "- ", "a", "key", "g("],
  ...["'x'", '"y"', "'", '"', "\\", "\\n", "\\ud83d", "\ud83d", "\u0001", "True", "None", "inf", "nan", "null"],
  ...["1", "-", "+5", ".5", "5.", "007", "1_000", "0x1F", "1e309", "1e5", "-0", " ", "New York", "é"],
];
const body = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(""));

function typedValues(calls: readonly (CallCandidate | undefined)[] | undefined): readonly string[] {
  const lists = calls?.map((call) => (call?.arguments.type === "list" ? call.arguments.list : [])) ?? [];
  return lists.flat().flatMap((argument) => (argument.form === "json" ? [argument.value] : []));
}

describe("the JSON that a reader writes is strict", () => {
  it.each<[string, (text: string) => readonly string[]]>([
    ["Python", (text) => typedValues(decodePython(`f(a=${text})`, { callableNames: ["f"] }))],
    ["Python dicts", (text) => typedValues(decodePython(`f({'a': ${text}})`, { callableNames: ["f"] }))],
    ["braces", (text) => typedValues(decodeBraces(`call:f{a:${text}}`, { strings: ["<|>"], closed: true }))],
    ["nested braces", (text) => typedValues(decodeBraces(`call:f{a:{b:[${text}]}}`, { strings: ["<|>"] }))],
    ["YAML", (text) => typedValues([decodeYaml(`name: f\narguments:\n  a: [${text}]`)])],
    ["elements", (text) => decodeElements(`<a>${text}</a>`)?.map(([, json]) => json) ?? []],
    ["containers", (text) => [decodeContainer(`<a>${text}</a>`, "") ?? "null"]],
  ])("%s", (_, read) => {
    let found = 0;
    fc.assert(
      fc.property(body, (text) => {
        for (const json of read(text)) {
          found += 1;
          expect([json, readValue(json)?.text]).toEqual([json, json]);
        }
      }),
      { numRuns: runsOf(3000) },
    );
    expect(found).toBeGreaterThan(0);
  });
});

// Compares the parser's readers with packages of the field: XML bodies with fast-xml-parser, almost-JSON bodies with jsonrepair.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { XMLParser } from "fast-xml-parser";
import { jsonrepair } from "jsonrepair";
import { decodeJson } from "../../../../src/formats/decoders/decodeJson.ts";
import { decodeContainer } from "../../../../src/formats/decoders/decodeXml.ts";
import { runsOf } from "../../../support/sample.ts";

type Tree = string | readonly (readonly [name: string, child: Tree])[];

const name = fc.constantFrom("a", "b", "city", "x-1", "y_2");
const text = fc.stringMatching(/^(?:[a-z0-9&<>"'é.,-](?:[a-z0-9&<>"' é.,-]{0,8}[a-z0-9.])?)?$/);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, text, fc.array(fc.tuple(name, tie("tree")), { minLength: 1, maxLength: 4 })),
}));
const body = fc.array(fc.tuple(name, tree), { minLength: 1, maxLength: 4 });

function writeTree(one: Tree): string {
  if (typeof one === "string") return one.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return one.map(([tag, child]) => `<${tag}>${writeTree(child)}</${tag}>`).join("");
}

const parser = new XMLParser({ parseTagValue: false, processEntities: { enabled: true, maxTotalExpansions: 100_000 } });

describe("decodeContainer", () => {
  it("reads every well-formed body as fast-xml-parser does", () => {
    fc.assert(
      fc.property(body, (elements) => {
        const xml = writeTree(elements);
        expect(JSON.parse(decodeContainer(xml, "") ?? "null")).toEqual(parser.parse(`<root>${xml}</root>`).root);
      }),
      { numRuns: runsOf(500) },
    );
  });
});

/** Writes JSON as careless writers do: single quotes, spare commas, words of Python. */
function writeCarelessly(value: unknown, [quote, comma]: readonly [string, string]): string {
  if (Array.isArray(value)) {
    const items = value.map((one) => writeCarelessly(one, [quote, comma]));
    return items.length > 0 ? `[${items.join(", ")}${comma}]` : "[]";
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(
      ([key, one]) => `${quote}${key}${quote}: ${writeCarelessly(one, [quote, comma])}`,
    );
    return members.length > 0 ? `{${members.join(", ")}${comma}}` : "{}";
  }
  return typeof value === "string" ? `${quote}${value}${quote}` : String(value);
}

const word = fc.stringMatching(/^[a-z][a-z0-9 é]{0,8}$/);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    word,
    fc.integer({ min: -1_000, max: 1_000 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(word, tie("json"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe("decodeJson", () => {
  it("reads what jsonrepair reads too as the same value", () => {
    const style = fc.tuple(fc.constantFrom('"', "'"), fc.constantFrom("", ",", " ,"));
    let compared = 0;
    fc.assert(
      fc.property(fc.dictionary(word, json, { maxKeys: 4, noNullPrototype: true }), style, (value, how) => {
        const careless = writeCarelessly(value, how);
        const read = decodeJson(careless);
        if (read === undefined) return;
        compared += 1;
        expect(JSON.parse(read.text)).toEqual(JSON.parse(jsonrepair(careless)));
      }),
      { numRuns: runsOf(500) },
    );
    expect(compared).toBeGreaterThan(400);
  });

  it("reads valid JSON as jsonrepair leaves it", () => {
    fc.assert(
      fc.property(fc.dictionary(word, json, { noNullPrototype: true }), (value) => {
        const valid = JSON.stringify(value);
        expect(jsonrepair(valid)).toBe(valid);
        expect(JSON.parse(decodeJson(valid)?.text ?? "null")).toEqual(value);
      }),
    );
  });
});

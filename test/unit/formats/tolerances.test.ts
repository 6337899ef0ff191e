import { describe, expect, it } from "@jest/globals";
import { TOLERANCES } from "../../../src/formats/specs/tolerances.ts";
import { corpusReader, loadCorpus } from "../../support/corpus.ts";
import { request } from "../../support/modelTexts.ts";
import { meaningOf, runParser } from "../../support/parserRuns.ts";

const setting = request({
  tools: [{ name: "set_lamp", parameters: { type: "object", properties: { level: { type: "integer" } } } }],
}).setting;

function read(text: string, without: readonly string[]) {
  return meaningOf(runParser([text], { setting: { ...setting, without: new Set(without) }, finishReason: "stop" }));
}

describe("the table of tolerances", () => {
  it("has a row for each repair that a case of the corpus needs", () => {
    const circumstancesOf = corpusReader();
    const cases = loadCorpus().flatMap((folder) => folder.cases);
    const events = cases.flatMap((one) => runParser([one.text], circumstancesOf(one)));
    const repairs = new Set(events.flatMap((event) => (event.type === "call" ? event.call.repairs : [])));
    const named = new Set(TOLERANCES.map(({ id }) => id));
    expect(repairs.size).toBeGreaterThan(20);
    expect([...repairs].filter((repair) => !named.has(repair))).toEqual([]);
  });

  it("names each of them once", () => {
    expect(new Set(TOLERANCES.map(({ id }) => id)).size).toBe(TOLERANCES.length);
  });
});

describe("a tolerance that is switched off", () => {
  const marked = '<tool_call>{"name": "set_lamp", "arguments": {"level": "3"}}</tool_call>';
  const bare = '{"name": "set_lamp", "arguments": {"level": 3}}';

  it("makes an issue of a marked call that needs it", () => {
    expect(read(marked, []).calls).toHaveLength(1);
    expect(read(marked, ["string-to-integer"])).toMatchObject({ calls: [], issues: ["invalid-arguments"] });
  });

  it("leaves a call without marks as the text that it is", () => {
    expect(read(bare, []).calls).toHaveLength(1);
    expect(read(bare, ["shape:json"])).toEqual({ content: bare, reasoning: null, calls: [], issues: [] });
  });

  it("changes nothing for a call that does without", () => {
    expect(read(bare, ["string-to-integer"]).calls).toHaveLength(1);
  });
});

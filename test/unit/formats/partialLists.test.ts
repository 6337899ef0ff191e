// A list of calls of which a part cannot be read: one unit, of which nothing leaves.
import { describe, expect, it } from "@jest/globals";
import { standardChunkings } from "../../support/chunkings.ts";
import { brokenPromise } from "../../support/compareRuns.ts";
import { request } from "../../support/modelTexts.ts";
import { meaningOf, type ParserSetting, runParser } from "../../support/parserRuns.ts";

const ASKED = request({
  tools: [
    { name: "f", parameters: { type: "object", properties: { a: { type: "integer" } } } },
    { name: "g", parameters: { type: "object", properties: { x: { type: "string" } } } },
  ],
  toolMode: "text",
}).setting;
const NATIVE: ParserSetting = { ...ASKED, toolMode: "native" };
const PYTHONIC: ParserSetting = { ...NATIVE, formats: ["llama-pythonic"] };

function read(text: string, setting = ASKED) {
  const given = { setting, finishReason: "stop" };
  expect(brokenPromise(text, given, standardChunkings(text, 8))).toBeUndefined();
  const { content, calls, issues } = meaningOf(runParser([text], given));
  return { content, issues, calls: calls.map((call) => [call.name, JSON.parse(call.arguments)]) };
}

const REFUSED = { content: null, issues: ["malformed-call"], calls: [] };
const asText = (content: string) => ({ content, issues: [], calls: [] });

describe("a list of calls that is only partly readable", () => {
  it.each([
    ["a comma", "f(a=1), g(x=data['y'])"],
    ["a semicolon", "f(a=1); g(x=data['y'])"],
    ["a new line", "f(a=1)\ng(x=data['y'])"],
    ["a comma, the first of them unreadable", "g(x=data['y']), f(a=1)"],
    ["a new line, the first of them unreadable", "g(x=data['y'])\nf(a=1)\nf(a=2)"],
    ["commas, the middle one unreadable", "f(a=1), g(x=data['y']), f(a=2)"],
    ["square brackets", "[f(a=1), g(x=data['y'])]"],
    ["square brackets, as objects", '[{"name":"f","arguments":{"a":1}}, {"name":"g","arguments":{"x":data["y"]}}]'],
    ["a comma, as objects", '{"name":"f","arguments":{"a":1}}, {"name":"g","arguments":{"x":data["y"]}}'],
  ])("joined by %s: no call leaves, and it is one issue", (_joint, text) => {
    expect(read(text)).toEqual(REFUSED);
  });

  it("is an issue of a model that is known for the form, and text of any other", () => {
    const text = "f(a=1), g(x=data['y'])";
    expect(read(text, PYTHONIC)).toEqual(REFUSED);
    expect(read(text, NATIVE)).toEqual(asText(text));
  });

  it("is text where the answer says more than the list", () => {
    for (const text of ["f(a=1), g(x=data['y'])\nThat is how.", "As a list:\n- f(a=1)\n- g(x=data['y'])"]) {
      expect(read(text)).toEqual(asText(text));
    }
  });

  it("is none where what follows a call only speaks of a tool, or where other data stand beside one", () => {
    expect(read("f(a=1)\n\ng(x) is the other one.").calls).toEqual([["f", { a: 1 }]]);
    const data = '[{"name":"f","arguments":{"a":1}}, {"name":"Ann","age":3}]';
    expect(read(data)).toEqual(asText(data));
  });

  it.each([
    '[TOOL_CALLS][{"name":"f","arguments":{"a":1}}, {"a":1}]',
    '[TOOL_CALLS][{"name":"f","arguments":{"a":1}}, {"name":"g","arguments":{"x":data["y"]}}]',
    '<tool_call>[{"name":"f","arguments":{"a":1}}, null]</tool_call>',
    '<tool_call>\n{"name":"f","arguments":{"a":1}}\n{"arguments":{}}\n</tool_call>',
    "<|tool_call_start|>[f(a=1), g(x=data['y'])]<|tool_call_end|>",
    "<tool_call>f(a=1), g(x=data['y'])</tool_call>",
    "<tool_call>\nf(a=1)\ng(x=data['y'])\n</tool_call>",
  ])("is one malformed call behind a mark: %s", (text) => {
    expect(read(text, NATIVE)).toEqual(REFUSED);
  });

  it("keeps a whole list and blocks of their own", () => {
    expect(read("<tool_call>f(a=1)\ng(x='y')</tool_call>", NATIVE).calls).toHaveLength(2);
    expect(read("[f(a=1), g(x='y')]").calls).toHaveLength(2);
    const blocks = '<tool_call>{"name":"f","arguments":{"a":1}}</tool_call><tool_call>{"a":1}</tool_call>';
    expect(read(blocks, NATIVE)).toMatchObject({ calls: [["f", { a: 1 }]], issues: ["malformed-call"] });
  });
});

// One call that says two things: two names, or two sets of arguments. Nobody knows which is meant, so it is refused.
import { describe, expect, it } from "@jest/globals";
import { readNativeCalls } from "../../../../src/formats/validation/normalizeNativeCall.ts";
import { standardChunkings } from "../../../support/chunkings.ts";
import { brokenPromise } from "../../../support/compareRuns.ts";
import { request } from "../../../support/modelTexts.ts";
import { meaningOf, type ParserSetting, runParser } from "../../../support/parserRuns.ts";

const SETTING = request({
  tools: [
    { name: "f", parameters: { type: "object", properties: { a: { type: "integer" } } } },
    { name: "g", parameters: { type: "object", properties: { a: { type: "integer" } } } },
    {
      name: "hire",
      parameters: { type: "object", properties: { name: { type: "string" }, tool: { type: "string" } } },
    },
    { name: "run", parameters: { type: "object", properties: { input: { type: "string" }, args: { type: "array" } } } },
  ],
}).setting;

function read(text: string, setting = SETTING) {
  const given = { setting, finishReason: "stop" };
  expect(brokenPromise(text, given, standardChunkings(text, 8))).toBeUndefined();
  const { content, calls, issues } = meaningOf(runParser([text], given));
  return { content, issues, calls: calls.map((call) => [call.name, JSON.parse(call.arguments)]) };
}

const block = (body: string): string => `<tool_call>${body}</tool_call>`;

describe("a call that says two things", () => {
  it.each([
    ["a name twice", '{"name":"f","name":"g","arguments":{"a":1}}'],
    ["a name twice, one of them nobody's", '{"name":"zzz","name":"f","arguments":{"a":1}}'],
    ["a name and a tool", '{"name":"f","tool":"g","arguments":{"a":1}}'],
    ["a name and a function of another name", '{"name":"f","function":{"name":"g","arguments":{"a":1}}}'],
    ["arguments twice", '{"name":"f","arguments":{"a":1},"arguments":{"a":2}}'],
    ["arguments and parameters", '{"name":"f","arguments":{"a":1},"parameters":{"a":2}}'],
    ["arguments and a text of them", '{"name":"f","arguments":"{\\"a\\":1}","input":{"a":2}}'],
    ["two names as elements", "<name>f</name><name>g</name><arguments>{}</arguments>"],
    ["two sets as elements", '<name>f</name><arguments>{"a":1}</arguments><parameters>{"a":2}</parameters>'],
    ["an object and a parameter", '<function=f>{"a":1}<parameter=a>2</parameter></function>'],
    [
      "a name in the mark and another in it",
      '<invoke name="f"><name>g</name><parameter name="a">1</parameter></invoke>',
    ],
  ])("is refused: %s", (_what, body) => {
    expect(read(block(body))).toEqual({ content: null, issues: ["ambiguous-call"], calls: [] });
  });

  it("is refused as the whole answer in the form that was asked for, and text anywhere else", () => {
    const text = '{"name":"f","tool":"g","arguments":{"a":1}}';
    const asked: ParserSetting = { ...SETTING, toolMode: "text", emulate: "llama3-json" };
    expect(read(text, asked)).toEqual({ content: null, issues: ["ambiguous-call"], calls: [] });
    const { content, calls, issues } = read(`${text}\nSo it is.`, asked);
    expect({ content, calls, issues }).toEqual({ content: `${text}\nSo it is.`, calls: [], issues: [] });
    expect(read(text)).toEqual({ content: text, issues: [], calls: [] });
  });

  it("is refused in a structured call's name too", () => {
    const [call] = readNativeCalls({ name: '{"name":"f","tool":"g","arguments":{}}', arguments: "" });
    expect(call).toMatchObject({ ambiguous: "name" });
  });
});

describe("a call that says one thing", () => {
  it.each<[string, string, unknown]>([
    ["a name twice, the same", '{"name":"f","tool":"f","arguments":{"a":1}}', ["f", { a: 1 }]],
    ["arguments twice, the same", '{"name":"f","arguments":{"a":1},"parameters":{"a":1}}', ["f", { a: 1 }]],
    ["null for the other", '{"name":"f","arguments":null,"parameters":{"a":1}}', ["f", { a: 1 }]],
    ["a type and an action", '{"type":"function","action":"call","name":"f","arguments":{"a":1}}', ["f", { a: 1 }]],
    ["parameters called so", '{"function":"hire","name":"Ann","tool":"saw"}', ["hire", { name: "Ann", tool: "saw" }]],
    ["parameters called like arguments", '{"name":"run","input":"x","args":[1]}', ["run", { input: "x", args: [1] }]],
  ])("is made: %s", (_what, body, made) => {
    expect(read(block(body)).calls).toEqual([made]);
  });

  it("is made with a parameter called name beside the name", () => {
    const body = '<invoke name="hire"><name>Ann</name><parameter name="tool">saw</parameter></invoke>';
    expect(read(block(body)).calls).toEqual([["hire", { name: "Ann", tool: "saw" }]]);
  });
});

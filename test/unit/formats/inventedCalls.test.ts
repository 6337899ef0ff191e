// Calls that nobody made: words that are swallowed with one, names and types that are guessed.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject, ToolMode } from "../../../src/core/messages.ts";
import { request } from "../../support/modelTexts.ts";
import { meaningOf, runParser } from "../../support/parserRuns.ts";

const tool = (name: string, properties: JsonObject) => ({ name, parameters: { type: "object", properties } });

const TOOLS = [
  tool("calc", { x: { type: "integer" } }),
  tool("note", { kind: { type: "string", default: "object" }, text: { type: "string" }, meta: { $ref: "#/$defs/m" } }),
];

interface Asked {
  readonly tools?: readonly ReturnType<typeof tool>[];
  readonly toolMode?: ToolMode;
  readonly formats?: readonly string[];
}

function read(text: string, { tools = TOOLS, toolMode = "native", formats = [] }: Asked = {}) {
  const circumstances = request({ tools, toolMode, formats });
  const whole = meaningOf(runParser([text], circumstances));
  expect(meaningOf(runParser([...text], circumstances))).toEqual(whole);
  return whole;
}

describe("a call is what the model wrote", () => {
  it.each(["court", "call", "count", "verdict"])("keeps the line %s before a call: it is the answer's", (word) => {
    const { content, calls } = read(`${word}\n<invoke name="calc">\n<parameter name="x">1</parameter>\n</invoke>`);
    expect({ content, calls }).toEqual({ content: word, calls: [{ name: "calc", arguments: '{"x":1}' }] });
  });

  it("does not name a call by its arguments: an id is no name", () => {
    const text =
      '<|tool_calls_section_begin|><|tool_call_begin|>call_9<|tool_call_argument_begin|>{"x": 1}<|tool_call_end|><|tool_calls_section_end|>';
    expect(read(text, { formats: ["kimi-k2"] })).toMatchObject({ content: null, calls: [], issues: ["unknown-tool"] });
  });

  it.each(["llama3-json", "granite3-json"])("is an issue where an answer in the form of %s does not fit", (format) => {
    const text = '{"name": "calc", "arguments": {"x": 2.5}}';
    expect(read(text, { formats: [format] })).toMatchObject({
      content: null,
      calls: [],
      issues: ["invalid-arguments"],
    });
    expect(read(text)).toMatchObject({ content: text, calls: [], issues: [] });
    expect(read(`Data: ${text}`, { formats: [format] })).toMatchObject({ content: `Data: ${text}`, issues: [] });
  });

  it("asks the schema whether a value may be a structure, not the words that stand in it", () => {
    const element = "<function><name>note</name><kind><b>x</b></kind></function>";
    const wrapped = (inner: string) => `<tool_call>${inner}</tool_call>`;
    expect(read(wrapped(element)).calls.map((call) => JSON.parse(call.arguments))).toEqual([{ kind: "<b>x</b>" }]);
  });
});

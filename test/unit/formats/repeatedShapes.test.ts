// A call that a model shows without marks and then makes with its marks is one call; anything else is as many as were written.
import { describe, expect, it } from "@jest/globals";
import type { ParserEvent } from "../../../src/formats/state/ParserEvent.ts";
import { standardChunkings } from "../../support/chunkings.ts";
import { brokenPromise } from "../../support/compareRuns.ts";
import { request } from "../../support/modelTexts.ts";
import { countedParser, meaningOf, type ParserSetting, runParser } from "../../support/parserRuns.ts";

const TOOLS = [
  { name: "calc", parameters: { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } } } },
  { name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } },
];

const TEXT = request({
  tools: TOOLS,
  toolMode: "text",
}).setting;
const LEAKS_JSON: ParserSetting = { ...TEXT, toolMode: "native", formats: ["llama3-json"] };

function read(text: string, setting: ParserSetting = TEXT) {
  const given = { setting, finishReason: "stop" };
  expect(brokenPromise(text, given, standardChunkings(text, 8))).toBeUndefined();
  const { content, calls, issues } = meaningOf(runParser([text], given));
  return { content, issues, calls: calls.map((call) => [call.name, JSON.parse(call.arguments)]) };
}

const HERMES = '<tool_call>\n{"name":"calc","arguments":{"x":1}}\n</tool_call>';
const MARKED = {
  "an object in a block, without a space behind the colon": HERMES,
  "keys in another order, a number as text": '<tool_call>{"arguments": {"x": "1"}, "name": "calc"}</tool_call>',
  "a lone invoke": '<invoke name="calc">\n<parameter name="x">1</parameter>\n</invoke>',
  "wrapped invokes":
    '<function_calls>\n<invoke name="calc">\n<parameter name="x">1</parameter>\n</invoke>\n</function_calls>',
  "a function with parameters":
    "<tool_call>\n<function=calc>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>",
  "square brackets": '[TOOL_CALLS] [{"name": "calc", "arguments": {"x": 1}}]',
  "a section":
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.calc:0<|tool_call_argument_begin|>{"x": 1}<|tool_call_end|><|tool_calls_section_end|>',
};
const SHAPES = {
  "a name and an object": 'calc\n{"x": 1}',
  "an object": '{"name": "calc", "arguments": {"x": 1}}',
  "a Python call": "calc(x=1)",
  "a fence": '```json\n{"name": "calc", "arguments": {"x": 1}}\n```',
};

describe("a call without marks and the same one with marks at once behind it", () => {
  const pairs = Object.entries(SHAPES).flatMap(([shape, shown]) =>
    Object.entries(MARKED).map(([marks, made]) => [shape, marks, shown, made] as const),
  );

  it.each(pairs)("are one call: %s, then %s", (_shape, _marks, shown, made) => {
    expect(read(`${shown}\n${made}`)).toEqual({ content: null, issues: [], calls: [["calc", { x: 1 }]] });
    expect(read(`${shown}\n\n  ${made}\n`).calls).toEqual([["calc", { x: 1 }]]);
  });

  it("are one call under a row that leaks such objects too", () => {
    expect(read(`${SHAPES["an object"]}\n${HERMES}`, LEAKS_JSON).calls).toEqual([["calc", { x: 1 }]]);
  });

  it("are one call each where several are shown and then made", () => {
    const look = '<tool_call>{"name":"look","arguments":{"at":"sea"}}</tool_call>';
    const both = [
      ["calc", { x: 1 }],
      ["look", { at: "sea" }],
    ];
    expect(read(`calc(x=1), look(at="sea")\n${HERMES}\n${look}`).calls).toEqual(both);
    expect(read(`calc(x=1), look(at="sea")\n${look}`).calls).toEqual(both);
  });
});

describe("calls that are more than one", () => {
  it.each([
    ["differ in an argument", `calc(x=2)\n${HERMES}`],
    ["have text between them", `calc(x=1)\nNow for real:\n${HERMES}`],
    ["have marks both", `${HERMES}\n${HERMES}`],
    ["are shown twice", "calc(x=1)\ncalc(x=1)"],
  ])("all leave: they %s", (_why, text) => {
    expect(read(text).calls).toHaveLength(2);
  });

  it("leaves the call that was shown where the one with marks cannot be read", () => {
    expect(read('calc(x=1)\n<tool_call>{"name": "calc", "arguments": {"x": }}</tool_call>')).toEqual({
      content: null,
      issues: ["malformed-call"],
      calls: [["calc", { x: 1 }]],
    });
  });
});

describe("a call that waits for what follows", () => {
  const TYPES = (events: readonly ParserEvent[]) => events.map((event) => event.type);

  it("leaves with the first visible character behind it, before what comes then", () => {
    const parser = countedParser(TEXT);
    expect(TYPES(parser.feed("calc(x=1)\n"))).toEqual([]);
    expect(TYPES(parser.feed("\n"))).toEqual([]);
    expect(TYPES(parser.feed("So it is"))).toEqual(["call", "text"]);
    expect(TYPES(parser.finish("stop"))).toEqual([]);
  });

  it("leaves as soon as what looked like a mark is none, and at the turn's end", () => {
    const parser = countedParser(TEXT);
    parser.feed("calc(x=1)\n");
    expect(TYPES(parser.feed("<to"))).toEqual([]);
    expect(TYPES(parser.feed("p of"))).toEqual(["call", "text"]);
    const other = countedParser(TEXT);
    other.feed("calc(x=1)");
    expect(TYPES(other.finish("stop"))).toEqual(["call"]);
  });
});

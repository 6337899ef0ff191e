// A key that a model gives twice inside its arguments: the last one counts, as every JSON reader has it, and the call says so.
import { expect, it } from "@jest/globals";
import type { ToolSpec } from "../../../../src/core/messages.ts";
import { fitCall } from "../../../../src/formats/validation/fitCall.ts";
import { readNativeCalls } from "../../../../src/formats/validation/normalizeNativeCall.ts";
import { callsIn, eventsOf, meaningOf } from "../../../support/parserRuns.ts";

const STRING = { type: "string" };
const tool: ToolSpec = {
  name: "f",
  parameters: { type: "object", properties: { s: STRING, o: { type: "object" }, l: { type: "array" } } },
};
const open: ToolSpec = { name: "f" };

const TWICE = '"s": "1", "s": "2"';
const DEEP = '{"l": [{"k": {"x": 1, "x": 2}}]}';
const block = (body: string) => `<tool_call>${body}</tool_call>`;

it.each([
  ["JSON", block(`{"name": "f", "arguments": {${TWICE}}}`), { s: "2" }],
  ["JSON, spelled differently", block('{"name": "f", "arguments": {"s": "1", "\\u0073": "2"}}'), { s: "2" }],
  ["JSON in a list in an object", block(`{"name": "f", "arguments": ${DEEP}}`), { l: [{ k: { x: 2 } }] }],
  ["JSON that is mended", block("{'name': 'f', 'arguments': {'o': {'k': 1, 'k': 2,},}}"), { o: { k: 2 } }],
  ["JSON in a string", block(`{"name": "f", "arguments": ${JSON.stringify(`{${TWICE}}`)}}`), { s: "2" }],
  [
    "a string where an object is wanted",
    block('{"name": "f", "arguments": {"o": "{\\"k\\":1,\\"k\\":2}"}}'),
    {
      o: { k: 2 },
    },
  ],
  ["arguments beside the name", block(`{"name": "f", ${TWICE}}`), { s: "2" }],
  ["a bare call", '{"name": "f", "arguments": {"o": {"k": 1, "k": 2}}}', { o: { k: 2 } }],
  ["parameters", "<function=f><parameter=s>1</parameter><parameter=s>2</parameter></function>", { s: "2" }],
  ["a parameter of JSON", '<function=f><parameter=o>{"k": 1, "k": 2}</parameter></function>', { o: { k: 2 } }],
  ["elements", block("<name>f</name><arguments><s>1</s><s>2</s></arguments>"), { s: "2" }],
  [
    "pairs",
    block("f<arg_key>s</arg_key><arg_value>1</arg_value><arg_key>s</arg_key><arg_value>2</arg_value>"),
    { s: "2" },
  ],
  ["a Python call", '<|python_start|>[f(s="1", s="2")]<|python_end|>', { s: "2" }],
  ["a Python dict", "<|python_start|>[f(o={'k': 1, 'k': 2})]<|python_end|>", { o: { k: 2 } }],
  ["brace literals", '<|tool_call>call:f{s:<|"|>1<|"|>,s:<|"|>2<|"|>}<tool_call|>', { s: "2" }],
  ["brace literals in one another", "<|tool_call>call:f{o:{k:1,k:2}}<tool_call|>", { o: { k: 2 } }],
  ["the input of an action", `Action: f\nAction Input: {${TWICE}}`, { s: "2" }],
])("is reported in %s", (_where, text, args) => {
  for (const spec of [tool, { ...tool, parameters: { ...tool.parameters, additionalProperties: true } }]) {
    const calls = callsIn(eventsOf(text, [spec], ["react-text"]));
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([args]);
    expect(calls[0]?.repairs).toContain("duplicate-key");
    expect(calls[0]?.arguments.match(/1/)).toBeNull();
  }
});

it.each([
  ["with its schema", tool],
  ["without a schema", open],
])("is reported in a structured call of a tool %s", (_what, spec) => {
  const [candidate] = readNativeCalls({ id: "a", name: "f", arguments: `{${TWICE}, "o": {"k": 1, "k": 2}}` });
  const fit = candidate && fitCall(candidate, { tools: [spec], family: "native", raw: "" });
  expect(fit).toEqual({
    type: "call",
    name: "f",
    arguments: '{"s": "2", "o": {"k": 2}}',
    repairs: ["duplicate-key"],
  });
});

it("is an ambiguous call where it is the arguments themselves, and they differ", () => {
  const text = block('{"name": "f", "arguments": {"s": "1"}, "arguments": {"s": "2"}}');
  expect(meaningOf(eventsOf(text, [tool])).issues).toEqual(["ambiguous-call"]);
});

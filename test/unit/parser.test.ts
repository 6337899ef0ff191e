// The parser that other programs import, as they see it: what they may leave out, what they get, what they are refused.
import { describe, expect, it } from "@jest/globals";
import { createParser, type ParserEvent, type ParserOptions, PostelError, parse, type Tool } from "../../src/parser.ts";

const WEATHER = {
  name: "weather",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
  },
};
const TOOLS: readonly Tool[] = [{ type: "function", function: WEATHER }];

const LEAKED = `I will look.

<function_calls>
<invoke name="weather">
<parameter name="city">Oslo</parameter>
<parameter name="days">3</parameter>
</invoke>
</function_calls>`;

const ID = () => "abcdefghi";

function eventsOf(pieces: readonly string[], options: ParserOptions): readonly ParserEvent[] {
  const parser = createParser(options);
  return [...pieces.flatMap((piece) => parser.feed(piece)), ...parser.finish()];
}

describe("the importable parser", () => {
  it("makes a call of one that leaked into the text as XML", () => {
    const { content, toolCalls, reasoning, issues } = parse(LEAKED, { tools: TOOLS });
    expect(content).toBe("I will look.");
    expect(toolCalls).toMatchObject([
      { name: "weather", arguments: '{"city":"Oslo","days":3}', origin: "anthropic-xml" },
    ]);
    expect([reasoning, issues]).toEqual(["", []]);
  });

  it("takes tools as a request has them and as bare functions", () => {
    expect(parse(LEAKED, { tools: [WEATHER], callId: ID })).toEqual(parse(LEAKED, { tools: TOOLS, callId: ID }));
  });

  it.each(["Plain words.", " 2 < 3 && a > b\n\n```js\nweather();\n```\n", "{}", "<tool_call>"])(
    "gives text without calls back verbatim: %j",
    (text) => {
      expect(parse(text)).toEqual({ content: text, reasoning: "", toolCalls: [], issues: [] });
    },
  );

  it("says as early as it is certain what the text is", () => {
    const parser = createParser({ tools: TOOLS, callId: ID });
    expect(parser.feed("I will ")).toEqual([{ type: "text", at: 0, text: "I will " }]);
    expect(parser.feed("look.\n\n<tool_")).toEqual([{ type: "text", at: 7, text: "look." }]);
    expect(parser.feed('call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call>')).toMatchObject([
      { type: "call", at: 14, call: { id: "abcdefghi", name: "weather", arguments: '{"city": "Oslo"}' } },
    ]);
    expect(parser.finish()).toEqual([]);
  });

  it("reads the same whatever pieces the text comes in", () => {
    const options = { tools: TOOLS, callId: ID };
    const calls = (pieces: readonly string[]) => eventsOf(pieces, options).filter(({ type }) => type === "call");
    const words = (pieces: readonly string[]) =>
      eventsOf(pieces, options)
        .map((event) => (event.type === "text" ? event.text : ""))
        .join("");
    for (let at = 0; at <= LEAKED.length; at += 1) {
      const pieces = [LEAKED.slice(0, at), LEAKED.slice(at)];
      expect([words(pieces), calls(pieces)]).toEqual([words([LEAKED]), calls([LEAKED])]);
    }
    expect(calls([...LEAKED])).toEqual(calls([LEAKED]));
  });

  it("hands over nothing of a call that the text cuts, and says why", () => {
    const cut = LEAKED.slice(0, LEAKED.indexOf("</parameter>"));
    expect(parse(cut, { tools: TOOLS, finishReason: "length" })).toMatchObject({
      content: "I will look.",
      toolCalls: [],
      issues: [{ code: "truncated-call", family: "anthropic-xml" }],
    });
  });

  it("says which call does not fit its tool", () => {
    const text = '<tool_call>{"name": "weather", "arguments": {"days": 3}}</tool_call>';
    expect(parse(text, { tools: TOOLS })).toMatchObject({
      toolCalls: [],
      issues: [{ code: "invalid-arguments", tool: "weather" }],
    });
  });

  it("reads as the model's row says: how it thinks, and what it writes without marks", () => {
    const text = "It is a city.</think>Yes.";
    expect(parse(text, { model: "deepseek-ai/DeepSeek-R1-0528" })).toMatchObject({
      reasoning: "It is a city.",
      content: "Yes.",
    });
    expect(parse(text).reasoning).toBe("");
    const labelled = 'Thought: weather.\nAction: weather\nAction Input: {"city": "Oslo"}';
    expect(parse(labelled, { tools: TOOLS, model: "o1-mini" }).toolCalls).toHaveLength(1);
    expect(parse(labelled, { tools: TOOLS }).content).toBe(labelled);
  });

  it("reads no call where the request forbade them", () => {
    expect(parse(LEAKED, { tools: TOOLS, toolChoice: "none" })).toMatchObject({ content: LEAKED, toolCalls: [] });
  });

  it("starts inside reasoning where the prompt has opened it", () => {
    expect(parse("Hm.</think>Yes.", { reasoningOpened: true })).toMatchObject({ reasoning: "Hm.", content: "Yes." });
  });

  it("draws ids of nine letters and digits, each its own", () => {
    const call = '<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call>\n';
    const ids = parse(call.repeat(300), { tools: TOOLS }).toolCalls.map(({ id }) => id);
    expect(ids.filter((id) => !/^[A-Za-z0-9]{9}$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(300);
  });

  it.each<[fault: string, tools: unknown, param: string]>([
    ["no list", "weather", "tools"],
    ["a tool that is none", [null], "tools[0]"],
    ["a tool without a name", [{ type: "function", function: {} }], "tools[0].name"],
    ["a name that no model may say", [{ name: "../up" }], "tools[0].name"],
    ["a name given twice", [...TOOLS, WEATHER], "tools[1]"],
    ["parameters that are no schema of an object", [{ name: "f", parameters: [] }], "tools[0].parameters"],
    ["parameters of another type", [{ name: "f", parameters: { type: "string" } }], "tools[0].parameters"],
  ])("refuses %s with a typed error that names the place", (_, tools, param) => {
    const create = () => createParser({ tools: tools as readonly Tool[] });
    expect(create).toThrow(PostelError);
    expect(create).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: "invalid_request", details: { param } }) }),
    );
  });

  it("refuses to read on after its end", () => {
    const parser = createParser();
    parser.finish();
    expect(() => parser.feed("more")).toThrow("finished");
    expect(() => parser.finish()).toThrow("finished");
  });
});

// Whole answers that are nearly a call in the form that was asked for: what is plain is mended, what is not is asked again, and other JSON is an answer.
import { describe, expect, it } from "@jest/globals";
import type { FormatIssue } from "../../../src/core/events/issues.ts";
import type { ToolCall, ToolSpec } from "../../../src/core/messages.ts";
import { MultiFormatOutputParser } from "../../../src/formats/MultiFormatOutputParser.ts";
import { renderCorrection } from "../../../src/formats/prompts/renderCorrection.ts";

const tools: readonly ToolSpec[] = [
  {
    name: "lookup_tide",
    parameters: {
      type: "object",
      properties: { port: { type: "string" }, day: { type: "integer" } },
      required: ["port", "day"],
      additionalProperties: false,
    },
  },
  {
    name: "send_note",
    parameters: {
      type: "object",
      properties: { text: { type: "string" }, to: { type: "string" } },
      required: ["text"],
    },
  },
  { name: "keep_note", parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } },
];

interface Read {
  readonly calls: readonly ToolCall[];
  readonly issues: readonly FormatIssue[];
  readonly text: string;
}

function read(answer: string, emulate: string, more: { readonly native?: readonly string[] } = {}): Read {
  const results = [[answer], [...answer]].map((chunks) => readChunks(chunks, emulate, more.native));
  expect(results[1]).toEqual(results[0]);
  return results[0] ?? { calls: [], issues: [], text: "" };
}

function readChunks(chunks: readonly string[], emulate: string, native: readonly string[] | undefined): Read {
  let drawn = 0;
  const parser = new MultiFormatOutputParser({
    tools,
    callsAllowed: true,
    toolMode: native ? "native" : "text",
    formats: native ?? [],
    emulate: native ? undefined : emulate,
    reasoningOpened: false,
    ids: { callId: () => `id${drawn++}` },
    captureChars: 100_000,
  });
  const events = [...chunks.flatMap((chunk) => parser.feed(chunk)), ...parser.finish("stop")];
  return {
    calls: events.flatMap((event) => (event.type === "call" ? [event.call] : [])),
    issues: events.flatMap((event) => (event.type === "issue" ? [event.issue] : [])),
    text: events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join(""),
  };
}

describe("words of the schema among the arguments", () => {
  it.each([
    ["as keys beside them", '{"port": "Brest", "day": 3, "required": ["port", "day"]}'],
    [
      "with the wrapper of a schema",
      '{"type": "object", "properties": {"port": "Brest", "day": 3}, "required": ["port", "day"]}',
    ],
    ["several", '{"required": ["port", "day"], "port": "Brest", "additionalProperties": false, "day": 3}'],
  ])("%s are dropped and reported", (_case, json) => {
    const { calls } = read(`{"name": "lookup_tide", "parameters": ${json}}`, "llama3-json");
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([{ port: "Brest", day: 3 }]);
    expect(calls[0]?.repairs).toContain("schema-echo");
  });

  it("that are not the schema's own are refused as before", () => {
    const { calls, issues } = read(
      '{"name": "lookup_tide", "parameters": {"port": "Brest", "day": 3, "required": ["port"]}}',
      "llama3-json",
    );
    expect(calls).toEqual([]);
    expect(issues.map(({ code }) => code)).toEqual(["invalid-arguments"]);
  });
});

it.each(["llama3-json", "hermes-json"])("%s: the key parameter is read like parameters", (emulate) => {
  const { calls } = read('{"function": "lookup_tide", "parameter": {"port": "Brest", "day": 3}}', emulate);
  expect(calls).toMatchObject([{ name: "lookup_tide", arguments: '{"port": "Brest", "day": 3}' }]);
});

describe("arguments without a name", () => {
  it.each([
    ["llama3-json", '{"port": "Brest", "day": 3}'],
    ["llama3-json", '```json\n{"port": "Brest", "day": 3}\n```'],
    ["hermes-json", '{"port": "Brest", "day": 3}'],
    ["hermes-json", '<tool_call>\n{"port": "Brest", "day": 3}\n</tool_call>'],
  ])("%s: are no call, and the correction names the one tool they fit (%j)", (emulate, answer) => {
    const { calls, issues, text } = read(answer, emulate);
    expect(calls).toEqual([]);
    expect(text).toBe("");
    expect(issues).toMatchObject([{ code: "malformed-call", tool: "lookup_tide", raw: answer }]);
    const [issue] = issues;
    expect(issue && renderCorrection(issue, { tools, emulate })).toContain('"name": "lookup_tide"');
  });

  it.each([
    ["they fit two tools", '{"text": "hello"}'],
    ["a value does not fit", '{"port": "Brest", "day": "soon"}'],
    ["a key is no parameter", '{"port": "Brest", "day": 3, "depth": 2}'],
    ["words follow", '{"port": "Brest", "day": 3}\nis what I would use.'],
  ])("are an answer where %s", (_case, answer) => {
    expect(read(answer, "llama3-json")).toEqual({ calls: [], issues: [], text: answer });
  });

  it("are an answer where the prompt asked for another form, or for none", () => {
    const answer = '{"port": "Brest", "day": 3}';
    expect(read(answer, "react-text").text).toBe(answer);
    expect(read(answer, "", { native: ["generic-json"] }).text).toBe(answer);
  });
});

describe("calls as code, in the fence that the prompt asked for", () => {
  const answer = '```tool_code\nprint(default_api.lookup_tide(port="Brest"))\n```';

  it("whose arguments do not fit are asked again", () => {
    const { calls, issues, text } = read(answer, "gemini-tool-code");
    expect({ calls, text }).toEqual({ calls: [], text: "" });
    expect(issues).toMatchObject([{ code: "invalid-arguments", tool: "lookup_tide", raw: answer }]);
  });

  it("are an answer where another form was asked for, and where more is said", () => {
    expect(read(answer, "react-text").text).toBe(answer);
    expect(read(`${answer}\nThis is how to ask.`, "gemini-tool-code").text).toBe(`${answer}\nThis is how to ask.`);
    expect(read("```tool_code\nprint(1 + 2)\n```", "gemini-tool-code").text).toBe("```tool_code\nprint(1 + 2)\n```");
  });
});

describe("a tool that nobody offers", () => {
  it.each([
    ["llama3-json", '{"name": "tide", "parameters": {"port": "Brest"}}'],
    ["llama3-json", '[{"name": "tide", "parameters": {"port": "Brest"}}]'],
    ["llama3-json", '```json\n{"name": "tide", "arguments": {"port": "Brest"}}\n```'],
    ["llama-pythonic", '[tide(port="Brest")]'],
    ["gemini-tool-code", '```tool_code\nprint(default_api.tide(port="Brest"))\n```'],
  ])("%s: the whole answer in the form that was asked for is asked again (%s)", (emulate, answer) => {
    const { calls, issues, text } = read(answer, emulate);
    expect(calls).toEqual([]);
    expect(text).toBe("");
    expect(issues).toMatchObject([{ code: "unknown-tool", raw: answer }]);
  });

  it("without the marks that the prompt asked for is asked again too", () => {
    const answer = '{"name": "tide", "arguments": {"port": "Brest"}}';
    const { issues } = read(answer, "jamba-array");
    expect(issues).toMatchObject([{ code: "unknown-tool", raw: answer, family: "jamba-array" }]);
    expect(read(answer, "anthropic-xml").text).toBe(answer);
  });

  it("in the form that the model's row names, too", () => {
    const answer = '{"name": "tide", "arguments": {"port": "Brest"}}';
    expect(read(answer, "", { native: ["generic-json"] }).issues).toMatchObject([{ code: "unknown-tool" }]);
    expect(read(answer, "", { native: ["mistral-array"] }).text).toBe(answer);
  });

  it.each([
    ['{"name": "Ada", "input": "first programmer"}'],
    ['{"name": "Ada", "age": 36}'],
    ['Use this:\n{"name": "tide", "parameters": {"port": "Brest"}}'],
    ['{"name": "tide", "parameters": {"port": "Brest"}} is the call.'],
  ])("in other JSON is an answer (%s)", (answer) => {
    expect(read(answer, "llama3-json")).toEqual({ calls: [], issues: [], text: answer });
  });
});

describe("a call that begins in the form that was asked for and is no JSON", () => {
  it.each([
    ["a bracket too few", '{"name": "send_note", "parameters": {"text": "hello"}'],
    ["a bracket too many, and arguments that do not fit", '{"name": "send_note", "parameters": {"to": "Ada"}}}'],
    ["a sum for a value", '{"name": "lookup_tide", "parameters": {"port": "Brest", "day": 1 + 2}}'],
    ["in a fence", '```json\n{"name": "send_note", "parameters": {"text": "hello"}\n```'],
  ])("%s: is asked again", (_case, answer) => {
    const { calls, issues, text } = read(answer, "llama3-json");
    expect(calls).toEqual([]);
    expect(text).toBe("");
    expect(issues).toMatchObject([{ code: "malformed-call", raw: answer }]);
  });

  it.each([
    '{"name": "send_note", "parameters": {"text": "hello"} would be the call, were it allowed.',
    '{"name": "send_note", "text": "hello"',
  ])("is an answer where it is none (%s)", (answer) => {
    expect(read(answer, "llama3-json")).toEqual({ calls: [], issues: [], text: answer });
  });
});

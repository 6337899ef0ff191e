// An answer that is bound to a form: read as JSON before any mark, unless it is a call; its reasoning still splits off.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { OutputFormat } from "../../../src/core/requests.ts";
import type { Slice } from "../../../src/formats/MultiFormatOutputParser.ts";
import { StructuredOutputParser } from "../../../src/formats/StructuredOutputParser.ts";
import type { ParserEvent, ParserOptions } from "../../../src/formats/state/ParserEvent.ts";
import { standardChunkings } from "../../support/chunkings.ts";
import { lostCharacters, meaningOf, settledEvents } from "../../support/parserRuns.ts";
import { feedSlices, finishSlices } from "../../support/slices.ts";

const ANY_OBJECT: OutputFormat = { type: "json_object" };
const TIDE = schemaOf({ port: { type: "string" }, cm: { type: "integer" } }, ["port"]);
const FIND = {
  name: "find_port",
  parameters: { type: "object", properties: { port: { type: "string" } }, required: ["port"] },
};
const CALL = '{"name": "find_port", "arguments": {"port": "Brest"}}';

function schemaOf(properties: JsonObject, required: readonly string[] = []): OutputFormat {
  return { type: "json_schema", name: "o", strict: false, schema: { type: "object", properties, required } };
}

const WITH_TOOLS: Partial<ParserOptions> = { tools: [FIND] };

function eventsOf(chunks: readonly string[], output: OutputFormat, more: Partial<ParserOptions> = {}) {
  let drawn = 0;
  const options: ParserOptions = {
    tools: [],
    callsAllowed: true,
    toolMode: "native",
    formats: [],
    reasoningOpened: false,
    ids: { callId: () => `call_${++drawn}` },
    captureChars: 262_144,
    ...more,
  };
  const parser = new StructuredOutputParser(options, output);
  const first: ParserEvent[] = chunks.flatMap((chunk) => slicesOf(feedSlices(parser, chunk)));
  return { early: first, all: [...first, ...slicesOf(finishSlices(parser, "stop"))] };
}

function slicesOf(slices: Iterable<Slice>): readonly ParserEvent[] {
  return [...slices].flatMap(({ events }) => events);
}

/** What the text means, the same in every chunking, with every character accounted for. */
function read(text: string, output: OutputFormat, more: Partial<ParserOptions> = {}) {
  const whole = settledEvents(eventsOf([text], output, more).all);
  expect(lostCharacters(whole, text)).toBeUndefined();
  for (const { chunks } of standardChunkings(text, 8)) {
    expect(settledEvents(eventsOf(chunks, output, more).all)).toEqual(whole);
  }
  return meaningOf(whole);
}

describe("marks in the strings of a bound answer", () => {
  it.each([
    '{"tmpl": "<|im_start|>user"}',
    '{"eos": "<|endoftext|>", "bos": "<s>"}',
    '{"a": "<think>hm</think>", "b": "</think>"}',
    '{"a": "<tool_call>", "b": "</tool_call>"}',
    '{"a": "<tool_call>\\n{\\"name\\": \\"find_port\\", \\"arguments\\": {\\"port\\": \\"Brest\\"}}\\n</tool_call>"}',
    '{"a": "[TOOL_CALLS]", "b": "Action: find_port\\nAction Input: {}"}',
    '{"a": "<|channel|>final<|message|>", "b": "<final_answer>"}',
    '[{"a": "<function=find_port>"}, {"b": "<|python_tag|>"}]',
    '{"tool_calls": []}',
  ])("are its words: %s", (text) => {
    const output: OutputFormat = { type: "json_schema", name: "o", strict: false, schema: {} };
    const plain = { content: text, reasoning: null, calls: [], issues: [] };
    for (const more of [{}, WITH_TOOLS, { ...WITH_TOOLS, toolMode: "text", emulate: "hermes-json" } as const])
      expect(read(text, output, more)).toEqual(plain);
  });

  it("stay in a value that stands in a fence or between words", () => {
    for (const text of ['```json\n{"t": "<|im_end|>"}\n```', 'Here: {"t": "<|im_end|>"} as wished.'])
      expect(read(text, ANY_OBJECT)).toMatchObject({ content: '{"t": "<|im_end|>"}', issues: [] });
  });

  it("do not keep the turn's own end in the answer", () => {
    expect(read('{"t": "</s>"}<|im_end|>\n', ANY_OBJECT)).toMatchObject({ content: '{"t": "</s>"}' });
  });
});

describe("reasoning before a bound answer", () => {
  it("splits off and leaves at once, the answer at the end", () => {
    const chunks = ["<think>Ebb.", " Then {flood}.</think>\n", '{"port": ', '"Brest"}'];
    const { early } = eventsOf(chunks, TIDE);
    expect(meaningOf(early)).toMatchObject({ content: null, reasoning: "Ebb. Then {flood}." });
    expect(read(chunks.join(""), TIDE)).toMatchObject({
      content: '{"port": "Brest"}',
      reasoning: "Ebb. Then {flood}.",
    });
  });

  it("splits off where the prompt opened it", () => {
    const text = 'Maybe {"port": "Ys"}.\n</think>\n\n{"port": "<|im_end|>"}';
    expect(read(text, TIDE, { reasoningOpened: true })).toMatchObject({
      content: '{"port": "<|im_end|>"}',
      reasoning: 'Maybe {"port": "Ys"}.',
    });
  });

  it("splits off behind the labels of text mode", () => {
    const text = 'Thought: I know it.\nFinal Answer: {"port": "Brest", "cm": "31"}';
    expect(read(text, TIDE, { ...WITH_TOOLS, toolMode: "text", emulate: "react-text" })).toMatchObject({
      content: '{"port": "Brest", "cm": 31}',
      reasoning: "I know it.",
    });
  });
});

describe("a call where an answer is bound", () => {
  it.each([
    CALL,
    `\`\`\`json\n${CALL}\n\`\`\``,
    `<tool_call>\n${CALL}\n</tool_call>`,
    `I look.\n<tool_call>\n${CALL}\n</tool_call>`,
  ])("of an offered tool is a call: %s", (text) => {
    for (const output of [ANY_OBJECT, TIDE, schemaOf({ name: { type: "string" } }, ["name"])])
      expect(read(text, output, WITH_TOOLS).calls).toEqual([{ name: "find_port", arguments: '{"port": "Brest"}' }]);
  });

  it("behind a value that fits is a call all the same", () => {
    for (const value of ['{"port": "Brest"}', '```json\n{"port": "Brest"}\n```'])
      expect(read(`${value}\n<tool_call>\n${CALL}\n</tool_call>`, TIDE, WITH_TOOLS).calls).toHaveLength(1);
  });

  it("is the answer where the schema has a place for all that it says", () => {
    const output = schemaOf({ name: { type: "string" }, arguments: { type: "object" } }, ["name", "arguments"]);
    expect(read(CALL, output, WITH_TOOLS)).toMatchObject({ content: CALL, calls: [] });
  });

  it("that failed is asked again, and its arguments are no answer", () => {
    const text = '<tool_call>\n{"name": "find_prt_x", "arguments": {"port": "Brest"}}\n</tool_call>';
    expect(read(text, ANY_OBJECT, WITH_TOOLS)).toMatchObject({ content: null, issues: ["unknown-tool"] });
  });
});

describe("a bound answer that does not have its form", () => {
  it("keeps what the chain makes of it", () => {
    expect(read("It is 31 cm.", TIDE)).toMatchObject({ content: "It is 31 cm." });
  });

  it("is looked for in the answer that a call's clothes hold", () => {
    for (const input of ['{"port": "Brest"}', '"{\\"port\\": \\"Brest\\"}"']) {
      const text = `{"action": "Final Answer", "action_input": ${input}}`;
      const { content } = read(text, TIDE, { ...WITH_TOOLS, toolMode: "text" });
      expect(JSON.parse(content ?? "")).toEqual({ port: "Brest" });
    }
  });
});

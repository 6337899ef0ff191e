import { describe, expect, it } from "@jest/globals";
import type { OutputFormat } from "../../../src/core/requests.ts";
import type { TextReading } from "../../../src/formats/createOutputParser.ts";
import { createOutputParser } from "../../../src/formats/createOutputParser.ts";
import { meaningOf } from "../../support/parserRuns.ts";
import { feedSlices, finishSlices } from "../../support/slices.ts";

const ORDER = {
  name: "order",
  parameters: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
};

function read(text: string, more: Partial<TextReading> = {}, output: OutputFormat = { type: "text" }) {
  const reading: TextReading = {
    model: { formats: [], reasoning: { opened: "never", interleaved: false }, fractions: "refuse" },
    tools: [ORDER],
    callsAllowed: true,
    toolMode: "native",
    reasoningOpened: false,
    ids: { callId: () => "drawn" },
    captureChars: 262_144,
    ...more,
  };
  const parser = createOutputParser(reading, output);
  return meaningOf([...feedSlices(parser, text), ...finishSlices(parser, "stop")].flatMap(({ events }) => events));
}

const CALL = '<tool_call>\n{"name": "order", "arguments": {"count": 2.5}}\n</tool_call>';

describe("the parser that is made of a model's row, its request and its prompt", () => {
  it("holds a call to its schema as the row says", () => {
    const lenient = { formats: [], reasoning: { opened: "never", interleaved: false }, fractions: "pass" } as const;
    expect(read(CALL).issues).toEqual(["invalid-arguments"]);
    expect(read(CALL, { model: lenient }).calls).toEqual([{ name: "order", arguments: '{"count": 2.5}' }]);
  });

  it("starts in the reasoning that the prompt opened", () => {
    expect(read("hm</think>Yes.", { reasoningOpened: true })).toMatchObject({ reasoning: "hm", content: "Yes." });
  });

  it("reads an answer that is bound to a form as that form before any mark", () => {
    const output: OutputFormat = { type: "json_object" };
    expect(read('Here: {"eos": "<|im_end|>",}', {}, output).content).toBe('{"eos": "<|im_end|>"}');
    expect(read('Here: {"eos": "<|im_end|>",}').content).not.toBe('{"eos": "<|im_end|>"}');
  });

  it("reads a call out of an answer that is bound to a form", () => {
    const whole = CALL.replace("2.5", "2");
    expect(read(whole, {}, { type: "json_object" })).toMatchObject({
      content: null,
      calls: [{ name: "order", arguments: '{"count": 2}' }],
    });
  });
});

import { describe, expect, it } from "@jest/globals";
import { type ExplainedSpan, explainParse } from "../../../src/formats/explain.ts";
import { MultiFormatOutputParser } from "../../../src/formats/MultiFormatOutputParser.ts";

const TOOLS = [
  {
    name: "order_seeds",
    parameters: {
      type: "object",
      properties: { plant: { type: "string" }, packets: { type: "integer" } },
      required: ["plant"],
    },
  },
  { name: "list_beds", parameters: { type: "object", properties: {} } },
];

/** The spans of a text that arrives in the given pieces; they must be the text, each character once and in order. */
function explained(...pieces: readonly string[]): readonly ExplainedSpan[] {
  const parser = new MultiFormatOutputParser({
    tools: TOOLS,
    callsAllowed: true,
    toolMode: "native",
    formats: [],
    reasoningOpened: false,
    ids: { callId: () => "abcdefghi" },
    captureChars: 2_000,
  });
  const events = pieces.flatMap((piece) => parser.feed(piece));
  const spans = explainParse([...events, ...parser.finish("stop")], parser.released);
  expect(spans.map((span) => span.text).join("")).toBe(pieces.join(""));
  let at = 0;
  for (const span of spans.filter((one) => one.length > 0)) {
    expect([span.at, span.length]).toEqual([at, span.text.length]);
    at += span.length;
  }
  return spans;
}

const CALL = `<tool_call>{'name': "order_seeds", "arguments": {"plant": "leek", "packets": "3"}}</tool_call>`;

describe("explain", () => {
  it("names what took each stretch, what was repaired, and what was dropped", () => {
    expect(explained(`<think>Leeks.\n</think>I order.\n\n${CALL}`)).toEqual([
      { kind: "dropped", at: 0, length: 7, text: "<think>", code: "mark", why: "markup of the format" },
      { kind: "reasoning", at: 7, length: 6, text: "Leeks." },
      expect.objectContaining({ kind: "dropped", at: 13, text: "\n", code: "glue" }),
      expect.objectContaining({ kind: "dropped", text: "</think>", code: "mark" }),
      { kind: "content", at: 22, length: 8, text: "I order." },
      expect.objectContaining({ kind: "dropped", text: "\n\n", code: "glue" }),
      {
        kind: "call",
        at: 32,
        length: CALL.length,
        text: CALL,
        family: "hermes-json",
        tool: "order_seeds",
        repairs: ["quotes", "string-to-integer"],
      },
    ]);
  });

  it("gives the same spans however the text arrived", () => {
    const text = `Beds [1] and {2}:\n\n${CALL}\nfoo`;
    expect(explained(...text)).toEqual(explained(text));
  });

  it("says why a block was no call, with the issue's code", () => {
    const text = '<tool_call>{"name": "order_seeds", "arguments": {"packets": 2}}</tool_call>';
    expect(explained(text)).toEqual([
      {
        kind: "issue",
        at: 0,
        length: text.length,
        text,
        code: "invalid-arguments",
        family: "hermes-json",
        tool: "order_seeds",
        why: expect.stringContaining('"plant"'),
      },
    ]);
  });

  it("gives each call of one block a span, the text to the first", () => {
    const text = '[TOOL_CALLS][{"name": "list_beds"}, {"name": "list_beds", "arguments": {}}]';
    expect(explained(text).map(({ kind, length, tool }) => [kind, length, tool])).toEqual([
      ["call", text.length, "list_beds"],
      ["call", 0, "list_beds"],
    ]);
  });

  it("says what fitting refused of a bare shape that stayed text", () => {
    const text = '{"name": "order_seeds", "arguments": {"plant": "leek", "packets": "few"}}';
    expect(explained(`${text}\nSorry.`)).toEqual([
      {
        kind: "content",
        at: 0,
        length: text.length,
        text,
        family: "generic-json",
        why: expect.stringContaining('parameter "packets" must be integer'),
      },
      { kind: "content", at: text.length, length: 7, text: "\nSorry." },
    ]);
  });

  it("says that a bare shape with text behind it is an example", () => {
    const [first, ...more] = explained('{"name": "list_beds", "arguments": {}}\nThat is how it looks.');
    expect(first).toMatchObject({ kind: "content", why: expect.stringContaining("Text follows") });
    expect(more).toEqual([expect.not.objectContaining({ why: expect.anything() })]);
  });

  it("says nothing about prose", () => {
    expect(explained("Leeks like deep beds.\n\n- water them\n- [mulch](https://example.test)")).toHaveLength(1);
  });

  it("explains what stands behind the end of the turn", () => {
    expect(explained(`${CALL}<|im_end|>more`).map(({ kind, code }) => [kind, code])).toEqual([
      ["call", undefined],
      ["dropped", "turn-end"],
      ["issue", "stray-mark"],
      ["dropped", "after-turn-end"],
    ]);
  });

  it("has words for every reason to drop", () => {
    const spans = explainParse(
      ["mark", "glue", "blank", "label", "turn-end"].map(
        (why, at) => ({ type: "dropped", at, raw: "x", why }) as const,
      ),
      [],
    );
    for (const span of spans) expect(span.why).toMatch(/ /);
  });

  it("remembers no more than a bounded number of refused shapes", () => {
    const line = '{"name": "order_seeds", "arguments": {}}\n';
    const spans = explained(line.repeat(400));
    expect(spans.filter((span) => span.why !== undefined).length).toBeLessThanOrEqual(100);
  });
});

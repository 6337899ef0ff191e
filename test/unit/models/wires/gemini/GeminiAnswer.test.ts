// What Google says, in chunks of the chat wire, as the gateway reads them.

import type { FinishReason } from "@google/genai";
import { describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../../../../src/core/events/events.ts";
import type { JsonObject } from "../../../../../src/core/messages.ts";
import { ChunkReader } from "../../../../../src/models/response/ChunkReader.ts";
import { GeminiAnswer } from "../../../../../src/models/wires/gemini/GeminiAnswer.ts";
import { gemini } from "../../../../../src/models/wires/gemini/gemini.ts";

/** The events of an answer and its end. */
function read(...values: readonly JsonObject[]) {
  const answer = new GeminiAnswer();
  const reader = new ChunkReader();
  const events: ModelEvent[] = [];
  for (const value of values) for (const chunk of answer.read(value)) events.push(...reader.read(chunk));
  return { events, usage: reader.usage, end: reader.end };
}

function candidate(parts: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { parts, role: "model" }, index: 0, ...fields }] };
}

describe("an answer", () => {
  it("keeps the order of its parts, and gives a signature of its words once", () => {
    const { events } = read(
      candidate([{ text: "Hm.", thought: true, thoughtSignature: "one" }, { text: "Look: " }]),
      candidate([{ functionCall: { name: "tide", args: { a: [1] } } }, { text: "there", thoughtSignature: "two" }]),
      candidate([{ text: "" }], { finishReason: "STOP" }),
    );
    expect(events).toEqual([
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Look: " },
      { type: "call-fragment", index: 0, name: "tide", arguments: '{"a":[1]}' },
      { type: "text", text: "there" },
      {
        type: "text",
        text: "",
        extra: [{ level: "delta", fields: { extra_content: { google: { thought_signature: "two" } } } }],
      },
    ]);
  });

  it("counts its calls over all events, those without arguments too", () => {
    const { events } = read(
      candidate([{ functionCall: { id: "x", name: "a" }, thoughtSignature: "s" }]),
      candidate([{ functionCall: { name: "a", args: {} } }]),
    );
    expect(events).toMatchObject([
      { index: 0, id: "x", arguments: "{}", extra: { extra_content: { google: { thought_signature: "s" } } } },
      { index: 1, arguments: "{}" },
    ]);
  });

  it("hands images, code that was run and what it gave on as far as there are words for them", () => {
    const { events } = read(
      candidate([
        { inlineData: { mimeType: "image/png", data: "AAAA" } },
        { executableCode: { language: "PYTHON", code: "print(1)" } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
        { videoMetadata: {} },
      ]),
    );
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    expect(events).toEqual([
      { type: "text", text: "", extra: [{ level: "delta", fields: { images: [image] } }] },
      { type: "text", text: "\n```python\nprint(1)\n```\n" },
      { type: "text", text: "\n```\n1\n```\n" },
    ]);
  });

  it("says how likely its words were", () => {
    const logprobsResult = {
      chosenCandidates: [{ token: "é", logProbability: -0.5, tokenId: 7 }],
      topCandidates: [{ candidates: [{ token: "é", logProbability: -0.5 }] }],
    };
    const { events } = read(candidate([{ text: "é" }], { finishReason: "STOP", logprobsResult }));
    const token = { token: "é", logprob: -0.5, bytes: [195, 169] };
    expect(events[0]).toMatchObject({
      text: "é",
      extra: [{ level: "choice", fields: { logprobs: { content: [{ ...token, top_logprobs: [token] }] } } }],
    });
  });

  it("keeps what it was grounded in beside it", () => {
    const groundingMetadata = { webSearchQueries: ["tide"] };
    const { events } = read(candidate([{ text: "High." }], { finishReason: "STOP", groundingMetadata }));
    expect(events.at(-1)).toMatchObject({ extra: [{ level: "choice", fields: { groundingMetadata } }] });
  });

  it("counts thoughts as its own tokens, and what tools said as the prompt's", () => {
    const usageMetadata = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 2,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 3,
      cachedContentTokenCount: 4,
    };
    expect(read({ ...candidate([{ text: "a" }]), usageMetadata }).usage).toEqual({
      promptTokens: 12,
      completionTokens: 8,
      totalTokens: 20,
      details: { prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 3 } },
    });
  });

  it.each<[`${FinishReason}` | "NEW_REASON", string]>([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["SPII", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "stop"],
    ["OTHER", "OTHER"],
    ["NEW_REASON", "NEW_REASON"],
  ])("that ended with %s ended with %s, and says which filter it was", (finishReason, expected) => {
    const { end } = read(candidate([{ text: "a" }], { finishReason }));
    expect(end.finishReason).toBe(expected);
    if (expected === "content_filter") expect(end.stated).toBe(finishReason);
  });

  it.each([
    ["Malformed function call: print(default_api.f(a=1))", "\n```tool_code\nprint(default_api.f(a=1))\n```"],
    ["Malformed function call: call:f{a: 1}", "\ncall:f{a: 1}"],
    ["Unexpected tool call: f(a=1)", "\n```tool_code\nf(a=1)\n```"],
  ])("whose call could not be read says it as a leak: %s", (finishMessage, text) => {
    const { events } = read({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage }] });
    expect(events).toEqual([{ type: "text", text }]);
  });

  it("of which nothing was let through is a refusal that names why", () => {
    const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 3 } };
    expect(() => read(blocked)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: "upstream_refused" }) }),
    );
  });

  it.each<[JsonObject, boolean]>([
    [candidate([]), true],
    [{ promptFeedback: { blockReason: "SAFETY" } }, true],
    [{ choices: [] }, false],
    [{ status: "ok" }, false],
  ])("is told from what is none: %j", (document, expected) => {
    expect(new GeminiAnswer().isAnswer(document)).toBe(expected);
  });
});

describe("the list of models", () => {
  it("has those that answer, by the names that clients send", () => {
    const models = [
      { name: "models/gemini-9", description: "New.", supportedGenerationMethods: ["generateContent"] },
      { name: "models/embedding-1", supportedGenerationMethods: ["embedContent"] },
    ];
    expect(gemini.list.entries({ models })).toEqual([
      { id: "gemini-9", object: "model", owned_by: "google", description: "New." },
    ]);
    expect(gemini.list.entries({ data: [] })).toBeUndefined();
  });
});

// The spellings of the chat wire.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { ChunkReader } from "../../../../src/models/response/ChunkReader.ts";
import { delta } from "../../../support/FakeUpstream.ts";

function read(...chunks: readonly JsonObject[]) {
  const reader = new ChunkReader();
  return chunks.flatMap((chunk) => reader.read(chunk));
}

describe("ChunkReader", () => {
  it.each([
    ["reasoning_content", { reasoning_content: "hm" }],
    ["reasoning", { reasoning: "hm" }],
    ["thinking", { thinking: "hm" }],
    ["parts of content", { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }],
    ["two fields with the same text", { reasoning_content: "hm", reasoning: "hm" }],
  ])("reads a thought from %s once", (_, fields) => {
    expect(read(delta(fields))).toEqual([{ type: "reasoning", text: "hm" }]);
  });

  it("reads a thought from reasoning_details once, and passes the details on for whoever must send them back", () => {
    const details = [
      { type: "reasoning.text", text: "h" },
      { type: "reasoning.summary", summary: "m" },
    ];
    expect(read(delta({ reasoning: "hm", reasoning_details: details }))).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "", extra: [{ level: "delta", fields: { reasoning_details: details } }] },
    ]);
  });

  it("gives a call fragment what its upstream says beside it, flat calls and old ones alike", () => {
    const extra = {
      extra_content: { vendor: { signature: "s" } },
      function: { hint: 1 },
    };
    const call = {
      index: 0,
      id: "a",
      type: "function",
      function: { name: "f", arguments: "{}" },
    };
    const fragment = {
      type: "call-fragment",
      index: 0,
      id: "a",
      name: "f",
      arguments: "{}",
    };
    const marked = {
      ...call,
      extra_content: extra.extra_content,
      function: { ...call.function, hint: 1 },
    };
    expect(read(delta({ tool_calls: [marked] }))).toEqual([{ ...fragment, extra }]);
    expect(
      read(
        delta({
          tool_calls: [{ id: "a", name: "f", arguments: "{}", note: 1 }],
        }),
      ),
    ).toEqual([{ ...fragment, extra: { note: 1 } }]);
    expect(read(delta({ tool_calls: [call] }))).toEqual([fragment]);
  });

  it("keeps two different thoughts of one delta", () => {
    expect(read(delta({ reasoning_content: "a", reasoning: "b" }))).toHaveLength(2);
  });

  it("carries fields it does not model with their level, repeated scalars and padding once or never", () => {
    const chunk = {
      ...delta({ content: "a", refusal: null }),
      system_fingerprint: "fp",
      service_tier: null,
      obfuscation: "x",
    };
    const logprobs = { content: [{ token: "a" }] };
    expect(
      read(
        { ...chunk, choices: [{ index: 0, delta: { content: "a", annotations: [1] }, logprobs, finish_reason: null }] },
        chunk,
        { ...delta({ refusal: "no" }), system_fingerprint: "fp" },
      ),
    ).toEqual([
      {
        type: "text",
        text: "a",
        extra: [
          { level: "chunk", fields: { system_fingerprint: "fp" } },
          { level: "choice", fields: { logprobs } },
          { level: "delta", fields: { annotations: [1] } },
        ],
      },
      { type: "text", text: "a" },
      { type: "text", text: "", extra: [{ level: "delta", fields: { refusal: "no" } }] },
    ]);
  });

  it("drops log-probabilities of what is no content", () => {
    const choice = { index: 0, delta: { reasoning: "hm" }, logprobs: { content: [] }, finish_reason: null };
    expect(read({ choices: [choice] })).toEqual([{ type: "reasoning", text: "hm" }]);
  });

  it("reads a legacy function_call as the call with index 0", () => {
    expect(
      read(delta({ function_call: { name: "f", arguments: "{" } }), delta({ function_call: { arguments: "}" } })),
    ).toEqual([
      { type: "call-fragment", index: 0, name: "f", arguments: "{" },
      { type: "call-fragment", index: 0, arguments: "}" },
    ]);
  });

  it("reads calls with no index by position, with a textual index, flat, or alone instead of in a list", () => {
    const calls = [{ function: { name: "a" } }, { function: { name: "b" } }];
    expect(read(delta({ tool_calls: calls }))).toMatchObject([{ index: 0 }, { index: 1 }]);
    expect(read(delta({ tool_calls: [{ index: "3", name: "a", arguments: "{}" }] }))).toEqual([
      { type: "call-fragment", index: 3, name: "a", arguments: "{}" },
    ]);
    expect(read(delta({ tool_calls: { function: { name: "a", arguments: { x: 1 } } } }))).toEqual([
      { type: "call-fragment", index: 0, name: "a", arguments: '{"x":1}' },
    ]);
  });

  it("survives fields that are not what they should be", () => {
    const odd = {
      choices: [null, { index: 1, delta: { content: "other" } }, { index: 0, delta: "x", finish_reason: 3 }],
    };
    expect(read(odd, { choices: "none" }, {}, delta({ content: 5, tool_calls: ["x", null] }))).toEqual([]);
  });

  it("lets no field name reach a prototype", () => {
    const chunk = JSON.parse('{"__proto__":{"polluted":1},"choices":[{"delta":{"content":"a"}}]}') as JsonObject;
    expect(read(chunk)).toEqual([{ type: "text", text: "a" }]);
  });

  it("takes an empty finish reason for none", () => {
    const reader = new ChunkReader();
    reader.read(delta({ content: "a" }, ""));
    expect(reader.finishReason).toBeNull();
    expect(reader.read(delta({ content: "b" }))).toEqual([{ type: "text", text: "b" }]);
  });

  it("sums a usage that has no total and keeps the last one", () => {
    const reader = new ChunkReader();
    reader.read({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
    reader.read({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 5 } });
    reader.read({ choices: [], usage: { prompt_tokens: 1e300, completion_tokens: 5 } });
    expect(reader.usage).toEqual({ promptTokens: 1, completionTokens: 5, totalTokens: 6 });
  });
});

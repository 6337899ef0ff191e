// The bytes of whole answers, the order of their members included: clients that compare texts, and caches, live by them.
import { describe, expect, it } from "@jest/globals";
import { Collector } from "../../../../src/core/events/Collector.ts";
import type { RunEvent } from "../../../../src/core/events/events.ts";
import type { ToolCall } from "../../../../src/core/messages.ts";
import { buildCompletion } from "../../../../src/server/apis/chatCompletions/completion.ts";
import { FUNCTIONS } from "../../../../src/server/apis/chatCompletions/encodeCalls.ts";
import { turnEnd, turnStart } from "../../../support/testApp.ts";

const FRAME = { id: "chatcmpl-one", model: "asked", created: 1_700_000_000 };
const CALL: ToolCall = {
  id: "call00001",
  name: "look",
  arguments: '{"at":1}',
  origin: "hermes-json",
  repairs: ["json-repair"],
  raw: "",
};

function bytesOf(...choices: readonly [readonly RunEvent[], ...(readonly RunEvent[])[]]): string {
  const [first, ...more] = choices.map((events) => {
    const collector = new Collector();
    for (const event of events) collector.add(event);
    return collector.getCollected();
  });
  if (!first) throw new TypeError("No choice.");
  return JSON.stringify(buildCompletion(FRAME, [first, ...more], { raw: false, calls: FUNCTIONS }));
}

const HEAD = '"id":"chatcmpl-one","model":"asked","created":1700000000,"object":"chat.completion"';
const ANSWERED_BY = '"model":"test-model","tool_mode":"native","model_row":"test-*"';

describe("the bytes of a whole answer", () => {
  it("of words alone", () => {
    const said: readonly RunEvent[] = [
      { type: "run-start", runId: "one" },
      turnStart,
      { type: "text-delta", text: 'Hello "there".\n' },
      turnEnd,
      { type: "run-end", outcome: "answered", turns: 1, spent: { tokens: 3, calls: 0 } },
    ];
    expect(bytesOf(said)).toBe(
      [
        `{${HEAD}`,
        '"choices":[{"logprobs":null,"index":0,"message":{"refusal":null,"role":"assistant","content":"Hello \\"there\\".\\n"},"finish_reason":"stop"}]',
        '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}',
        `"postel":{${ANSWERED_BY},"formats":[],"repairs":[],"issues":[]`,
        '"attempts":1,"retries":0,"run_id":"one","outcome":"answered","spent":{"tokens":3,"calls":0}}}',
      ].join(","),
    );
  });

  it("of everything that an upstream and a run can say", () => {
    const said: readonly RunEvent[] = [
      { type: "run-start", runId: "one" },
      {
        ...{ type: "turn-start", model: "test-model", toolMode: "native", row: "test-*" },
        ...{ note: "A note.", historyRepairs: ["dropped-result"] },
      },
      { type: "reasoning-delta", text: "Hm." },
      {
        type: "text-delta",
        text: "",
        extra: [
          { level: "chunk", fields: { service_tier: "default" } },
          { level: "choice", fields: { logprobs: { content: [] } } },
          { level: "delta", fields: { refusal: "No", annotations: [{ n: 1 }] } },
          { level: "delta", fields: { refusal: "." } },
        ],
      },
      { type: "tool-call", call: CALL },
      { type: "format-issue", issue: { code: "stray-mark", message: "A mark.", family: "hermes-json", raw: "<" } },
      { ...turnEnd, upstreamFinishReason: "eos", usagePartial: true, mended: ["seed"], retries: 2 },
      { type: "extraction", missing: "Nothing was found." },
      { type: "run-end", outcome: "answered", turns: 1, spent: { tokens: 3, calls: 1, money: 0.5 }, sources: [] },
    ];
    expect(bytesOf(said)).toBe(
      [
        `{"service_tier":"default",${HEAD}`,
        '"choices":[{"logprobs":{"content":[]},"index":0',
        '"message":{"refusal":"No.","annotations":[{"n":1}],"role":"assistant","content":null,"reasoning_content":"Hm."',
        '"tool_calls":[{"id":"call00001","type":"function","function":{"name":"look","arguments":"{\\"at\\":1}"}}]}',
        '"finish_reason":"tool_calls"}]',
        '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}',
        '"output":null',
        `"postel":{${ANSWERED_BY},"formats":["hermes-json"],"repairs":["dropped-result","json-repair"]`,
        '"issues":[{"code":"stray-mark","message":"A mark.","family":"hermes-json"}]',
        '"attempts":1,"retries":2,"mended":["seed"],"usage_partial":true,"upstream_finish_reason":"eos"',
        '"run_id":"one","outcome":"answered","spent":{"tokens":3,"calls":1,"money":0.5},"sources":[]',
        '"output_missing":"Nothing was found.","note":"A note."}}',
      ].join(","),
    );
  });

  it("of two choices", () => {
    const choice = (text: string): readonly RunEvent[] => [turnStart, { type: "text-delta", text }, turnEnd];
    expect(bytesOf(choice("One."), choice("Two."))).toBe(
      [
        `{${HEAD}`,
        '"choices":[{"logprobs":null,"index":0,"message":{"refusal":null,"role":"assistant","content":"One."},"finish_reason":"stop"}',
        '{"logprobs":null,"index":1,"message":{"refusal":null,"role":"assistant","content":"Two."},"finish_reason":"stop"}]',
        '"usage":{"prompt_tokens":6,"completion_tokens":4,"total_tokens":10}',
        `"postel":{${ANSWERED_BY},"formats":[],"repairs":[],"issues":[],"attempts":2,"retries":0}}`,
      ].join(","),
    );
  });
});

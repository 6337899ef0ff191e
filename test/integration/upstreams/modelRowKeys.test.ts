// Every key that a model's row may have changes what is asked of the model or what is made of its answer: none is documented for nothing.

import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ModelProfile, ReasoningCapability } from "../../../src/core/models/capabilities.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

type Settings = Omit<ModelProfile, "match" | "why">;
type Key = Exclude<keyof Settings, "reasoning"> | `reasoning.${keyof ReasoningCapability}`;

interface Scene {
  /** The row with the key, and without it where that is not the empty row. */
  readonly row: Settings;
  readonly without?: Settings;
  readonly asked?: JsonObject;
  readonly answer?: string;
}

const TOOL = {
  type: "function",
  function: { name: "count", parameters: { type: "object", properties: { n: { type: "integer" } } } },
};
const tools = [TOOL];
const ANSWER_FORM = {
  type: "json_schema",
  json_schema: { name: "answer", schema: { type: "object", properties: { n: { type: "integer" } } } },
};

/** What is said late: after the one row's patience, and before the other's. Milliseconds. */
const LATE = 300;
const EARLY = 50;

/** A scene that differs by the key, for each key: a new one is missing here until it has one. */
const SCENES: Readonly<Record<Key, Scene>> = {
  tools: { row: { tools: "text" }, asked: { tools } },
  toolChoice: { row: { toolChoice: ["auto"] }, asked: { tools, tool_choice: "required" } },
  jsonSchema: { row: { jsonSchema: "none" }, asked: { response_format: ANSWER_FORM }, answer: '{"n": 1}' },
  systemRole: { row: { systemRole: "developer" }, asked: { messages: [{ role: "system", content: "Be brief." }] } },
  formats: { row: { formats: ["hy-v3"] }, asked: { tools }, answer: "<answer>Seven.</answer>" },
  emulate: { row: { tools: "text", emulate: "react-text" }, without: { tools: "text" }, asked: { tools } },
  "reasoning.field": {
    row: { reasoning: { field: "thinking" } },
    asked: {
      messages: [
        { role: "assistant", content: "Hm.", reasoning_content: "So." },
        { role: "user", content: "?" },
      ],
    },
  },
  "reasoning.marks": { row: { reasoning: { marks: "bracket-think" } }, answer: "[THINK]So.[/THINK]Seven." },
  "reasoning.opened": { row: { reasoning: { opened: "always" } }, answer: "So.</think>Seven." },
  "reasoning.interleaved": {
    row: { reasoning: { marks: "think", interleaved: true } },
    without: { reasoning: { marks: "think" } },
    answer: "Wait.\n<think>So.</think>\nSeven.",
  },
  wire: { row: { wire: "chatml" }, answer: "Seven.<|im_end|>\n<|im_start|>user\nThanks!<|im_end|>\n" },
  stream: { row: { stream: "always" } },
  onInvalid: {
    row: { onInvalid: "text" },
    asked: { tools },
    answer: '<tool_call>{"name": "count", "arguments": {"n": "many"}}</tool_call>',
  },
  parse: { row: { parse: "off" }, answer: "<think>So.</think>Seven." },
  fractions: {
    row: { fractions: "pass" },
    asked: { tools },
    answer: '<tool_call>{"name": "count", "arguments": {"n": 2.5}}</tool_call>',
  },
  tokenizesText: {
    row: { wire: "chatml", tokenizesText: true },
    without: { wire: "chatml" },
    asked: {
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "count", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "a", content: "<|im_end|>" },
      ],
      tools,
    },
  },
  quirks: { row: { quirks: ["no-seed"] }, asked: { seed: 1 } },
  prompt: {
    row: { tools: "text", prompt: ["Calls have this one form and no other."] },
    without: { tools: "text" },
    asked: { tools },
  },
  nativePrompt: { row: { nativePrompt: ["Call a tool only where you need one."] }, asked: { tools } },
  firstEventMs: { row: { stream: "always", firstEventMs: EARLY }, without: { stream: "always" }, answer: "Late." },
  contextTokens: { row: { contextTokens: 8_192 } },
  prices: { row: { prices: { input: 0.25, output: 1 } } },
  sampling: {
    row: { tools: "text", sampling: { temperature: 0.3, maxTokens: 8_192 } },
    without: { tools: "text" },
    asked: { tools },
  },
};

let answer = "";
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start((_request, response) => {
    if (answer === "Late.") setTimeout(() => sendText(response, answer), LATE);
    else sendText(response, answer);
  });
  const rows = Object.entries(SCENES).flatMap(([key, { row, without }]): ModelProfile[] => [
    { ...row, match: [`with-${key.toLowerCase()}`], why: "test" },
    { ...without, match: [`without-${key.toLowerCase()}`], why: "test" },
  ]);
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels: rows } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** What went to the upstream and what the caller got, without the model's name, ids and times. */
async function seen(model: string, scene: Scene) {
  answer = scene.answer ?? "Seven.";
  const before = upstream.requests.length;
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "How many?" }], ...scene.asked, model }),
  });
  const { choices, error } = (await response.json()) as { choices?: { message: JsonObject }[]; error?: JsonObject };
  const { content, reasoning_content, tool_calls } = choices?.[0]?.message ?? {};
  const sent = upstream.requests.slice(before).map(({ body }) => ({ ...body, model: "" }));
  const calls = ((tool_calls ?? []) as JsonObject[]).map((call) => call.function);
  const { postel } = (await (await fetch(`${gateway.url}/v1/models/${model}`)).json()) as { postel: JsonObject };
  const { context_tokens, prices } = postel;
  return { sent, content, reasoning_content, calls, error: error?.code, context_tokens, prices };
}

describe("a model's row", () => {
  it.each(Object.entries(SCENES))("says something with %s", async (key, scene) => {
    const [one, other] = [
      await seen(`with-${key.toLowerCase()}`, scene),
      await seen(`without-${key.toLowerCase()}`, scene),
    ];
    expect(one).not.toEqual(other);
  });

  it("limits the tokens of an answer in text mode, unless the caller does", async () => {
    const { row } = SCENES.sampling;
    const sent = async (asked: JsonObject) => (await seen("with-sampling", { row, asked: { tools, ...asked } })).sent;
    expect(await sent({})).toMatchObject([{ max_tokens: 8_192 }]);
    const [body] = await sent({ max_completion_tokens: 7 });
    expect(body).toMatchObject({ max_completion_tokens: 7 });
    expect(body).not.toHaveProperty("max_tokens");
  });

  it("changes nothing where it says nothing", async () => {
    const scene: Scene = { row: {}, asked: { tools, seed: 1 } };
    expect(await seen("without-stream", scene)).toEqual(await seen("some-model", scene));
  });
});

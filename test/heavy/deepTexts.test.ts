// Texts and JSON that nest 100,000 levels deep, by every outer route: an answer or an error with a code of its own, and a gateway that lives.

import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { FakeUpstream } from "../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../support/startGateway.ts";

const LEVELS = 100_000;

const deep = (open: string, close = ""): string => `${open.repeat(LEVELS)}1${close.repeat(LEVELS)}`;

const LISTS = deep("[", "]");
const OBJECTS = deep('{"a":', "}");

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["lists", LISTS],
  ["objects", OBJECTS],
  ["broken objects", deep("{'a':", "}")],
  ["lists that never close", deep("[")],
  ["a marked call", `<tool_call>{"name":"f","arguments":{"a":${LISTS}}}</tool_call>`],
  ["a Python call", `[f(a=${deep("(", ")")})]`],
  ["a call in braces", `<|tool_call>call:f{a:${deep("{a:", "}")}}<tool_call|>`],
  ["elements", `<tool_call><name>f</name><arguments>${deep("<a>", "</a>")}</arguments></tool_call>`],
  ["a parameter", `<function=f><parameter=a>${LISTS}</parameter></function>`],
  ["YAML", `\`\`\`yaml\nname: f\narguments:\n  a: ${LISTS}\n\`\`\``],
  ["marks of calls", deep("<tool_call>", "</tool_call>")],
  ["marks of thoughts", deep("<think>", "</think>")],
  ["a string of JSON", JSON.stringify({ name: "f", arguments: OBJECTS })],
];

const tools = [{ type: "function", function: { name: "f", parameters: { type: "object", properties: { a: {} } } } }];
const question = { messages: [{ role: "user", content: "go" }], tools };

/** The body of the upstream's next answer, and its type. */
let next: { readonly type: string; readonly body: string };
let upstream: FakeUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await FakeUpstream.start((_, response) => {
    response.writeHead(200, { "content-type": next.type });
    response.end(next.body);
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function whole(message: string): void {
  const choices = `[{"index":0,"message":{"role":"assistant",${message}},"finish_reason":"stop"}]`;
  next = { type: "application/json", body: `{"id":"c","object":"chat.completion","created":1,"choices":${choices}}` };
}

function streamed(delta: string): void {
  const event = `data: {"id":"c","choices":[{"index":0,"delta":{${delta}},"finish_reason":"stop"}]}\n\n`;
  next = { type: "text/event-stream", body: `${event}data: [DONE]\n\n` };
}

async function expectNoFault(path: string, body: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body });
  const text = await response.text();
  expect(text).not.toContain("internal_error");
  expect(response.status).not.toBe(500);
  if (response.status >= 400) expect(JSON.parse(text).error.code).toEqual(expect.any(String));
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
}

const ask = (fields: object = {}) =>
  expectNoFault("/v1/chat/completions", JSON.stringify({ model: "m", ...question, ...fields }));

describe("100,000 levels end without a fault of the gateway", () => {
  it.each(TEXTS)("in a text for /v1/parse: %s", async (_, text) => {
    await expectNoFault("/v1/parse", JSON.stringify({ text, tools }));
  });

  it.each(TEXTS)("in an upstream's text: %s", async (_, text) => {
    whole(`"content":${JSON.stringify(text)}`);
    await ask();
    whole(`"content":${JSON.stringify(text)}`);
    await ask({ tools: undefined, response_format: { type: "json_object" } });
    streamed(`"content":${JSON.stringify(text)}`);
    await ask({ stream: true });
  });

  it.each(TEXTS)("in the arguments of a structured call: %s", async (_, text) => {
    const calls = [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: text } }];
    whole(`"content":null,"tool_calls":${JSON.stringify(calls)}`);
    await ask();
    streamed(`"tool_calls":${JSON.stringify(calls)}`);
    await ask({ stream: true });
  });

  it.each(TEXTS)("in the arguments and the result of a call in the history: %s", async (_, text) => {
    const call = { id: "c1", type: "function", function: { name: "f", arguments: text } };
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: text },
    ];
    whole('"content":"done"');
    await ask({ messages });
  });

  it.each([LISTS, OBJECTS])("in the JSON of an upstream's answer or event %#", async (json) => {
    whole(`"content":"x","extra":${json}`);
    await ask();
    streamed(`"content":"x","extra":${json}`);
    await ask({ stream: true });
  });

  it.each([LISTS, OBJECTS])("in the JSON of a request %#", async (json) => {
    whole('"content":"done"');
    const body = JSON.stringify({ model: "m", ...question });
    for (const path of ["/v1/chat/completions", "/v1/agent", "/v1/parse"])
      await expectNoFault(path, `${body.slice(0, -1)},"junk":${json}}`);
    await ask({ response_format: undefined, tools: undefined });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

// A model that answers in the form that was asked for, with words in it that are marks elsewhere, and numbers in quotation marks.
let upstream: FakeUpstream;
let gateway: RunningGateway;
let script: string[] = [];
beforeAll(async () => {
  upstream = await FakeUpstream.start((_request, response) => {
    sendText(response, script.shift() ?? "I have nothing more to say.");
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});
beforeEach(() => {
  script = [];
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const messages = [{ role: "user" as const, content: "Fill in the form." }];
const tools = [
  {
    type: "function" as const,
    function: { name: "look_up", parameters: { type: "object", properties: { word: { type: "string" } } } },
  },
];

function formOf(properties: Record<string, unknown>) {
  const schema = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
  return { type: "json_schema" as const, json_schema: { name: "form", schema } };
}

interface Asked {
  readonly content: string | null | undefined;
  readonly asked: number;
}

/** The content that the official client receives, and how many times the model was asked for it. */
async function contentOf(form: ReturnType<typeof formOf>, route: { path: string; stream: boolean; tools: boolean }) {
  const before = upstream.requests.length;
  const { completions } = gateway.client(route.path).chat;
  const body = { model: "m", messages, response_format: form, ...(route.tools && { tools }) };
  const { choices } = route.stream
    ? await completions.stream(body).finalChatCompletion()
    : await completions.create(body);
  const answer: Asked = { content: choices[0]?.message.content, asked: upstream.requests.length - before };
  return answer;
}

const routes = ["/v1", "/v1/agent"].flatMap((path) =>
  [true, false].flatMap((stream) => [true, false].map((withTools) => ({ path, stream, tools: withTools }))),
);

describe.each(routes)("an answer bound to a schema on $path (stream: $stream, tools: $tools)", (route) => {
  it("keeps the control tokens in its strings", async () => {
    const text = '{"tmpl": "<|im_start|>user", "stop": "<|endoftext|>", "call": "<tool_call>"}';
    script = [text];
    const form = formOf({ tmpl: { type: "string" }, stop: { type: "string" }, call: { type: "string" } });
    expect(await contentOf(form, route)).toEqual({ content: text, asked: 1 });
  });

  it("has its number fitted at its place, and nobody is asked again", async () => {
    script = ['{ "n": "1",  "why": "one" }'];
    const form = formOf({ n: { type: "integer" }, why: { type: "string" } });
    expect(await contentOf(form, route)).toEqual({ content: '{ "n": 1,  "why": "one" }', asked: 1 });
  });

  it("tells the model in a sentence what is wrong, and takes the mended answer", async () => {
    script = ['{"n": "one"}', '{"n": 1}'];
    expect(await contentOf(formOf({ n: { type: "integer" } }), route)).toEqual({ content: '{"n": 1}', asked: 2 });
    const told = upstream.requests.at(-1)?.body.messages.at(-1)?.content;
    expect(told).toContain('"n" must be integer, got the string "one".');
  });
});

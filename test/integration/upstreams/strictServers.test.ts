// Servers that refuse a part of what everybody may say, each in the words of one that does: nobody's conversation breaks on it.

import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject, JsonValue } from "../../../src/core/messages.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

type Messages = readonly JsonObject[];

interface Strict {
  readonly server: string;
  /** The quirk of a row that says it beforehand. */
  readonly quirks: readonly string[];
  readonly words: string;
  readonly status?: number;
  readonly refuses: (messages: Messages, body: JsonObject) => boolean;
  readonly request: JsonObject;
  /** What must have reached the server, in the end. */
  readonly tells?: readonly string[];
  readonly mended?: string;
}

const call = { id: "call_1", type: "function", function: { name: "get_tide", arguments: '{"port":"Brest"}' } };
const LOOP = [
  { role: "user", content: "How high is the water?" },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "call_1", content: "6 metres" },
];
const tools = [{ type: "function", function: { name: "get_tide", parameters: { type: "object", properties: {} } } }];

const roles = (messages: Messages) => messages.map(({ role }) => role);
const parts = ({ content }: JsonObject): readonly JsonValue[] =>
  Array.isArray(content) ? (content as JsonValue[]) : [];

const SERVERS: readonly Strict[] = [
  {
    server: "a template that takes instructions at the beginning alone",
    quirks: ["merge-system"],
    words: "System message must be at the beginning.",
    refuses: (messages) => roles(messages).lastIndexOf("system") > 0,
    request: {
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: "Be brief." },
        { role: "user", content: "How high is the water?" },
      ],
    },
    tells: ["Be brief.", "How high is the water?"],
    mended: "messages",
  },
  {
    server: "a template without instructions",
    quirks: [],
    words: "System role not supported",
    refuses: (messages) => roles(messages).includes("system"),
    request: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "How high is the water?" },
      ],
    },
    tells: ["Be brief."],
    mended: "messages",
  },
  {
    server: "a template of two roles that take turns",
    quirks: ["alternate-roles"],
    words: "Conversation roles must alternate user/assistant/user/assistant/...",
    refuses: (messages) => roles(messages).some((role, at) => role === roles(messages)[at + 1]),
    request: {
      messages: [
        { role: "user", content: "Hi" },
        { role: "user", content: "How high is the water?" },
      ],
    },
    tells: ["Hi", "How high is the water?"],
    mended: "messages",
  },
  {
    server: "a model that nobody may begin an answer for",
    quirks: ["user-last"],
    words: "This model does not support assistant message prefill. The conversation must end with a user message.",
    refuses: (messages) => roles(messages).at(-1) === "assistant",
    request: {
      messages: [
        { role: "user", content: "How high is the water?" },
        { role: "assistant", content: "It is" },
      ],
    },
    tells: ["It is"],
    mended: "messages",
  },
  {
    server: "a template that knows no tool and says so",
    quirks: ["no-tool-role", "alternate-roles"],
    words: "Only user and assistant roles are supported!",
    status: 500,
    refuses: (messages) => roles(messages).some((role) => role !== "user" && role !== "assistant"),
    request: { messages: LOOP, tools },
    tells: ["get_tide", "Brest", "6 metres"],
    mended: "messages",
  },
  {
    server: "a template that knows no tool and speaks of turns",
    quirks: ["no-tool-role", "alternate-roles"],
    words: "Template error: syntax error: Conversation roles must alternate user/assistant/user/assistant/...",
    refuses: (messages) => roles(messages).some((role, at) => role !== (at % 2 === 0 ? "user" : "assistant")),
    request: { messages: LOOP, tools },
    tells: ["get_tide", "Brest", "6 metres"],
    mended: "messages",
  },
  {
    server: "a server that knows content as text alone",
    quirks: ["content-as-text"],
    words:
      "Failed to deserialize the JSON body into the target type: messages[0].content: invalid type: sequence, expected a string at line 5 column 19",
    status: 422,
    refuses: (messages) => messages.some((message) => Array.isArray(message.content)),
    request: {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "How high" },
            { type: "text", text: "is the water?" },
          ],
        },
      ],
    },
    tells: ["How high\\nis the water?"],
  },
  {
    server: "Ollama, to a call without words",
    quirks: ["no-null-content"],
    words: "invalid message content type: <nil>",
    refuses: (messages) => messages.some(({ content }) => content === null),
    request: { messages: LOOP, tools },
    tells: ["6 metres", "call_1"],
  },
  {
    server: "LM Studio, to a call without words",
    quirks: ["no-null-content"],
    words: "Invalid 'content': 'content' field must be a string or an array of objects.",
    refuses: (messages) => messages.some(({ content }) => content === null),
    request: { messages: LOOP, tools },
    tells: ["6 metres", "call_1"],
  },
  {
    server: "Anthropic behind a proxy, to messages without a word",
    quirks: ["no-empty-content"],
    words: "messages: text content blocks must be non-empty",
    refuses: (messages) =>
      messages.some(
        (message) => message.content === "" || parts(message).some((part) => (part as JsonObject).text === ""),
      ),
    request: {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "" },
            { type: "text", text: "How high is the water?" },
          ],
        },
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "" },
      ],
      tools,
    },
    tells: ["How high is the water?", "call_1"],
  },
  {
    server: "Anthropic, to a temperature above its own",
    quirks: ["temperature-to-1"],
    words: "temperature: range: 0..1",
    refuses: (_messages, { temperature }) => Number(temperature) > 1,
    request: { messages: [{ role: "user", content: "Hi" }], temperature: 1.7 },
    tells: ['"temperature":1'],
    mended: "temperature",
  },
  {
    server: "Mistral, to a temperature above its own",
    quirks: ["temperature-to-1-5"],
    words:
      '{"detail":[{"type":"less_than_equal","loc":["body","temperature"],"msg":"Input should be less than or equal to 1.5","input":1.7}]}',
    status: 422,
    refuses: (_messages, { temperature }) => Number(temperature) > 1.5,
    request: { messages: [{ role: "user", content: "Hi" }], temperature: 1.7 },
    tells: ['"temperature":1.5'],
    mended: "temperature",
  },
  {
    server: "Moonshot, to a temperature that is not the one",
    quirks: ["no-temperature"],
    words: "invalid temperature: only 1 is allowed for this model",
    refuses: (_messages, { temperature }) => temperature !== undefined && temperature !== 1,
    request: { messages: [{ role: "user", content: "Hi" }], temperature: 0.2 },
    mended: "temperature",
  },
  {
    server: "OpenAI, to a field of other servers",
    quirks: ["no-top-k"],
    words: "Unrecognized request argument supplied: top_k",
    refuses: (_messages, body) => "top_k" in body,
    request: { messages: [{ role: "user", content: "Hi" }], top_k: 40 },
    mended: "top_k",
  },
];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Setting {
  readonly gateway: RunningGateway;
  readonly upstream: FakeUpstream;
  /** Kept once the gateway remembers what it was refused. */
  readonly learnt: Promise<void>;
}

async function serve({ words, status = 400, refuses }: Strict, quirks?: readonly string[]): Promise<Setting> {
  const upstream = await FakeUpstream.start((request, response) => {
    const body = request.body as unknown as JsonObject;
    if (refuses(body.messages as Messages, body)) sendError(response, status, words);
    else sendText(response, "It is six metres high.");
  });
  const config = configFor(upstream.baseUrl);
  const row = quirks && { match: ["m"], quirks, why: "A test." };
  const { promise: learnt, resolve } = Promise.withResolvers<void>();
  const gateway = await startGateway({
    config: { ...config, operatorModels: row ? [row] : [] },
    observer: { observe: ({ type }) => type === "evidence" && resolve() },
  });
  open.push(upstream, gateway);
  return { upstream, gateway, learnt };
}

async function ask(gateway: RunningGateway, request: JsonObject): Promise<JsonObject> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", ...request }),
  });
  const answer = (await response.json()) as JsonObject;
  expect(answer).not.toHaveProperty("error");
  expect(JSON.stringify(answer.choices)).toContain("It is six metres high.");
  return answer;
}

/** The requests of callers; the gateway's own have a limit of one token. */
function asked({ upstream }: Setting): readonly JsonObject[] {
  return upstream.requests
    .map(({ body }) => body as unknown as JsonObject)
    .filter(({ max_tokens: limit }) => limit !== 1);
}

function told({ tells = [] }: Strict, body: JsonObject | undefined): void {
  const text = JSON.stringify(body);
  expect(tells.filter((words) => !text.includes(words))).toEqual([]);
}

describe.each(SERVERS)("$server", (strict) => {
  it("costs a caller no answer and no word", async () => {
    const setting = await serve(strict);
    const answer = await ask(setting.gateway, strict.request);
    expect(answer.postel).toMatchObject({ attempts: 1, retries: 1 });
    expect((answer.postel as JsonObject).mended).toEqual(strict.mended === undefined ? undefined : [strict.mended]);
    expect(asked(setting)).toHaveLength(2);
    told(strict, asked(setting)[1]);
  });

  it("is not told it again once the gateway has asked for itself", async () => {
    const setting = await serve(strict);
    await ask(setting.gateway, strict.request);
    await setting.learnt;
    const answer = await ask(setting.gateway, strict.request);
    expect(answer.postel).toMatchObject({ retries: 0 });
    expect(asked(setting)).toHaveLength(3);
  });
});

describe.each(SERVERS.filter(({ quirks }) => quirks.length > 0))("$server", (strict) => {
  it("is never told it where a row says so", async () => {
    const setting = await serve(strict, strict.quirks);
    const answer = await ask(setting.gateway, strict.request);
    expect(answer.postel).toMatchObject({ retries: 0 });
    expect(asked(setting)).toHaveLength(1);
    told(strict, asked(setting)[0]);
  });
});

// An unchanged OpenAI client, the gateway, and a server that speaks Google's generateContent: what holds on the chat wire holds here.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import { APIError } from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import type { Config } from "../../../src/core/config/configuration.ts";
import { formatTranscript, parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import {
  GEMINI_KEY,
  GeminiServer,
  type GeminiTurn,
  type ReceivedByGemini,
} from "../../support/servers/GeminiServer.ts";
import { configFor, type RunningGateway, shippedConfig, startGateway } from "../../support/startGateway.ts";

let server: GeminiServer;
let gateway: RunningGateway | undefined;

afterEach(async () => {
  await gateway?.close();
  await server.close();
  gateway = undefined;
});

async function clientOf(
  turnOf: (asked: ReceivedByGemini, attempt: number) => GeminiTurn,
  changes: Partial<Config> & { readonly apiKey?: string; readonly recordTo?: string } = {},
): Promise<OpenAI> {
  server = await GeminiServer.start(turnOf);
  const { apiKey = GEMINI_KEY, recordTo, ...rest } = changes;
  const { baseUrl } = server;
  const upstream = { type: "server", wire: "gemini", id: "google", baseUrl, apiKey, headers: {} } as const;
  const config = { ...configFor(baseUrl), upstreams: [{ ...upstream, models: ["*"], parse: "on" as const }], ...rest };
  gateway = await startGateway({ config, recordTo });
  return gateway.client();
}

const MODEL = "gemini-3-flash-preview";
const ASKED: ChatCompletionMessageParam = { role: "user", content: "What is the tide in Oslo and in Bergen?" };
const TIDE: ChatCompletionTool = {
  type: "function",
  function: {
    name: "lookup_tide",
    description: "Says the tide.",
    parameters: { type: "object", properties: { port: { type: "string" } }, required: ["port"] },
  },
};
const TOOLS = [TIDE];
const CALLS: GeminiTurn = {
  events: [
    [{ text: "I must look.", thought: true }],
    [{ text: "Both at " }],
    [{ text: "once." }],
    [{ functionCall: { id: "fc-1", name: "lookup_tide", args: { port: "Oslo" } }, thoughtSignature: "c2lnLTE=" }],
    [{ functionCall: { id: "fc-2", name: "lookup_tide", args: { port: "Bergen" } } }],
  ],
  usage: {
    promptTokenCount: 20,
    candidatesTokenCount: 9,
    thoughtsTokenCount: 5,
    cachedContentTokenCount: 4,
    totalTokenCount: 34,
  },
};
const TEXT: GeminiTurn = { events: [[{ text: "High " }], [{ text: "tide." }]] };

/** What a streamed answer comes to. */
async function gathered(client: OpenAI, body: OpenAI.ChatCompletionCreateParamsNonStreaming) {
  const stream = client.chat.completions.stream({ ...body, stream: true, stream_options: { include_usage: true } });
  return stream.finalChatCompletion();
}

describe("through the gateway a Gemini upstream", () => {
  it.each([true, false])("answers in text, with its usage (streamed: %s)", async (streamed) => {
    const client = await clientOf(() => TEXT);
    const body = {
      model: MODEL,
      messages: [{ role: "system", content: "Be brief." }, ASKED],
    } satisfies object as never;
    const answer = streamed ? await gathered(client, body) : await client.chat.completions.create(body as never);
    const [choice] = (answer as OpenAI.ChatCompletion).choices;
    expect(choice).toMatchObject({ finish_reason: "stop", message: { content: "High tide." } });
    expect((answer as OpenAI.ChatCompletion).usage).toMatchObject({
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
    });
    expect(server.received[0]).toMatchObject({
      streamed,
      body: {
        systemInstruction: { parts: [{ text: "Be brief." }] },
        contents: [{ role: "user", parts: [{ text: ASKED.content }] }],
      },
    });
  });

  it.each([true, false])("makes parallel calls, with thoughts and their tokens (streamed: %s)", async (streamed) => {
    const client = await clientOf(() => CALLS);
    const body = { model: MODEL, messages: [ASKED], tools: TOOLS };
    const answer = streamed ? await gathered(client, body) : await client.chat.completions.create(body);
    const [choice] = answer.choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message).toMatchObject({ content: "Both at once.", reasoning_content: "I must look." });
    expect(choice?.message.tool_calls).toMatchObject([
      { id: "fc-1", function: { name: "lookup_tide", arguments: '{"port":"Oslo"}' } },
      { id: "fc-2", function: { name: "lookup_tide", arguments: '{"port":"Bergen"}' } },
    ]);
    expect(choice?.message.tool_calls?.[0]).toMatchObject({
      extra_content: { google: { thought_signature: "c2lnLTE=" } },
    });
    expect(answer.usage).toMatchObject({
      prompt_tokens: 20,
      completion_tokens: 14,
      total_tokens: 34,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 5 },
    });
  });

  it("says the same in pieces of one, three and 64 bytes", async () => {
    const sizes = [1, 3, 64];
    const client = await clientOf((_, attempt) => ({ ...CALLS, bytes: sizes[attempt] ?? 1_000 }));
    const answers = [];
    for (const _ of [...sizes, "whole"]) {
      const { choices, usage } = await gathered(client, { model: MODEL, messages: [ASKED], tools: TOOLS });
      answers.push({ message: choices[0]?.message, usage });
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("gets its thought signature back though the client dropped it, and both results in one turn", async () => {
    const client = await clientOf((_, attempt) => (attempt === 0 ? CALLS : TEXT));
    const first = await client.chat.completions.create({ model: MODEL, messages: [ASKED], tools: TOOLS });
    const bare = (first.choices[0]?.message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [{ id: call.id, type: call.type, function: call.function }] : [],
    );
    const told = bare.map(({ id }, index) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: index === 0 ? '{"metres": 1.2}' : "low tide",
    }));
    const messages = [ASKED, { role: "assistant" as const, content: "Both at once.", tool_calls: bare }, ...told];
    const second = await client.chat.completions.create({ model: MODEL, messages, tools: TOOLS });
    expect(second.choices[0]?.message.content).toBe("High tide.");
    expect(server.received[1]?.body.contents).toEqual([
      { role: "user", parts: [{ text: ASKED.content }] },
      {
        role: "model",
        parts: [
          { text: "Both at once." },
          { functionCall: { id: "fc-1", name: "lookup_tide", args: { port: "Oslo" } }, thoughtSignature: "c2lnLTE=" },
          { functionCall: { id: "fc-2", name: "lookup_tide", args: { port: "Bergen" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "fc-1", name: "lookup_tide", response: { metres: 1.2 } } },
          { functionResponse: { id: "fc-2", name: "lookup_tide", response: { result: "low tide" } } },
        ],
      },
    ]);
  });

  it("takes a history that another model made, whose calls were never signed", async () => {
    const client = await clientOf(() => TEXT);
    const call = {
      id: "call_1",
      type: "function" as const,
      function: { name: "lookup_tide", arguments: '{"port":"Oslo"}' },
    };
    const messages: ChatCompletionMessageParam[] = [
      ASKED,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "high" },
    ];
    const answer = await client.chat.completions.create({ model: MODEL, messages, tools: TOOLS });
    expect(answer.choices[0]?.message.content).toBe("High tide.");
  });

  it("sees images, sent along or at an address", async () => {
    const client = await clientOf(() => TEXT);
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image_url" as const, image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      { type: "image_url" as const, image_url: { url: "https://example.org/tide.jpg" } },
    ];
    await client.chat.completions.create({ model: MODEL, messages: [{ role: "user", content }] });
    expect(server.received[0]?.body.contents).toEqual([
      {
        role: "user",
        parts: [
          { text: "What is this?" },
          { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
          { fileData: { fileUri: "https://example.org/tide.jpg", mimeType: "image/jpeg" } },
        ],
      },
    ]);
  });

  it.each([
    ["a fence of Python", "Let me see.\n\n```tool_code\nprint(default_api.lookup_tide(port='Oslo'))\n```"],
    ["call:NAME{…}", 'call:default_api:lookup_tide{port: "Oslo"}'],
    ["a tag", '<tool_call>{"name": "lookup_tide", "arguments": {"port": "Oslo"}}</tool_call>'],
  ])("leaks a call as %s, and a call is what the client gets", async (_, leaked) => {
    const events = (leaked.match(/.{1,7}/gs) ?? []).map((text) => [{ text }]);
    const client = await clientOf(() => ({ events }));
    const answer = await gathered(client, { model: MODEL, messages: [ASKED], tools: TOOLS });
    expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
    expect(answer.choices[0]?.message.tool_calls).toMatchObject([
      { function: { name: "lookup_tide", arguments: expect.stringMatching(/^\{"port": ?"Oslo"\}$/) } },
    ]);
  });

  it.each([["print(default_api.lookup_tide(port='Oslo'))"], ['call:lookup_tide{port: "Oslo"}']])(
    "could not read its own model's call, and the gateway can: %s",
    async (written) => {
      const turn: GeminiTurn = {
        events: [[]],
        finishReason: "MALFORMED_FUNCTION_CALL",
        candidate: { finishMessage: `Malformed function call: ${written}` },
      };
      const client = await clientOf(() => turn);
      const answer = await client.chat.completions.create({ model: MODEL, messages: [ASKED], tools: TOOLS });
      expect(answer.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "lookup_tide" } }]);
      expect(server.received).toHaveLength(1);
    },
  );

  it("says nothing of a call that it could not read: the model is asked again", async () => {
    const turn: GeminiTurn = { events: [[]], finishReason: "MALFORMED_FUNCTION_CALL" };
    const client = await clientOf((_, attempt) => (attempt === 0 ? turn : TEXT));
    const answer = await client.chat.completions.create({ model: MODEL, messages: [ASKED], tools: TOOLS });
    expect(answer.choices[0]?.message.content).toBe("High tide.");
    expect(server.received).toHaveLength(2);
  });

  it.each([
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["SPII", "content_filter"],
  ])("ends with %s, which is %s", async (finishReason, known) => {
    const client = await clientOf(() => ({ ...TEXT, finishReason }));
    const answer = await client.chat.completions.create({ model: MODEL, messages: [ASKED] });
    expect(answer.choices[0]).toMatchObject({ finish_reason: known, message: { content: "High tide." } });
  });

  it("holds an answer to a schema, and calls to its tools", async () => {
    const client = await clientOf(() => ({ events: [[{ text: '{"metres": 1.5}' }]] }));
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { metres: { type: "number", exclusiveMinimum: 0 } },
      required: ["metres"],
      additionalProperties: false,
    };
    const answer = await client.chat.completions.create({
      model: MODEL,
      messages: [ASKED],
      response_format: { type: "json_schema", json_schema: { name: "tide", strict: true, schema } },
    });
    expect(answer.choices[0]?.message.content).toBe('{"metres": 1.5}');
    expect(server.received[0]?.body.generationConfig).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: {
        type: "object",
        properties: { metres: { type: "number" } },
        required: ["metres"],
        additionalProperties: false,
      },
    });
  });

  it("makes a form of its answer beside tools only where its API takes both; else it is asked for in words", async () => {
    const client = await clientOf(() => ({ events: [[{ text: '{"metres": 1.5}' }]] }));
    const schema = { type: "object", properties: { metres: { type: "number" } }, required: ["metres"] };
    const response_format = { type: "json_schema" as const, json_schema: { name: "tide", schema } };
    for (const model of ["gemini-3-flash-preview", "gemini-2.5-flash"]) {
      const answer = await client.chat.completions.create({ model, messages: [ASKED], tools: TOOLS, response_format });
      expect(answer.choices[0]?.message.content).toBe('{"metres": 1.5}');
    }
    const [newer, older] = server.received.map(({ body }) => body);
    expect(newer?.generationConfig).toEqual({ responseMimeType: "application/json", responseJsonSchema: schema });
    expect(older?.generationConfig).toBeUndefined();
    expect(JSON.stringify(older?.systemInstruction ?? older?.contents)).toContain("metres");
  });

  it("calls tools by names that it would not take, and the client reads its own", async () => {
    const names = ["files/read:v2", "2fast", `long_${"x".repeat(100)}`];
    const client = await clientOf(({ body }) => {
      const [tool] = body.tools as readonly { readonly functionDeclarations: readonly { readonly name: string }[] }[];
      return { events: (tool?.functionDeclarations ?? []).map(({ name }) => [{ functionCall: { name, args: {} } }]) };
    });
    const tools = names.map((name) => ({ type: "function" as const, function: { name } }));
    const answer = await client.chat.completions.create({ model: MODEL, messages: [ASKED], tools });
    const called = answer.choices[0]?.message.tool_calls ?? [];
    expect(called.map((call) => call.type === "function" && call.function.name)).toEqual(names);
  });

  it("is asked in text where the caller pins that, in the form that it is known to write", async () => {
    const leaked = "```tool_code\nprint(default_api.lookup_tide(port='Oslo'))\n```";
    const client = await clientOf(() => ({ events: [[{ text: leaked }]] }));
    const headers = { "x-postel-tool-mode": "text" };
    const body = { model: MODEL, messages: [ASKED], tools: TOOLS };
    const answer = await client.chat.completions.create(body, { headers });
    expect(answer.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"port":"Oslo"}' } }]);
    expect(server.received[0]?.body.tools).toBeUndefined();
  });

  it("is recorded in a run of an agent, and replays in nine chunkings", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postel-gemini-"));
    try {
      const call = {
        functionCall: { name: "calculator", args: { expression: "6 * 7" } },
        thoughtSignature: "c2lnLTI=",
      };
      const turnOf = (_: ReceivedByGemini, attempt: number): GeminiTurn =>
        attempt === 0
          ? { events: [[{ text: "Hm.", thought: true }], [call]] }
          : { events: [[{ text: "It is " }], [{ text: "42." }]] };
      const client = await clientOf(turnOf, { recordTo: folder });
      const messages = [{ role: "user" as const, content: "What is 6 times 7?" }];
      client.baseURL = client.baseURL.replace(/\/v1$/, "/v1/agent");
      const answer = await client.chat.completions.create({ model: MODEL, messages });
      expect(answer.choices[0]?.message.content).toBe("It is 42.");
      await gateway?.close();
      gateway = undefined;
      const [file = ""] = readdirSync(folder);
      const transcript = parseTranscript(readFileSync(join(folder, file), "utf8"), file);
      const tool_results = [{ name: "calculator", content: "42" }];
      const expected = { content: "It is 42.", tool_results, finish_reason: "stop", reasoning_content: "Hm." };
      const { header, exchanges } = transcript;
      const again = formatTranscript({ header: { ...header, expected }, exchanges });
      expect(await findReplayDifferences(shippedConfig(), parseTranscript(again, file))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("lists what answers, by the names that clients send", async () => {
    const client = await clientOf(() => TEXT);
    const names = [];
    for await (const { id } of client.models.list()) names.push(id);
    expect(names).toContain("gemini-2.5-pro");
    expect(names).not.toContain("text-embedding-004");
  });
});

describe("an error of a Gemini upstream", () => {
  const body = { model: MODEL, messages: [ASKED] };
  const quota = (retryDelay: string): GeminiTurn => ({
    status: 429,
    list: true,
    error: {
      message: "You exceeded your current quota.",
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }],
    },
  });
  const overloaded: GeminiTurn = {
    status: 503,
    error: { message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" },
  };

  async function thrownBy(client: OpenAI, asked: object = body): Promise<APIError> {
    const thrown = await client.chat.completions.create({ ...body, ...asked }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(APIError);
    return thrown as APIError;
  }

  it.each([
    ["a wrong key, which Google calls a bad request", { apiKey: "AIza-wrong" }, {}, 401, "upstream_unauthorized"],
    ["no key", { apiKey: "" }, {}, 403, "upstream_forbidden"],
    ["a model that there is not", {}, { model: "gemini-0" }, 404, "model_not_found"],
  ])("says what is wrong with %s", async (_, changes, asked, status, code) => {
    const client = await clientOf(() => TEXT, changes);
    expect(await thrownBy(client, asked)).toMatchObject({ status, code });
    expect(server.received).toHaveLength(0);
  });

  it("is waited for as long as its body says, and not asked sooner", async () => {
    const retries = { attempts: 2, minWaitMs: 1, maxWaitMs: 5_000 };
    const times: number[] = [];
    const turnOf = (_: ReceivedByGemini, attempt: number) => {
      times.push(performance.now());
      return attempt === 0 ? quota("0.3s") : TEXT;
    };
    const client = await clientOf(turnOf, { retries });
    const answer = await client.chat.completions.create(body);
    expect(answer.choices[0]?.message.content).toBe("High tide.");
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(290);
  });

  it("is told at once where its body asks for longer than anybody waits", async () => {
    const client = await clientOf(() => quota("34s"), { retries: { attempts: 3, minWaitMs: 1, maxWaitMs: 1_000 } });
    const { status, code, headers } = await thrownBy(client);
    expect({ status, code, wait: headers?.get("retry-after") }).toEqual({
      status: 429,
      code: "upstream_rate_limited",
      wait: "34",
    });
    expect(server.received).toHaveLength(1);
  });

  it("is tried again where the server is overloaded", async () => {
    const retries = { attempts: 2, minWaitMs: 1, maxWaitMs: 2 };
    const client = await clientOf((_, attempt) => (attempt === 0 ? overloaded : TEXT), { retries });
    expect((await client.chat.completions.create(body)).choices[0]?.message.content).toBe("High tide.");
  });

  it("is a typed failure where it stays overloaded", async () => {
    const client = await clientOf(() => overloaded);
    expect(await thrownBy(client)).toMatchObject({ status: 503, code: "upstream_overloaded" });
  });

  it("is a typed refusal where the prompt is blocked", async () => {
    const client = await clientOf(() => ({ blockReason: "PROHIBITED_CONTENT" }));
    const { status, code, message } = await thrownBy(client);
    expect({ status, code }).toEqual({ status: 400, code: "upstream_refused" });
    expect(message).toContain("PROHIBITED_CONTENT");
    const stream = client.chat.completions.stream({ ...body, stream: true });
    await expect(stream.finalChatCompletion()).rejects.toMatchObject({ code: "upstream_refused" });
  });

  it.each([true, false])("is a typed failure where the answer is cut (calls: %s)", async (calls) => {
    const client = await clientOf(() => ({ ...(calls ? CALLS : TEXT), finishReason: null, bytes: 50 }));
    const stream = client.chat.completions.stream({ ...body, tools: TOOLS, stream: true });
    await expect(stream.finalChatCompletion()).rejects.toMatchObject({ code: "upstream_truncated" });
  });

  it("names a content that the API does not take, and asks nothing", async () => {
    const client = await clientOf(() => TEXT);
    const content = [{ type: "image_url", image_url: { url: "https://example.org/tide.jpg" } }];
    const thrown = await thrownBy(client, { model: "gemini-2.0-flash", messages: [{ role: "user", content }] });
    expect(thrown).toMatchObject({ status: 400, code: "unsupported_parameter", param: "messages" });
    expect(server.received).toHaveLength(0);
  });

  it("about what it calls a penalty is mended, and said", async () => {
    const client = await clientOf(() => TEXT);
    const asked = { ...body, model: "gemini-2.5-pro", presence_penalty: 0.5 };
    const answer = await client.chat.completions.create(asked);
    expect(answer).toMatchObject({ postel: { mended: ["presence_penalty"], retries: 1 } });
  });

  it.each(["none", "minimal", "low", "medium", "high"] as const)(
    "does not come of an effort that a model has another word for: %s",
    async (reasoning_effort) => {
      const client = await clientOf(() => TEXT);
      for (const model of ["gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.0-flash"]) {
        const answer = await client.chat.completions.create({ ...body, model, reasoning_effort });
        expect(answer).toMatchObject({ postel: { retries: 0 } });
      }
    },
  );

  it("says what went up without a word of it", async () => {
    const client = await clientOf(() => TEXT);
    const answer = await client.chat.completions.create({ ...body, user: "u-1", store: true, logit_bias: { "1": 2 } });
    expect(answer).toMatchObject({ postel: { mended: ["logit_bias", "store", "user"] } });
  });
});

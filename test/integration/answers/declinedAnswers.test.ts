// Models that decline in the wire's own field: the refusal is the answer, whatever was demanded of it, and nothing is asked again.

import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const REFUSAL = "I will not write that.";
const PIECES = ["I will ", "not write ", "that."];
/** What the upstream says in `content` beside the refusal. */
let content: string | null = null;
/** Answers that come before the refusal. */
let before: JsonObject[] = [];
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start(({ body }, response) => {
    const { stream } = body as unknown as JsonObject;
    const message = before.shift();
    if (message) send(response, stream, [message]);
    else if (stream) send(response, stream, [{ role: "assistant", content, refusal: null }, ...PIECES.map(refusing)]);
    else send(response, stream, [{ content, refusal: REFUSAL, annotations: [] }]);
  });
  const operatorModels: readonly ModelProfile[] = [
    { match: ["in-text"], tools: "text", emulate: "hermes-json", why: "test" },
    { match: ["leaks"], formats: ["hermes-json"], why: "test" },
  ];
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels } });
});
beforeEach(() => {
  content = null;
  before = [];
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function refusing(refusal: string): JsonObject {
  return { refusal };
}

/** The tokens of the prompt are so few that tools cannot have been in it: not even that makes the gateway ask again. */
const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };

function send(response: ServerResponse, stream: unknown, deltas: readonly JsonObject[]): void {
  const finish_reason = deltas.some(({ tool_calls }) => tool_calls) ? "tool_calls" : "stop";
  const head = { id: "c", created: 1, model: "m" };
  if (!stream) {
    const [message] = deltas;
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
    response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage },
  ];
  for (const chunk of chunks)
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk })}\n\n`);
  response.end("data: [DONE]\n\n");
}

const messages = [{ role: "user" as const, content: "Write it." }];
const LONG = "Writes a text to the place that it is told, in the form that it is told, and answers with its length. ";
const tools = [
  {
    type: "function" as const,
    function: {
      name: "write",
      description: LONG.repeat(12),
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
  },
];
const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const response_format = { type: "json_schema", json_schema: { name: "out", schema, strict: true } };

interface Reply {
  readonly status: number;
  readonly body: JsonObject;
  /** The deltas of a stream, or the message of a whole answer. */
  readonly said: readonly JsonObject[];
  readonly finish: unknown;
  readonly asked: number;
}

async function ask(body: JsonObject, headers: Record<string, string> = {}, path = "/v1/chat/completions") {
  const { length } = upstream.requests;
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "m", messages, ...body }),
  });
  const text = await response.text();
  const events = body.stream ? text.split("\n\n").filter((event) => event.startsWith("data: {")) : [`data: ${text}`];
  const chunks = events.map((event) => JSON.parse(event.slice("data: ".length)));
  const choices = chunks.flatMap(({ choices: some }) => some ?? []);
  const reply: Reply = {
    status: response.status,
    body: chunks.findLast(({ postel }) => postel) ?? chunks[0],
    said: choices.map((choice) => choice.delta ?? choice.message),
    finish: choices.at(-1)?.finish_reason,
    asked: upstream.requests.length - length,
  };
  return reply;
}

/** What the client's reader sees: pieces of content and refusal joined, `null` where no piece came. */
function seen({ said }: Reply) {
  const joined = (field: string) => {
    const pieces = said.map((one) => one[field]).filter((value) => typeof value === "string");
    return pieces.length > 0 ? pieces.join("") : null;
  };
  return { content: joined("content"), refusal: joined("refusal") };
}

const DEMANDS: readonly (readonly [string, JsonObject, Record<string, string>])[] = [
  ["nothing", {}, {}],
  ["a schema", { response_format }, {}],
  ["a JSON object", { response_format: { type: "json_object" } }, {}],
  ["a call", { tools, tool_choice: "required" }, {}],
  ["the call of one tool", { tools, tool_choice: { type: "function", function: { name: "write" } } }, {}],
  ["a schema beside tools", { tools, response_format }, {}],
  ["a schema, unparsed", { response_format }, { "x-postel-parse": "off" }],
  ["a call, unparsed", { tools, tool_choice: "required" }, { "x-postel-parse": "off" }],
  ["a schema with on-invalid text", { response_format }, { "x-postel-on-invalid": "text" }],
  ["a schema or a stop text", { response_format, stop: ["never"] }, {}],
];
const MODELS = ["m", "leaks", "in-text"];

describe.each(DEMANDS)("a refusal where %s was demanded", (_demand, body, headers) => {
  it.each(MODELS.flatMap((model) => [false, true].map((stream) => ({ model, stream }))))(
    "is the answer of the model $model, asked once (stream: $stream)",
    async ({ model, stream }) => {
      const reply = await ask({ ...body, model, stream }, headers);
      expect({ status: reply.status, ...seen(reply), finish: reply.finish, asked: reply.asked }).toEqual({
        status: 200,
        content: null,
        refusal: REFUSAL,
        finish: "stop",
        asked: 1,
      });
    },
  );
});

describe("a refusal", () => {
  it("is streamed in the pieces in which it came", async () => {
    const { said } = await ask({ stream: true });
    expect(said.flatMap(({ refusal }) => (typeof refusal === "string" ? [refusal] : []))).toEqual(PIECES);
  });

  it.each([false, true])("has content null where the upstream's was empty (stream: %s)", async (stream) => {
    content = "";
    const reply = await ask({ stream, response_format });
    expect(seen(reply)).toEqual({ content: null, refusal: REFUSAL });
  });

  it.each([false, true])("stands without the half of a form that came before it (stream: %s)", async (stream) => {
    content = '{"text":';
    const reply = await ask({ stream, response_format });
    expect({ ...seen(reply), asked: reply.asked }).toEqual({ content: null, refusal: REFUSAL, asked: 1 });
  });

  it("is each choice's own", async () => {
    before = [{ content: '{"text":"It is written."}' }];
    const { said, asked } = await ask({ n: 2, response_format });
    expect(said.map(({ refusal }) => refusal).sort()).toEqual([REFUSAL, null].sort());
    expect(said.map((one) => one.content).filter((one) => one !== null)).toEqual(['{"text":"It is written."}']);
    expect(asked).toBe(2);
  });

  it.each([false, true])("of a model that was asked again ends the turn (stream: %s)", async (stream) => {
    before = [{ content: "It is no JSON." }];
    const reply = await ask({ stream, response_format });
    expect({ status: reply.status, ...seen(reply), asked: reply.asked }).toEqual({
      status: 200,
      content: null,
      refusal: REFUSAL,
      asked: 2,
    });
  });

  it("is what the official client's helpers say it is", async () => {
    const Out = z.object({ text: z.string() });
    const params = { model: "m", messages, response_format: zodResponseFormat(Out, "out") };
    const { completions } = gateway.client().chat;
    const { choices } = await completions.parse(params);
    expect(choices[0]?.message).toMatchObject({ content: null, refusal: REFUSAL, parsed: null });
    const heard: string[] = [];
    const stream = completions.stream(params).on("refusal.done", ({ refusal }) => void heard.push(refusal));
    const message = (await stream.finalChatCompletion()).choices[0]?.message;
    expect(message).toMatchObject({ refusal: REFUSAL, parsed: null });
    expect(message?.content ?? null).toBeNull();
    expect(heard).toEqual([REFUSAL]);
  });
});

describe.each([false, true])("a run whose model declines (stream: %s)", (stream) => {
  const AGENT = "/v1/agent";

  it("has answered, with the refusal", async () => {
    const reply = await ask({ stream }, {}, AGENT);
    expect({ ...seen(reply), asked: reply.asked }).toEqual({ content: null, refusal: REFUSAL, asked: 1 });
    expect(reply.body.postel).toMatchObject({ outcome: "answered" });
  });

  it("is asked for no output, and says why there is none", async () => {
    const reply = await ask({ stream, output: schema }, {}, AGENT);
    expect(reply.asked).toBe(1);
    expect(reply.body).toMatchObject({
      output: null,
      postel: { outcome: "answered", output_missing: `The model declined to answer: ${REFUSAL}` },
    });
  });

  it("keeps what it said on the way", async () => {
    const call = { index: 0, id: "call_1", type: "function", function: { name: "calculator" } };
    const args = { expression: "6*7" };
    const tool_calls = [{ ...call, function: { ...call.function, arguments: JSON.stringify(args) } }];
    before = [{ content: "I will count.", tool_calls }];
    const reply = await ask({ stream }, {}, AGENT);
    expect(seen(reply)).toEqual({ content: "I will count.", refusal: REFUSAL });
  });

  it("holds the refusal to no form", async () => {
    const reply = await ask({ stream, response_format }, {}, AGENT);
    expect({ ...seen(reply), asked: reply.asked }).toEqual({ content: null, refusal: REFUSAL, asked: 1 });
  });
});

it("a session goes on behind a refusal as behind an answer", async () => {
  const session_id = "declined";
  await ask({ session_id }, {}, "/v1/agent");
  await ask({ session_id, messages: [{ role: "user", content: "Why?" }] }, {}, "/v1/agent");
  const sent = upstream.requests.at(-1)?.body.messages.filter(({ role }) => role !== "system") ?? [];
  expect(sent.map(({ role, content: said }) => [role, said])).toEqual([
    ["user", "Write it."],
    ["assistant", REFUSAL],
    ["user", "Why?"],
  ]);
});

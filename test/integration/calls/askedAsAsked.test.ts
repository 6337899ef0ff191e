// An upstream is asked as the caller asked; whether it then streams, at once, slowly or in single bytes, or answers whole, the caller gets the same.

import type { ServerResponse } from "node:http";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import { FakeUpstream, sendError } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const tools = [
  {
    type: "function",
    function: { name: "look_up", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];

interface Answer {
  readonly message: JsonObject;
  readonly finish: string;
  readonly logprobs?: readonly JsonObject[];
  readonly request?: JsonObject;
}

const USAGE = {
  prompt_tokens: 700,
  completion_tokens: 5,
  total_tokens: 705,
  prompt_tokens_details: { cached_tokens: 2 },
};

/** By the model's name. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  words: { message: { content: "High water is at nine, and the stream turns “an hour” later." }, finish: "stop" },
  thoughts: { message: { reasoning_content: "Springs, so early.", content: "At nine." }, finish: "stop" },
  "thoughts-in-marks": { message: { content: "<think>Springs.</think>At nine." }, finish: "stop" },
  "too-long": { message: { content: "At nine, and then" }, finish: "length" },
  probable: {
    message: { content: "Nine." },
    finish: "stop",
    logprobs: [{ token: "Nine.", logprob: -0.1, bytes: null, top_logprobs: [] }],
    request: { logprobs: true },
  },
  refused: { message: { content: null, refusal: "I will not say." }, finish: "stop" },
  cited: { message: { content: "At nine.", annotations: [{ type: "url_citation" }] }, finish: "stop" },
  called: {
    message: { content: "Let me look.", tool_calls: [call("a", "Brest"), call("b", "Roscoff")] },
    finish: "tool_calls",
  },
  leaked: {
    message: { content: 'Look: <tool_call>\n{"name": "look_up", "arguments": {"city": "Brest"}}\n</tool_call>' },
    finish: "stop",
  },
};

function call(id: string, city: string): JsonObject {
  return { id: `call_${id}`, type: "function", function: { name: "look_up", arguments: JSON.stringify({ city }) } };
}

function answerOf(model: string): Answer {
  const answer = ANSWERS[model.replace(/^(always|never)-/, "")];
  if (!answer) throw new Error(`Nobody wrote an answer for ${model}.`);
  return answer;
}

function whole(model: string): string {
  const { message, finish, logprobs } = answerOf(model);
  const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: finish };
  const choices = [{ ...choice, logprobs: logprobs ? { content: logprobs } : null }];
  return JSON.stringify({ id: "c", object: "chat.completion", created: 1, model, choices, usage: USAGE });
}

/** The same answer in small pieces, an event each. */
function events(model: string): readonly string[] {
  const { message, finish, logprobs } = answerOf(model);
  const { content, reasoning_content, tool_calls = [], ...rest } = message as Record<string, JsonObject[] | string>;
  const deltas: JsonObject[] = [{ role: "assistant", ...(rest as JsonObject) }];
  for (const text of piecesOf(reasoning_content)) deltas.push({ reasoning_content: text });
  for (const text of logprobs ? [String(content)] : piecesOf(content)) deltas.push({ content: text });
  for (const [index, one] of (tool_calls as JsonObject[]).entries()) {
    const { name, arguments: args } = one.function as { name: string; arguments: string };
    deltas.push({ tool_calls: [{ index, id: one.id ?? "", type: "function", function: { name, arguments: "" } }] });
    for (const text of piecesOf(args)) deltas.push({ tool_calls: [{ index, function: { arguments: text } }] });
  }
  const choices: JsonObject[] = deltas.map((delta) => ({
    ...{ index: 0, delta, finish_reason: null },
    ...(logprobs && "content" in delta && { logprobs: { content: logprobs } }),
  }));
  choices.push({ index: 0, delta: {}, finish_reason: finish });
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model };
  const chunks = [
    ...choices.map((choice) => ({ ...chunk, choices: [choice] })),
    { ...chunk, choices: [], usage: USAGE },
  ];
  return [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), "data: [DONE]\n\n"];
}

function piecesOf(text: unknown): readonly string[] {
  return typeof text === "string" ? (text.match(/.{1,4}/gsu) ?? []) : [];
}

/** How the upstream sends: by what it was asked, or in a way of its own. */
type Way = "as asked" | "whole" | "burst" | "paced" | "bytes" | "cut" | "error";
let way: Way = "as asked";

async function send(response: ServerResponse, model: string, streamed: boolean): Promise<void> {
  if (way === "error") return void sendJson(response, '{"error": {"message": "overloaded", "code": 529}}');
  if (way === "whole" || (!streamed && (way === "as asked" || way === "cut"))) return sendWhole(response, model);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (way === "cut") return void response.write(events(model).slice(0, 4).join(""), () => response.destroy());
  if (way === "as asked" || way === "burst") return void response.end(events(model).join(""));
  for (const event of events(model)) {
    if (way === "bytes") for (const byte of Buffer.from(event)) await written(response, Buffer.of(byte));
    else await written(response, event).then(() => sleep(1));
  }
  response.end();
}

function sendWhole(response: ServerResponse, model: string): void {
  const body = whole(model);
  if (way !== "cut") sendJson(response, body);
  else
    response.writeHead(200, { "content-type": "application/json" }).write(body.slice(0, -60), () => response.destroy());
}

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json" }).end(body);
}

async function written(response: ServerResponse, piece: string | Buffer): Promise<void> {
  await new Promise((resolve) => response.write(piece, resolve));
  await turn();
}

let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start((request, response) => {
    const { model, stream } = request.body as unknown as { model: string; stream?: boolean };
    if (request.path.endsWith("/models")) sendError(response, 404, "no list");
    else if (way === "as asked" && model === "streams-only" && !stream)
      sendError(response, 400, "This model only support stream mode, please enable the stream parameter.");
    else void send(response, model === "streams-only" ? "words" : model, stream === true);
  });
  gateway = await startGateway({
    config: {
      ...configFor(upstream.baseUrl),
      operatorModels: [
        { match: ["always-*"], stream: "always", why: "test" },
        { match: ["never-*"], stream: "never", why: "test" },
      ],
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

interface Heard {
  readonly status: number;
  /** Chunks, or the one completion. */
  readonly said: readonly JsonObject[];
  /** Whether the upstream was asked for a stream, once for each time it was asked. */
  readonly asked: readonly boolean[];
}

interface Asking {
  readonly model: string;
  readonly stream?: boolean;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks while the upstream sends in this way. What differs from one answer to the next by chance is taken out. */
async function ask(how: Way, { model, stream, path = "/v1/chat/completions", headers }: Asking): Promise<Heard> {
  way = how;
  const before = upstream.requests.length;
  const { request } = ANSWERS[model.replace(/^(always|never)-/, "")] ?? {};
  const messages = [{ role: "user", content: "When?" }];
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages, tools, ...(stream !== undefined && { stream }), ...request }),
  });
  const text = (await response.text())
    .replaceAll(/"(id|created)":("chatcmpl[^"]*"|\d+)/g, '"$1":0')
    .replaceAll(/"id":"[A-Za-z0-9]{9}"/g, '"id":"made here"')
    .replaceAll(/"model_row":"[^"]*"/g, '"model_row":""')
    .replaceAll(/(always|never)-/g, "");
  const lines = text.startsWith("data:") ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, line = ""]) => line) : [text];
  // The gateway's own probe may come between.
  const own = upstream.requests.slice(before).filter(({ body }) => body.model === model);
  const bodies = own.map(({ body }) => body as unknown as JsonObject);
  const said = lines.map((line) => JSON.parse(line) as JsonObject);
  return { status: response.status, said, asked: bodies.map((body) => body.stream === true) };
}

/** What a client makes of the chunks: the message, and why it ended. */
function joined({ said }: Heard): JsonObject {
  const words: Record<string, string> = {};
  const calls: Record<number, string> = {};
  for (const { choices } of said as unknown as {
    choices: { delta: Record<string, unknown>; finish_reason: unknown }[];
  }[])
    for (const { delta, finish_reason } of choices) {
      for (const [name, value] of Object.entries({ ...delta, finish_reason }))
        if (typeof value === "string") words[name] = (words[name] ?? "") + value;
      for (const { index, function: called } of (delta.tool_calls ?? []) as { index: number; function: JsonObject }[])
        calls[index] = (calls[index] ?? "") + (called.name ?? "") + called.arguments;
    }
  return { ...words, calls: Object.values(calls) };
}

const MODELS = Object.keys(ANSWERS);

describe("an upstream", () => {
  it("is asked for a stream by a caller who asks for one, and for a whole answer by one who does not", async () => {
    expect((await ask("as asked", { model: "words", stream: true })).asked).toEqual([true]);
    expect((await ask("as asked", { model: "words", stream: false })).asked).toEqual([false]);
    expect((await ask("as asked", { model: "words" })).asked).toEqual([false]);
    expect(upstream.requests.at(-1)?.body).not.toHaveProperty("stream_options");
  });

  it("is asked as its row says, where that says anything", async () => {
    expect((await ask("as asked", { model: "always-words", stream: false })).asked).toEqual([true]);
    expect((await ask("as asked", { model: "never-words", stream: true })).asked).toEqual([false]);
    expect((await ask("as asked", { model: "never-words", path: "/v1/agent" })).asked).toEqual([false]);
  });

  it("streams the turns of a run and what is asked in text, whoever reads it: the gateway watches", async () => {
    expect((await ask("as asked", { model: "words", path: "/v1/agent" })).asked).toEqual([true]);
    const headers = { "x-postel-tool-mode": "text" };
    expect((await ask("as asked", { model: "words", headers })).asked).toEqual([true]);
  });

  it("that only streams is asked again for a stream, and its caller gets a whole answer", async () => {
    const { status, said, asked } = await ask("as asked", { model: "streams-only", stream: false });
    expect(asked.slice(0, 2)).toEqual([false, true]);
    expect(status).toBe(200);
    expect(said[0]).toMatchObject({ choices: [{ message: ANSWERS.words?.message }], postel: { retries: 1 } });
    expect(said[0]?.postel).not.toHaveProperty("mended");
  });
});

describe.each(MODELS)("an answer to a caller who does not stream (%s)", (model) => {
  it("is the same from a stream and from a whole answer", async () => {
    const streamed = await ask("as asked", { model: `always-${model}` });
    const plain = await ask("as asked", { model });
    expect([streamed.asked, plain.asked]).toEqual([[true], [false]]);
    expect(plain.status).toBe(200);
    expect(plain.said).toEqual(streamed.said);
  });

  it("is the same where a proxy streams though it was asked for a whole answer", async () => {
    const { said } = await ask("as asked", { model });
    for (const how of ["burst", "bytes"] as const) expect((await ask(how, { model })).said).toEqual(said);
  });
});

describe.each(MODELS)("the events of a caller who streams (%s)", (model) => {
  it("are the same whether the upstream sends at once, slowly or in single bytes", async () => {
    const { said } = await ask("burst", { model, stream: true });
    expect((await ask("paced", { model, stream: true })).said).toEqual(said);
    expect((await ask("bytes", { model, stream: true })).said).toEqual(said);
  });

  it("say the same where a proxy answers whole though a stream was asked for", async () => {
    const streamed = await ask("burst", { model, stream: true });
    const plain = await ask("whole", { model, stream: true });
    expect(plain.asked).toEqual([true]);
    expect(joined(plain)).toEqual(joined(streamed));
  });
});

describe.each([true, false])("what is no answer (stream: %s)", (stream) => {
  it("is a failure where the connection is cut", async () => {
    const { said } = await ask("cut", { model: "words", stream });
    expect(said.at(-1)).toMatchObject({ error: { code: "upstream_truncated" } });
  });

  it("is a failure where the body of a 200 is an error", async () => {
    const { said, status } = await ask("error", { model: "words", stream });
    expect(said).toMatchObject([{ error: { code: "upstream_overloaded" } }]);
    expect(status).toBe(503);
  });
});

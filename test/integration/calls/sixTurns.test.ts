// A loop of six turns on every wire, recorded and replayed: an image, thoughts, calls side by side, through the official client.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessage,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { CHUNKINGS, findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import { formatTranscript, parseTranscript, type Transcript } from "../../../src/transcripts/format/Transcript.ts";
import { FakeUpstream, sendError } from "../../support/FakeUpstream.ts";
import { ANTHROPIC_KEY, AnthropicServer } from "../../support/servers/AnthropicServer.ts";
import { calls, says, thinks } from "../../support/servers/anthropicEvents.ts";
import { GEMINI_KEY, GeminiServer } from "../../support/servers/GeminiServer.ts";
import { configFor, shippedConfig, startGateway } from "../../support/startGateway.ts";

interface Turn {
  readonly thought: string;
  /** The cities that are asked about side by side. */
  readonly cities: readonly string[];
  readonly text: string;
}

const TURNS: readonly Turn[] = [
  { thought: "The picture shows two ports.", cities: ["Oslo", "Bergen"], text: "" },
  { thought: "Bergen is warmer; on to the north.", cities: ["Bodø"], text: "" },
  { thought: "And further.", cities: ["Tromsø", "Alta", "Vardø"], text: "" },
  { thought: "One is missing.", cities: ["Hammerfest"], text: "" },
  { thought: "The last two.", cities: ["Narvik", "Kirkenes"], text: "" },
  { thought: "Now I know them all.", cities: [], text: "Bergen is the warmest." },
];
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
const QUESTION: ChatCompletionMessageParam = {
  role: "user",
  content: [
    { type: "text", text: "Which of the ports in the picture and north of it is the warmest?" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ],
};
const TOOLS = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

interface Server {
  readonly baseUrl: string;
  readonly upstream: JsonObject;
  readonly model: string;
  close(): Promise<void>;
}

/** A server of the chat wire that wants a result for each call and its thoughts back, in whichever place it is. */
async function startChat(upstream: JsonObject, base: string, path: string): Promise<Server> {
  const server = await FakeUpstream.start((request, response) => {
    const body = request.body as unknown as JsonObject & { readonly messages: readonly JsonObject[] };
    if (!request.path.startsWith(path)) return sendError(response, 404, `Not Found: ${request.path}`);
    const said = body.messages.filter(({ role }) => role === "assistant");
    const isWhole = said.every(({ reasoning_content: thought }, index) => thought === TURNS[index]?.thought);
    if (!isWhole || !JSON.stringify(body).includes(PIXEL)) return sendError(response, 400, "Something was lost.");
    const asked = said.flatMap(({ tool_calls: made }) => (made as JsonObject[]).map(({ id }) => id));
    const results = body.messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
    if (asked.join() !== results.join()) return sendError(response, 400, "A call has no result.");
    sendChat(response, body.stream === true, said.length);
  });
  return {
    baseUrl: server.baseUrl.replace("/v1", base),
    upstream,
    model: "thinker",
    close: () => server.close(),
  };
}

function sendChat(response: ServerResponse, streamed: boolean, at: number): void {
  const { thought, cities, text } = turnAt(at);
  const tool_calls = cities.map((city, index) => ({
    index,
    id: `call_${at}_${index}`,
    type: "function",
    function: { name: "get_weather", arguments: JSON.stringify({ city }) },
  }));
  const finish_reason = cities.length > 0 ? "tool_calls" : "stop";
  const head = { id: "c", created: 1, model: "thinker" };
  const said = {
    role: "assistant",
    content: text,
    reasoning_content: thought,
    ...(cities.length > 0 && { tool_calls }),
  };
  const usage = { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 };
  if (!streamed) {
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message: said, finish_reason }];
    response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const { tool_calls: made = [], ...words } = said;
  const deltas = [words, ...made.map((call) => ({ tool_calls: [call] })), {}];
  for (const [index, delta] of deltas.entries()) {
    const choices = [{ index: 0, delta, finish_reason: index === deltas.length - 1 ? finish_reason : null }];
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices })}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}

async function startClaude(): Promise<Server> {
  const server = await AnthropicServer.start(({ messages }) => {
    const at = messages.filter(({ role }) => role === "assistant").length;
    const { thought, cities, text } = turnAt(at);
    const made = cities.map((city, index) => calls(`toolu_${at}_${index}`, "get_weather", { city }));
    return { content: [thinks(thought), ...(text === "" ? [] : [says(text)]), ...made] };
  });
  const upstream = { wire: "anthropic", apiKey: ANTHROPIC_KEY };
  return { baseUrl: server.baseUrl, upstream, model: "claude-sonnet-4-5", close: () => server.close() };
}

/** Of the generation that refuses a history without its signatures. */
async function startGemini(): Promise<Server> {
  const server = await GeminiServer.start(({ body }) => {
    const at = (body.contents as readonly JsonObject[]).filter(({ role }) => role === "model").length;
    const { thought, cities, text } = turnAt(at);
    const made = cities.map((city, index) => ({
      functionCall: { id: `fc-${at}-${index}`, name: "get_weather", args: { city } },
      ...(index === 0 && { thoughtSignature: Buffer.from(`signature ${at}`).toString("base64") }),
    }));
    return { events: [[{ text: thought, thought: true }], made.length > 0 ? made : [{ text }]] };
  });
  const upstream = { wire: "gemini", apiKey: GEMINI_KEY };
  return { baseUrl: server.baseUrl, upstream, model: "gemini-3-flash-preview", close: () => server.close() };
}

function turnAt(at: number): Turn {
  const turn = TURNS[at];
  if (!turn) throw new Error(`There is no turn ${at}.`);
  return turn;
}

const AT_AZURE = "/openai/deployments/thinker/chat/completions?api-version=2024-10-21";
const SERVERS: readonly (readonly [wire: string, start: () => Promise<Server>])[] = [
  ["openai", () => startChat({}, "/v1", "/v1/chat/completions")],
  ["azure", () => startChat({ wire: "azure", apiVersion: "2024-10-21" }, "/openai", AT_AZURE)],
  ["anthropic", startClaude],
  ["gemini", startGemini],
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-six-turns-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Kept = "what the chat wire has" | "the message as it came";

/** Plays the client's part: runs each call, and brings back of the model's messages what it keeps. */
async function loop(client: OpenAI, model: string, kept: Kept): Promise<readonly Turn[]> {
  const messages: ChatCompletionMessageParam[] = [QUESTION];
  const said: Turn[] = [];
  for (const at of TURNS.keys()) {
    const asked = { model, messages, tools: TOOLS, reasoning_effort: "low" as const };
    const { message, thought } = await (at % 2 === 0 ? askWhole(client, asked) : askStreamed(client, asked));
    const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === "function" ? [plain(call)] : []));
    const cities = calls.map((call) => String(JSON.parse(call.function.arguments).city));
    said.push({ thought, cities, text: message.content ?? "" });
    const { content } = message;
    messages.push(kept === "the message as it came" ? message : { role: "assistant", content, tool_calls: calls });
    for (const { id, function: called } of calls)
      messages.push({ role: "tool", tool_call_id: id, content: `${called.arguments}: 7 degrees` });
  }
  return said;
}

type Body = Pick<ChatCompletionCreateParamsNonStreaming, "model" | "messages" | "tools" | "reasoning_effort">;
interface Heard {
  readonly message: ChatCompletionMessage;
  readonly thought: string;
}

async function askWhole(client: OpenAI, body: Body): Promise<Heard> {
  const { choices } = await client.chat.completions.create(body);
  return { message: messageOf(choices), thought: thoughtIn(choices[0]?.message) };
}

/** Of a field that it does not know the client's own helper keeps the last piece, so the thoughts are heard beside it. */
async function askStreamed(client: OpenAI, body: Body): Promise<Heard> {
  const stream = client.chat.completions.stream(body);
  let thought = "";
  stream.on("chunk", ({ choices }) => {
    thought += thoughtIn(choices[0]?.delta);
  });
  const { choices } = await stream.finalChatCompletion();
  return { message: messageOf(choices), thought };
}

function messageOf([choice]: readonly { readonly message: ChatCompletionMessage }[]): ChatCompletionMessage {
  if (!choice) throw new Error("There is no choice.");
  return choice.message;
}

function thoughtIn(said: object | undefined): string {
  return (said as { readonly reasoning_content?: string } | undefined)?.reasoning_content ?? "";
}

function plain({
  id,
  function: { name, arguments: text },
}: {
  id: string;
  function: { name: string; arguments: string };
}) {
  return { id, type: "function" as const, function: { name, arguments: text } };
}

const KEPT: readonly Kept[] = ["what the chat wire has", "the message as it came"];

describe.each(SERVERS)("six turns with an image, thoughts and calls side by side on the wire %s", (_wire, start) => {
  it.each(KEPT)("reach their end with a client that keeps %s, and replay in nine chunkings", async (kept) => {
    const server = await start();
    const config = configFor(server.baseUrl);
    const upstreams = config.upstreams.map((like) => ({ ...like, ...server.upstream })) as Config["upstreams"];
    const gateway = await startGateway({ config: { ...config, upstreams }, recordTo: folder });
    const said = await loop(gateway.client(), server.model, kept).finally(() => gateway.close());
    await server.close();
    expect(said).toEqual(TURNS);
    const files = readdirSync(folder).sort();
    expect(files).toHaveLength(TURNS.length);
    const turns = files.map((file) => parseTranscript(readFileSync(join(folder, file), "utf8"), file));
    expect(CHUNKINGS).toHaveLength(9);
    for (const turn of turns) expect(await findReplayDifferences(shippedConfig(), expecting(turn))).toEqual([]);
  });
});

/** What its own turn said. */
function expecting({ header, exchanges }: Transcript): Transcript {
  const messages = (header.request?.body.messages ?? []) as readonly JsonObject[];
  const { thought, cities, text } = turnAt(messages.filter(({ role }) => role === "assistant").length);
  const expected = {
    content: text === "" ? null : text,
    reasoning_content: thought,
    ...(cities.length > 0 && {
      tool_calls: cities.map((city) => ({ name: "get_weather", arguments: JSON.stringify({ city }) })),
    }),
    finish_reason: cities.length > 0 ? "tool_calls" : "stop",
  };
  return parseTranscript(formatTranscript({ header: { ...header, expected }, exchanges }), "again.jsonl");
}

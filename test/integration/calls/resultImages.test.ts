// Images that tools show: what each upstream is told of them, and what nobody is told who cannot see.
import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type { Config, UpstreamConfig } from "../../../src/core/config/configuration.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { Tool } from "../../../src/tools/Tool.ts";
import { delta, events, FakeUpstream, stream, whole } from "../../support/FakeUpstream.ts";
import { type GatewayServices, MultipartOutput } from "../../support/gatewayModules.ts";
import { ANTHROPIC_KEY, AnthropicServer } from "../../support/servers/AnthropicServer.ts";
import { calls, says } from "../../support/servers/anthropicEvents.ts";
import { GEMINI_KEY, GeminiServer } from "../../support/servers/GeminiServer.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const URL = `data:image/png;base64,${PIXEL}`;
const WORD = "A dial.\n[image/png, 1 KB]";

let gateway: RunningGateway | undefined;
let upstream: { close(): Promise<void> } | undefined;
afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
  gateway = undefined;
});

/** The clock of this gateway is a photograph of one. */
function photograph({ registry }: GatewayServices): void {
  const clock = registry.get("clock") as { execute: Tool["execute"] };
  clock.execute = async () =>
    new MultipartOutput([
      { type: "text", text: "A dial." },
      { type: "media", mimeType: "image/png", data: PIXEL },
    ]);
}

async function start(config: Config): Promise<OpenAI> {
  gateway = await startGateway({ config, prepare: photograph });
  return gateway.client("/v1/agent");
}

function textIn({ messages = [] }: JsonObject): string {
  return JSON.stringify(messages);
}

/** A server of the chat wire whose model looks at the clock `times` times and then answers. */
async function chatServer(times = 1, refusal?: (body: JsonObject) => string | undefined): Promise<FakeUpstream> {
  const server = await FakeUpstream.start((received, response) => {
    const message = refusal?.(received.body);
    if (message !== undefined)
      return whole(400, "application/json", JSON.stringify({ error: { message } }))(received, response);
    const made = Array.from({ length: times }, (_, index) => ({
      ...{ index, id: `call0000${index}`, type: "function" },
      function: { name: "clock", arguments: JSON.stringify({ timezone: ["UTC", "Asia/Tokyo"][index] }) },
    }));
    const isFirst = !textIn(received.body).includes("A dial.");
    const said = isFirst ? delta({ tool_calls: made }) : delta({ content: "Noon." });
    return stream(events(said, delta({}, isFirst ? "tool_calls" : "stop")))(received, response);
  });
  upstream = server;
  return server;
}

const ASKED = { model: "seer", messages: [{ role: "user" as const, content: "What time is it?" }] };

async function run(client: OpenAI): Promise<OpenAI.ChatCompletion> {
  return await client.chat.completions.create(ASKED);
}

describe("the image of a result", () => {
  it("stands behind all results in a message of the user's on the chat wire, which takes text alone in them", async () => {
    const server = await chatServer(2);
    const client = await start(configFor(server.baseUrl));
    expect((await run(client)).choices[0]?.message.content).toContain("Noon.");
    const sent = server.requests.at(-1)?.body.messages as readonly JsonObject[];
    expect(sent.slice(-3)).toEqual([
      expect.objectContaining({ role: "tool", tool_call_id: "call00000", content: WORD }),
      expect.objectContaining({ role: "tool", tool_call_id: "call00001", content: expect.stringContaining(WORD) }),
      {
        role: "user",
        content: [
          { type: "text", text: expect.stringContaining("call00000") },
          { type: "image_url", image_url: { url: URL } },
          { type: "text", text: expect.stringContaining("call00001") },
          { type: "image_url", image_url: { url: URL } },
        ],
      },
    ]);
  });

  it("stands inside the result on Anthropic's wire", async () => {
    const server = await AnthropicServer.start((_request, at) => ({
      content: at === 0 ? [calls("toolu_1", "clock", {})] : [says("Noon.")],
    }));
    upstream = server;
    const client = await start(through("anthropic", server.baseUrl, ANTHROPIC_KEY));
    expect((await run(client)).choices[0]?.message.content).toContain("Noon.");
    expect(server.taken[1]?.body.messages.at(-1)?.content).toEqual([
      expect.objectContaining({
        type: "tool_result",
        content: [
          { type: "text", text: WORD },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
        ],
      }),
    ]);
  });

  it("stands inside the result on Google's wire", async () => {
    const server = await GeminiServer.start((_asked, at) => ({
      events: [[at === 0 ? { functionCall: { id: "fc-1", name: "clock", args: {} } } : { text: "Noon." }]],
    }));
    upstream = server;
    const client = await start(through("gemini", server.baseUrl, GEMINI_KEY));
    const answer = await client.chat.completions.create({ ...ASKED, model: "gemini-3-pro-preview" });
    expect(answer.choices[0]?.message.content).toContain("Noon.");
    expect(JSON.stringify(server.received[1])).toContain(
      `"parts":[{"inlineData":{"mimeType":"image/png","data":"${PIXEL}"}}]`,
    );
  });

  it("is a word for a model that is asked in text", async () => {
    const server = await FakeUpstream.start((received, response) => {
      const isFirst = !textIn(received.body).includes("A dial.");
      const text = isFirst ? '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>' : "Noon.";
      return stream(events(delta({ content: text }), delta({}, "stop")))(received, response);
    });
    upstream = server;
    const operatorModels = [{ match: ["seer"], why: "test", tools: "text", emulate: "hermes-json" }] as const;
    const client = await start({ ...configFor(server.baseUrl), operatorModels });
    expect((await run(client)).choices[0]?.message.content).toContain("Noon.");
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sent).toContain("[image/png, 1 KB]");
    expect(sent).not.toContain(PIXEL);
  });

  it("is a word where the model sees nothing: at once by its row, or once its server has refused it", async () => {
    const sees = (body: JsonObject) =>
      textIn(body).includes("image_url") ? "This model does not support image inputs." : undefined;
    const server = await chatServer(1, sees);
    const client = await start({
      ...configFor(server.baseUrl),
      operatorModels: [{ match: ["blind"], why: "test", quirks: ["no-result-images"] }],
    });
    const learnt = await run(client);
    expect(learnt.choices[0]?.message.content).toContain("Noon.");
    const asked = () =>
      server.requests.filter(({ body }) => textIn(body).includes("A dial.") && sees(body) !== undefined).length;
    expect(asked()).toBe(1);
    const known = await client.chat.completions.create({ ...ASKED, model: "blind" });
    expect(known.choices[0]?.message.content).toContain("Noon.");
    expect(asked()).toBe(1);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("[image/png, 1 KB]");
  });

  it("is a word for whoever reads the run, and in what is kept of its calls", async () => {
    const server = await chatServer();
    await start(configFor(server.baseUrl));
    const response = await fetch(`${gateway?.url}/v1/agent/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...ASKED, stream: true, events: true }),
    });
    const text = await response.text();
    expect(text).toContain("[image/png, 1 KB]");
    expect(text).not.toContain(PIXEL);
  });
});

function through(wire: string, baseUrl: string, apiKey: string): Config {
  const config = configFor(baseUrl);
  return { ...config, upstreams: config.upstreams.map((one) => ({ ...one, wire, apiKey }) as UpstreamConfig) };
}

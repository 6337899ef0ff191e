// Every file of config/examples: `postel validate` takes it, and a gateway that is started with it keeps the contract before a server of that make.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import OpenAI from "openai";
import type { JsonObject } from "../../../src/core/messages.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { ANTHROPIC_KEY, AnthropicServer, type Reply } from "../../support/servers/AnthropicServer.ts";
import { calls, says } from "../../support/servers/anthropicEvents.ts";
import { AZURE_KEY, azureServer, DEPLOYMENT, FILTERED_PROMPT } from "../../support/servers/azureServer.ts";
import { TOO_LONG } from "../../support/servers/chatAnswers.ts";
import { GEMINI_KEY, GeminiServer, type GeminiTurn } from "../../support/servers/GeminiServer.ts";
import { llamaCppServer } from "../../support/servers/llamaCppServer.ts";
import { lmStudioServer } from "../../support/servers/lmStudioServer.ts";
import { ollamaServer, WITHOUT_TOOLS } from "../../support/servers/ollamaServer.ts";
import { BREAKING, OPENROUTER_KEY, openRouterServer, THOUGHT } from "../../support/servers/openRouterServer.ts";
import { sglangServer } from "../../support/servers/sglangServer.ts";
import { vllmServer } from "../../support/servers/vllmServer.ts";
import { ANSWER, FORM, FORM_WORDS, RESULT, say, TOOL } from "../../support/servers/weatherModel.ts";
import { type RunningGateway, startGateway } from "../../support/startGateway.ts";

type Env = Record<string, string>;

/** A server of some make, with what the example's variables are for it. */
interface Started {
  readonly env: Env;
  /** Bodies of the requests that it took. */
  asked(): readonly JsonObject[];
  close(): Promise<void>;
}

interface Example {
  readonly file: string;
  start(): Promise<Started>;
  readonly model: string;
  /** What the server refuses or breaks, and the typed error that the client reads. */
  readonly fails: { readonly model?: string; readonly prompt?: string; readonly status: number; readonly code: string };
}

type Answer = Parameters<typeof FakeUpstream.start>[0];

function onChatWire(answer: Answer, envOf: (url: string) => Env, path = "/v1"): Example["start"] {
  return async () => {
    const server = await FakeUpstream.start(answer, { all: true });
    const asked = () => server.requests.filter((one) => one.path.includes("/chat/completions")).map(({ body }) => body);
    return { env: envOf(server.baseUrl.replace("/v1", path)), asked, close: () => server.close() };
  };
}

async function startAnthropic(): Promise<Started> {
  const server = await AnthropicServer.start((request): Reply => {
    if (request.model === "claude-missing") {
      return { status: 404, type: "not_found_error", message: "model: claude-missing" };
    }
    const said = say(
      { messages: [JSON.stringify(request)], tools: (request.tools ?? []) as unknown as JsonObject[] },
      true,
    );
    if (said.type === "text") return { content: [says(said.text)] };
    return { content: [calls("toolu_01", TOOL, JSON.parse(said.arguments) as object)] };
  });
  const asked = () => server.taken.map(({ body }) => body as unknown as JsonObject);
  return {
    env: { ANTHROPIC_URL: server.baseUrl, ANTHROPIC_API_KEY: ANTHROPIC_KEY },
    asked,
    close: () => server.close(),
  };
}

async function startGemini(): Promise<Started> {
  const server = await GeminiServer.start(({ body }): GeminiTurn => {
    const said = say({ messages: [JSON.stringify(body)], tools: (body.tools ?? []) as JsonObject[] }, true);
    if (said.type === "text") return { events: [[{ text: said.text }]] };
    return { events: [[{ functionCall: { name: TOOL, args: JSON.parse(said.arguments) as JsonObject } }]] };
  });
  const asked = () => server.received.map(({ body }) => body);
  return { env: { GEMINI_URL: server.baseUrl, GEMINI_API_KEY: GEMINI_KEY }, asked, close: () => server.close() };
}

const vllm = (parser: boolean) => onChatWire(vllmServer(parser), (url) => ({ VLLM_URL: url }));
const ollama = onChatWire(ollamaServer, (url) => ({ OLLAMA_URL: url }));
const missing = { model: "missing", status: 404, code: "model_not_found" };
const tooLong = { prompt: TOO_LONG, status: 400, code: "context_length_exceeded" };

const EXAMPLES: Readonly<Record<string, Example>> = {
  "vLLM with its flags": { file: "vllm", start: vllm(true), model: "my-model", fails: missing },
  "vLLM without them": { file: "vllm", start: vllm(false), model: "my-model", fails: missing },
  SGLang: {
    file: "sglang",
    start: onChatWire(sglangServer, (url) => ({ SGLANG_URL: url })),
    model: "my-model",
    fails: tooLong,
  },
  "llama.cpp": {
    file: "llama-cpp",
    start: onChatWire(llamaCppServer, (url) => ({ LLAMA_CPP_URL: url })),
    model: "my-model",
    fails: tooLong,
  },
  Ollama: { file: "ollama", start: ollama, model: "my-model", fails: missing },
  "Ollama with a model without tools": { file: "ollama", start: ollama, model: WITHOUT_TOOLS, fails: missing },
  "LM Studio": {
    file: "lm-studio",
    start: onChatWire(lmStudioServer, (url) => ({ LM_STUDIO_URL: url })),
    model: "my-model",
    fails: missing,
  },
  OpenRouter: {
    file: "openrouter",
    start: onChatWire(
      openRouterServer,
      (url) => ({ OPENROUTER_URL: url, OPENROUTER_API_KEY: OPENROUTER_KEY }),
      "/api/v1",
    ),
    model: "my-model",
    fails: { model: BREAKING, status: 502, code: "upstream_unavailable" },
  },
  Azure: {
    file: "azure",
    start: onChatWire(
      azureServer,
      (url) => ({ AZURE_OPENAI_URL: url, AZURE_OPENAI_API_KEY: AZURE_KEY }),
      "/v1/openai/v1",
    ),
    model: DEPLOYMENT,
    fails: { prompt: FILTERED_PROMPT, status: 400, code: "content_filter" },
  },
  Anthropic: {
    file: "anthropic",
    start: startAnthropic,
    model: "claude-sonnet-4-5",
    fails: { model: "claude-missing", status: 404, code: "model_not_found" },
  },
  Gemini: {
    file: "gemini",
    start: startGemini,
    model: "gemini-2.5-flash",
    fails: { model: "gemini-missing", status: 404, code: "model_not_found" },
  },
};

let server: Started | undefined;
let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await server?.close();
  [gateway, server] = [undefined, undefined];
});

const fileOf = (name: string): string => resolve(`config/examples/${name}.yaml`);

async function start(example: Example): Promise<OpenAI> {
  server = await example.start();
  const config = readConfig({ file: fileOf(example.file), modelsFile: resolve("config/models.yaml"), env: server.env });
  gateway = await startGateway({ config });
  return gateway.client();
}

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream">;

/** The one choice of an answer, however it comes. */
async function choiceOf(client: OpenAI, body: Body, stream: boolean) {
  const { completions } = client.chat;
  const answer = stream ? completions.stream(body).finalChatCompletion() : completions.create(body);
  const { choices, ...rest } = await answer;
  return { message: choices[0]?.message, finish: choices[0]?.finish_reason, rest };
}

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "integer" } },
  required: ["city", "degrees"],
  additionalProperties: false,
};
const PARAMETERS = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ type: "function" as const, function: { name: TOOL, parameters: PARAMETERS } }];
const question = { role: "user" as const, content: "What is the weather in Paris?" };
const formQuestion = { role: "user" as const, content: `Put the weather of Paris ${FORM_WORDS}.` };

it("there is an example of every make, and none that is not started here", () => {
  const files = readdirSync("config/examples").map((file) => file.replace(/\.yaml$/, ""));
  expect(files.sort()).toEqual([...new Set(Object.values(EXAMPLES).map(({ file }) => file))].sort());
});

describe.each(Object.entries(EXAMPLES))("%s", (_make, example) => {
  const { model, fails } = example;

  it.each([false, true])("calls a tool, and answers with its result, streamed: %s", async (stream) => {
    const client = await start(example);
    const first = await choiceOf(client, { model, messages: [question], tools }, stream);
    expect(first.finish).toBe("tool_calls");
    const [call] = first.message?.tool_calls ?? [];
    expect(call).toMatchObject({ type: "function", function: { name: TOOL } });
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual({ city: "Paris" });
    expect(first.message?.content ?? "").not.toContain("tool_call");
    const called = { role: "assistant" as const, content: null, tool_calls: first.message?.tool_calls ?? [] };
    const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: RESULT };
    const second = await choiceOf(client, { model, messages: [question, called, result], tools }, stream);
    expect([second.message?.content, second.finish]).toEqual([ANSWER, "stop"]);
  });

  it.each([false, true])("gives the form that was asked for, streamed: %s", async (stream) => {
    const client = await start(example);
    const json_schema = { name: "weather", strict: true, schema: SCHEMA };
    for (const response_format of [{ type: "json_schema" as const, json_schema }, { type: "json_object" as const }]) {
      const { message } = await choiceOf(client, { model, messages: [formQuestion], response_format }, stream);
      expect(JSON.parse(message?.content ?? "")).toEqual(JSON.parse(FORM));
    }
  });

  it.each([false, true])("says what went wrong as a typed error, streamed: %s", async (stream) => {
    const client = await start(example);
    const messages = [{ role: "user" as const, content: fails.prompt ?? "hi" }];
    const asked = choiceOf(client, { model: fails.model ?? model, messages }, stream);
    await expect(asked).rejects.toBeInstanceOf(OpenAI.APIError);
    await expect(asked).rejects.toMatchObject({ status: fails.status, code: fails.code });
  });
});

/** What the server was asked, and what the gateway says that it did. */
async function loop(make: string, body: Partial<Body> = {}) {
  const example = EXAMPLES[make];
  if (!example) throw new Error(make);
  const client = await start(example);
  const { message, rest } = await choiceOf(
    client,
    { model: example.model, messages: [question], tools, ...body },
    false,
  );
  const { postel } = rest as unknown as { readonly postel: JsonObject };
  return { message, postel, asked: server?.asked() ?? [] };
}

describe("the habits of servers", () => {
  it("vLLM without its flags refuses the tools once, and is asked in text", async () => {
    const { postel, asked } = await loop("vLLM without them");
    expect(asked[0]).toHaveProperty("tools");
    expect(asked.some((body) => JSON.stringify(body.messages).includes(TOOL) && !("tools" in body))).toBe(true);
    expect(postel).toMatchObject({ tool_mode: "text", retries: 1 });
  });

  it("SGLang leaves the call in the text, where it is read", async () => {
    const { postel } = await loop("SGLang");
    expect(postel).toMatchObject({ tool_mode: "native", formats: ["hermes-json"] });
  });

  it("SGLang with a form beside the tools could not call: the form is asked for in words, and the call comes", async () => {
    const json_schema = { name: "weather", schema: SCHEMA };
    const { message, asked } = await loop("SGLang", { response_format: { type: "json_schema", json_schema } });
    expect(message?.tool_calls).toHaveLength(1);
    expect(asked.map((body) => "response_format" in body)).toEqual([false]);
  });

  it("llama.cpp says that the template has no tools, and is never sent any", async () => {
    const { postel, asked } = await loop("llama.cpp");
    expect(asked.map((body) => "tools" in body)).toEqual([false]);
    expect(postel).toMatchObject({ tool_mode: "text" });
  });

  it("Ollama says which model takes no tools, and is never sent any for it", async () => {
    const { asked } = await loop("Ollama with a model without tools");
    expect(asked.map((body) => "tools" in body)).toEqual([false]);
  });

  it("LM Studio takes no named tool, and the call is that tool's all the same", async () => {
    const { message, postel } = await loop("LM Studio", {
      tool_choice: { type: "function", function: { name: TOOL } },
    });
    expect(message?.tool_calls).toMatchObject([{ function: { name: TOOL } }]);
    expect(postel).toMatchObject({ mended: expect.arrayContaining(["tool_choice"]) });
  });

  it("OpenRouter tells a thought in two fields, which is one", async () => {
    const { message } = await loop("OpenRouter");
    expect(message).toHaveProperty("reasoning_content", THOUGHT);
  });
});

/** What those examples want that lead to a vendor: a key, and for one also an address. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  openrouter: ["OPENROUTER_API_KEY"],
  azure: ["AZURE_OPENAI_URL", "AZURE_OPENAI_API_KEY"],
  anthropic: ["ANTHROPIC_API_KEY"],
  gemini: ["GEMINI_API_KEY"],
};

describe("postel validate", () => {
  it.each([...new Set(Object.values(EXAMPLES).map(({ file }) => file))])(
    "takes %s, and names each variable that it lacks",
    async (file) => {
      const wanted = WANTED[file] ?? [];
      const filled = (name: string) => (name.endsWith("_URL") ? "https://team.example/openai/v1" : "a-key-0123456789");
      const env = Object.fromEntries(wanted.map((name) => [name, filled(name)]));
      const args = ["validate", "--config", `config/examples/${file}.yaml`];
      expect(await runPostel(args, "", env)).toMatchObject({ status: 0, out: expect.stringMatching(/^ok: /), err: "" });
      if (wanted.length === 0) return;
      const { status, err } = await runPostel(args);
      expect([status, wanted.filter((name) => !err.includes(name))]).toEqual([1, []]);
    },
  );
});

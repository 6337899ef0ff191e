// An upstream of the wire `azure` through the whole gateway: where requests go, with which key, and what its content filter says.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import type { Config } from "../../../src/core/config/configuration.ts";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import {
  API_VERSION,
  AZURE_KEY,
  azureServer,
  DEPLOYMENT,
  FILTERED_ANSWER,
  FILTERED_PROMPT,
} from "../../support/servers/azureServer.ts";
import { ANSWER, ARGUMENTS, RESULT, TOOL } from "../../support/servers/weatherModel.ts";
import { configFor, type RunningGateway, shippedConfig, startGateway } from "../../support/startGateway.ts";
import { post } from "../../support/testApp.ts";

let server: FakeUpstream | undefined;
let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await server?.close();
  [gateway, server] = [undefined, undefined];
});

type Server = Extract<Config["upstreams"][number], { type: "server" }>;

async function start(base: string, more: Partial<Server>, recordTo?: string): Promise<RunningGateway> {
  server = await FakeUpstream.start(azureServer, { all: true });
  const config = configFor(server.baseUrl);
  const upstream = {
    ...(config.upstreams[0] as Server),
    wire: "azure",
    baseUrl: `${server.baseUrl}${base}`,
    apiKey: AZURE_KEY,
    ...more,
  };
  gateway = await startGateway({ config: { ...config, upstreams: [upstream] }, recordTo });
  return gateway;
}

const dated: [string, Partial<Server>] = ["/openai", { apiVersion: API_VERSION }];
const newer: [string, Partial<Server>] = ["/openai/v1", {}];

const tools = [
  {
    type: "function" as const,
    function: { name: TOOL, parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];
type Messages = OpenAI.ChatCompletionMessageParam[];
const user = (content: string) => ({ role: "user" as const, content });

describe.each([
  ["the dated API", ...dated],
  ["the newer API", ...newer],
])("%s", (_name, base, more) => {
  it("is asked under the deployment's name, in path or model, with the version and the key of its own header", async () => {
    const { client } = await start(base, more);
    await client().chat.completions.create({ model: DEPLOYMENT, messages: [user("hi")] });
    const { path, headers, body } = server?.requests.at(-1) ?? {};
    expect(path).toBe(
      base.endsWith("/v1")
        ? "/v1/openai/v1/chat/completions"
        : `/v1/openai/deployments/${DEPLOYMENT}/chat/completions?api-version=${API_VERSION}`,
    );
    expect(headers).toMatchObject({ "api-key": AZURE_KEY });
    expect(headers).not.toHaveProperty("authorization");
    expect(body?.model).toBe(DEPLOYMENT);
  });

  it("asks the configured deployment whatever the model is called, also for what is passed through", async () => {
    const { client, url } = await start(base, { ...more, deployment: DEPLOYMENT });
    const { choices } = await client().chat.completions.create({ model: "gpt-4o", messages: [user("hi")] });
    expect(choices[0]?.message.content).toBe("Hello.");
    expect((await post(`${url}/v1/embeddings`, { model: "gpt-4o", input: "a" })).status).toBe(200);
  });

  it.each([false, true])("makes a loop with a tool, streamed: %s", async (stream) => {
    const { client } = await start(base, { ...more, deployment: DEPLOYMENT });
    const ask = async (messages: Messages) => {
      const body = { model: "m", messages, tools };
      const { chat } = client();
      const answer = stream ? chat.completions.stream(body).finalChatCompletion() : chat.completions.create(body);
      return (await answer).choices[0];
    };
    const question = user("What is the weather in Paris?");
    const first = await ask([question]);
    const [call] = first?.message.tool_calls ?? [];
    expect(first?.finish_reason).toBe("tool_calls");
    expect(call).toMatchObject({ function: { name: TOOL, arguments: ARGUMENTS } });
    const said = { role: "assistant" as const, tool_calls: first?.message.tool_calls ?? [] };
    const second = await ask([question, said, { role: "tool", tool_call_id: call?.id ?? "", content: RESULT }]);
    expect([second?.finish_reason, second?.message.content]).toEqual(["stop", ANSWER]);
  });

  it("hands on what the filter says of a prompt that it lets pass, and of one that it does not says which", async () => {
    const { client } = await start(base, { ...more, deployment: DEPLOYMENT });
    const whole = await client().chat.completions.create({ model: "m", messages: [user("hi")] });
    expect(whole).toHaveProperty("prompt_filter_results.0.content_filter_results.hate.filtered", false);
    for (const stream of [false, true]) {
      const asked = client().chat.completions.create({ model: "m", messages: [user(FILTERED_PROMPT)], stream });
      await expect(asked).rejects.toMatchObject({ status: 400, code: "content_filter", type: "invalid_request_error" });
    }
    expect(server?.requests.filter(({ path }) => path.includes("chat"))).toHaveLength(3);
  });

  it("ends an answer that the filter cuts with its word", async () => {
    const { client } = await start(base, { ...more, deployment: DEPLOYMENT });
    const body = { model: "m", messages: [user(FILTERED_ANSWER)], stream: true as const };
    const said: (string | null | undefined)[] = [];
    for await (const { choices } of await client().chat.completions.create(body)) {
      for (const { delta, finish_reason } of choices) said.push(delta.content, finish_reason);
    }
    expect(said.filter((one) => one)).toEqual(["It is", "content_filter"]);
  });

  it.each([
    ["a wrong key", { apiKey: "wrong" }, 401, "upstream_unauthorized"],
    ["a deployment that is not there", { deployment: "nobody" }, 404, "model_not_found"],
  ])("is a typed error for %s", async (_what, change, status, code) => {
    const { client } = await start(base, { ...more, ...change });
    const asked = client().chat.completions.create({ model: "m", messages: [user("hi")] });
    await expect(asked).rejects.toMatchObject({ status, code });
  });

  it("lists no model that could only be deployed", async () => {
    const { client } = await start(base, { ...more, models: [DEPLOYMENT] });
    expect((await client().models.list()).data.map(({ id }) => id)).toEqual([DEPLOYMENT]);
  });

  it("is recorded without its key, and replays", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postel-azure-"));
    const { client } = await start(base, { ...more, deployment: DEPLOYMENT }, folder);
    await client().chat.completions.create({ model: "m", messages: [user("hi")] });
    await gateway?.close();
    gateway = undefined;
    const [file = ""] = readdirSync(folder);
    const text = readFileSync(join(folder, file), "utf8");
    rmSync(folder, { recursive: true });
    expect(text).not.toContain(AZURE_KEY);
    const transcript = parseTranscript(text, file);
    const expected = { content: "Hello.", finish_reason: "stop" };
    const header = { ...transcript.header, expected };
    expect(await findReplayDifferences(shippedConfig(), { ...transcript, header })).toEqual([]);
  });
});

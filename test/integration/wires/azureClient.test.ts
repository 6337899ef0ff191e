// The vendor's own clients before the server that stands for Azure in our tests: what they can read is no invention of ours.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import OpenAI, { AzureOpenAI } from "openai";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { API_VERSION, AZURE_KEY, azureServer, DEPLOYMENT, FILTERED_PROMPT } from "../../support/servers/azureServer.ts";
import { ARGUMENTS, TOOL } from "../../support/servers/weatherModel.ts";

let server: FakeUpstream;
beforeEach(async () => {
  server = await FakeUpstream.start(azureServer, { all: true });
});
afterEach(() => server.close());

const CLIENTS: readonly [string, () => OpenAI][] = [
  [
    "the client of dated versions",
    () =>
      new AzureOpenAI({
        endpoint: server.baseUrl,
        apiKey: AZURE_KEY,
        apiVersion: API_VERSION,
        deployment: DEPLOYMENT,
        maxRetries: 0,
      }),
  ],
  [
    "the client of the newer API",
    () => new OpenAI({ baseURL: `${server.baseUrl}/openai/v1`, apiKey: AZURE_KEY, maxRetries: 0 }),
  ],
];

const tools = [{ type: "function" as const, function: { name: TOOL, parameters: { type: "object", properties: {} } } }];
const user = (content: string) => [{ role: "user" as const, content }];

describe.each(CLIENTS)("%s", (_name, connect) => {
  it.each([false, true])("reads a call, streamed: %s", async (stream) => {
    const { completions } = connect().chat;
    const body = { model: DEPLOYMENT, messages: user("What is the weather?"), tools };
    const { choices } = await (stream ? completions.stream(body).finalChatCompletion() : completions.create(body));
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: { name: TOOL, arguments: ARGUMENTS } }] },
    });
  });

  it("reads what the filter refuses", async () => {
    const asked = connect().chat.completions.create({ model: DEPLOYMENT, messages: user(FILTERED_PROMPT) });
    await expect(asked).rejects.toMatchObject({ status: 400, code: "content_filter", param: "prompt" });
  });
});

// A configuration of components only, loaded from its file and asked over HTTP with the official client.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { type Answer, FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { type RunningGateway, startGateway } from "../../support/startGateway.ts";

const YAML = `components:
  - id: chat-model
    type: http-client
    base_url: \${env.OPENAI_BASE_URL}
    headers:
      Authorization: Bearer \${env.OPENAI_API_KEY}
    actions:
      - id: chat
        path: /chat/completions
        method: POST
        body:
          model: \${env.MODEL | "gpt-4o"}
          messages: \${input.messages}
          tools: \${input.tools}
          temperature: \${input.temperature | 0.7}
          reasoning_effort: low
        output: \${response}
  - id: local-llm
    type: model
    task: chat-completion
    model: Qwen/Qwen2.5-7B-Instruct
    runtime: { type: openai-server, base_url: "\${env.LOCAL_BASE_URL}" }
    messages: \${input.messages}
    tools: \${input.tools}
  - id: web-search
    type: http-client
    description: Search the web and return the best results.
    base_url: \${env.SEARCH_BASE_URL}
    actions:
      - id: search
        path: /search
        method: POST
        body: { query: "\${input.query}", max_results: "\${input.max_results | 5}" }
        output: \${response.results}
  - id: research-agent
    type: agent
    model: chat-model
    system_prompt: You are a research assistant.
    tools: [web-search]
    max_iterations: 5
    temperature: 0.2
aliases:
  gpt-fast: chat-model
  gpt-slow: local-llm
`;

const messages = [{ role: "user" as const, content: "How tall is the tower?" }];
const CALL = '<tool_call>{"name": "web-search", "arguments": {"query": "tower height"}}</tool_call>';

let folder: string;
let model: FakeUpstream;
let local: FakeUpstream;
let search: Server;
let gateway: RunningGateway;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-components-"));
  const answer: Answer = ({ path, body }, response) => {
    if (path.endsWith("/models")) return sendError(response, 404, "Not Found");
    const results = body.messages.filter(({ role }) => role === "tool" || role === "assistant");
    sendText(response, body.tools && results.length === 0 ? CALL : "It is 300 m tall.");
  };
  model = await FakeUpstream.start(answer);
  local = await FakeUpstream.start(answer);
  search = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ results: [{ title: "Tower", text: "300 m" }] }));
  }).listen(0, "127.0.0.1");
  await once(search, "listening");
  const file = join(folder, "postel.yaml");
  writeFileSync(file, YAML);
  const env = {
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: "sk-of-the-operator",
    LOCAL_BASE_URL: local.baseUrl,
    SEARCH_BASE_URL: `http://127.0.0.1:${(search.address() as AddressInfo).port}`,
  };
  const config = readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
  gateway = await startGateway({ config, recordTo: join(folder, "recordings") });
});
afterEach(async () => {
  await gateway.close();
  await model.close();
  await local.close();
  search.closeAllConnections();
  search.close();
  rmSync(folder, { recursive: true });
});

function postelOf(answer: object): object {
  return (answer as { readonly postel: object }).postel;
}

it("an agent asks its http-client as a model, with the template's defaults where nobody says more, and uses its tools", async () => {
  const answer = await gateway.client("/v1/agent").chat.completions.create({ model: "research-agent", messages });
  expect(answer.choices[0]?.message.content).toBe("It is 300 m tall.");
  expect(answer.model).toBe("research-agent");
  expect(postelOf(answer)).toMatchObject({ model: "gpt-4o", attempts: 2, outcome: "answered" });
  expect(model.requests.map(({ body }) => body)).toMatchObject(
    Array.from({ length: 2 }, () => ({ model: "gpt-4o", temperature: 0.2, reasoning_effort: "low" })),
  );
});

it("a client of such a model has the template's defaults, and its own values before them", async () => {
  const ask = { model: "gpt-fast", messages };
  const answer = await gateway.client().chat.completions.create(ask);
  await gateway.client().chat.completions.create({ ...ask, temperature: 0, reasoning_effort: "high" });
  expect(postelOf(answer)).toMatchObject({ model: "gpt-4o" });
  expect(model.requests.map(({ body }) => body)).toMatchObject([
    { temperature: 0.7, reasoning_effort: "low" },
    { temperature: 0, reasoning_effort: "high" },
  ]);
});

it("what is known of a component's model goes by the name at its server, for its alias too", async () => {
  const answer = await gateway.client().chat.completions.create({ model: "gpt-slow", messages });
  expect(answer.model).toBe("gpt-slow");
  expect(postelOf(answer)).toMatchObject({ model: "Qwen/Qwen2.5-7B-Instruct", model_row: "qwen2*" });
  expect(local.requests.map(({ body }) => body.model)).toEqual(["Qwen/Qwen2.5-7B-Instruct"]);
});

it("lists the components and the aliases, each with the model behind it", async () => {
  const { data } = await gateway.client().models.list();
  expect(data.map((one) => [one.id, (postelOf(one) as { model?: string }).model])).toEqual([
    ["local-llm", "Qwen/Qwen2.5-7B-Instruct"],
    ["chat-model", "gpt-4o"],
    ["gpt-fast", "gpt-4o"],
    ["gpt-slow", "Qwen/Qwen2.5-7B-Instruct"],
  ]);
});

it("a name that no component has is nobody's", async () => {
  await expect(gateway.client().chat.completions.create({ model: "gpt-4o", messages })).rejects.toMatchObject({
    status: 404,
    code: "model_not_found",
  });
});

it("its run is recorded without the operator's key, and replays by the same file", async () => {
  await gateway.client().chat.completions.create({ model: "gpt-fast", messages });
  await gateway.close();
  const [file = ""] = readdirSync(join(folder, "recordings"));
  const text = readFileSync(join(folder, "recordings", file), "utf8");
  expect(text).not.toContain("sk-of-the-operator");
  const { header, exchanges } = parseTranscript(text, file);
  const env = {
    OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    OPENAI_API_KEY: "another-key",
    LOCAL_BASE_URL: "http://127.0.0.1:1/v1",
    SEARCH_BASE_URL: "http://127.0.0.1:1",
  };
  const config = readConfig({ file: join(folder, "postel.yaml"), modelsFile: resolve("config/models.yaml"), env });
  const expected = { content: "It is 300 m tall.", finish_reason: "stop" };
  expect(await findReplayDifferences(config, { header: { ...header, expected }, exchanges })).toEqual([]);
  gateway = await startGateway({ config });
});

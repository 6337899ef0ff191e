// Clients that send fixed names, over HTTP with the official client: who answers is the operator's to say, and nobody is misled about it.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, shippedConfig, startGateway } from "../../support/startGateway.ts";

const CALL = '<tool_call>{"name": "calculator", "arguments": {"expression": "6 * 7"}}</tool_call>';
const ALIASES = [
  { pattern: "claude-*", model: "Qwen3-Coder" },
  { pattern: "gpt-4o", model: "Qwen3-Coder" },
  { pattern: "default", model: "small" },
];
const messages = [{ role: "user" as const, content: "What is 6 times 7?" }];

let folder: string;
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-aliases-"));
  upstream = await FakeUpstream.start(({ path, body }, response) => {
    if (path.endsWith("/models")) {
      const data = [{ id: "Qwen3-Coder", object: "model", created: 7, owned_by: "acme" }];
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ object: "list", data }));
      return;
    }
    const answered = body.messages.some(({ role }) => role !== "user" && role !== "system");
    sendText(response, body.tools && !answered ? CALL : "It is 42.");
  });
  gateway = await startGateway({ config: withAliases(configFor(upstream.baseUrl)), recordTo: folder });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
  rmSync(folder, { recursive: true });
});

/** The upstream serves its two models and no other name. */
function withAliases(config: Config): Config {
  const upstreams = config.upstreams.map((one) => ({ ...one, models: ["qwen3-*", "small"] }));
  return { ...config, upstreams, aliases: ALIASES };
}

function models(): readonly string[] {
  return upstream.requests.filter(({ path }) => !path.endsWith("/models")).map(({ body }) => body.model);
}

function postelOf(answer: object): JsonObject {
  return (answer as { readonly postel: JsonObject }).postel;
}

it("a whole answer bears the name that was sent, and says who gave it", async () => {
  const answer = await gateway.client().chat.completions.create({ model: "claude-sonnet-4-5", messages });
  expect(answer.model).toBe("claude-sonnet-4-5");
  expect(postelOf(answer)).toMatchObject({ model: "Qwen3-Coder", model_row: "qwen3-coder*" });
  expect(models()).toEqual(["Qwen3-Coder"]);
});

it("each chunk of a stream bears the name that was sent, and the last says who gave it", async () => {
  const stream = await gateway.client().chat.completions.create({ model: "gpt-4o", messages, stream: true });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(["gpt-4o"]));
  expect(postelOf(chunks.at(-1) ?? {}).model).toBe("Qwen3-Coder");
});

it("an agent's run asks the model behind the alias at every turn", async () => {
  const answer = await gateway.client("/v1/agent").chat.completions.create({ model: "claude-sonnet-4-5", messages });
  expect(answer.choices[0]?.message.content).toBe("It is 42.");
  expect(answer.model).toBe("claude-sonnet-4-5");
  expect(postelOf(answer)).toMatchObject({ model: "Qwen3-Coder", formats: ["hermes-json"], outcome: "answered" });
  expect(models()).toEqual(["Qwen3-Coder", "Qwen3-Coder"]);
});

it("a name that nobody serves is the default's, and one that is served is not", async () => {
  for (const model of ["gpt-5", "qwen3-other"]) await gateway.client().chat.completions.create({ model, messages });
  expect(models()).toEqual(["small", "qwen3-other"]);
});

it("the list has the names that can be sent, and what is known of the model behind them", async () => {
  const { data } = await gateway.client().models.list();
  expect(data.map(({ id, owned_by }) => [id, owned_by])).toEqual([
    ["Qwen3-Coder", "acme"],
    ["small", "fake"],
    ["gpt-4o", "postel"],
    ["default", "postel"],
  ]);
  const shown = await gateway.client().models.retrieve("claude-sonnet-4-5");
  expect(shown).toMatchObject({ id: "claude-sonnet-4-5", owned_by: "postel" });
  expect(postelOf(shown)).toMatchObject({ upstream: "fake", model: "Qwen3-Coder", model_row: "qwen3-coder*" });
});

it("a run that was recorded by an alias replays where the configuration knows none", async () => {
  await gateway.client("/v1/agent").chat.completions.create({ model: "claude-sonnet-4-5", messages });
  await gateway.close();
  const [file = ""] = readdirSync(folder);
  const { header, exchanges } = parseTranscript(readFileSync(join(folder, file), "utf8"), file);
  expect([header.model, header.request?.body.model]).toEqual(["Qwen3-Coder", "claude-sonnet-4-5"]);
  const expected = { content: "It is 42.", tool_results: [{ name: "calculator", content: "42" }] };
  expect(await findReplayDifferences(shippedConfig(), { header: { ...header, expected }, exchanges })).toEqual([]);
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});

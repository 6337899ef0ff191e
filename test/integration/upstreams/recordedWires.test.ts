// Runs on servers that do not name the model as the gateway does, asked by an alias: recorded, and replayed where the configuration knows none of it.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import type { Config, UpstreamConfig } from "../../../src/core/config/configuration.ts";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { GEMINI_KEY, GeminiServer } from "../../support/servers/GeminiServer.ts";
import { configFor, shippedConfig, startGateway } from "../../support/startGateway.ts";

let folder: string;
const open: { close(): Promise<void> }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-recorded-wires-"));
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  rmSync(folder, { recursive: true });
});

const ROW = { match: ["gemini-2.5-flash"], tools: "text", emulate: "react-text", why: "A test's." } as const;
const FINAL = "Thought: I know.\nFinal Answer: It is 42.";

/** Runs one agent's task by an alias of the upstream's model, and replays what was recorded of it with the shipped configuration. */
async function recordAndReplay(upstream: Partial<Extract<UpstreamConfig, { type: "server" }>>): Promise<unknown> {
  const base = configFor(upstream.baseUrl ?? "");
  const upstreams = base.upstreams.map((one) => ({ ...one, ...upstream }) as UpstreamConfig);
  const aliases = [{ pattern: "gpt-*", model: "gemini-2.5-flash" }];
  const config: Config = { ...base, upstreams, aliases, operatorModels: [ROW] };
  const gateway = await startGateway({ config, recordTo: folder });
  open.push(gateway);
  const messages = [{ role: "user" as const, content: "What is 6 times 7?" }];
  const answer = await gateway.client("/v1/agent").chat.completions.create({ model: "gpt-4o", messages });
  expect(answer).toMatchObject({ model: "gpt-4o", postel: { model: "gemini-2.5-flash", tool_mode: "text" } });
  await open.pop()?.close();
  const [file = ""] = readdirSync(folder);
  const { header, exchanges } = parseTranscript(readFileSync(join(folder, file), "utf8"), file);
  expect(header).toMatchObject({ model: "gemini-2.5-flash", row: ROW });
  const expected = { content: "It is 42.", finish_reason: "stop" };
  return await findReplayDifferences(shippedConfig(), { header: { ...header, expected }, exchanges });
}

it("a deployment of another name than its model has the model's row, in the recording and in the replay", async () => {
  const server = await FakeUpstream.start((_request, response) => sendText(response, FINAL));
  open.push(server);
  const baseUrl = server.baseUrl.replace(/\/v1$/, "/openai");
  const deployment = { wire: "azure", baseUrl, deployment: "prod-7", apiVersion: "2024-10-21" } as const;
  expect(await recordAndReplay(deployment)).toEqual([]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/openai/deployments/prod-7/chat/completions?api-version=2024-10-21",
  ]);
});

it("a model that stands in the address and in no body is found again", async () => {
  const server = await GeminiServer.start(() => ({ events: [[{ text: FINAL }]] }));
  open.push(server);
  expect(await recordAndReplay({ wire: "gemini", baseUrl: server.baseUrl, apiKey: GEMINI_KEY })).toEqual([]);
});

// Runs that are recorded through the gateway and replayed: what a recording must hold for its replay to go the same way.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import type { Observation } from "../../../src/core/ports.ts";
import {
  type Expectation,
  formatTranscript,
  parseTranscript,
  type Transcript,
} from "../../../src/transcripts/format/Transcript.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, shippedConfig, startGateway } from "../../support/startGateway.ts";
import { HEADER, recorded } from "../../support/transcripts/exchanges.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-recorded-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const ROW = {
  match: ["tide-*"],
  tools: "text",
  emulate: "react-text",
  sampling: { topP: 0.5 },
  why: "A test's.",
} as const;

/** Records one agent run of a model that is asked in the operator's row's form. */
async function recordRun(question: string, answers: readonly string[]): Promise<Transcript> {
  const upstream = await FakeUpstream.start((_request, response) =>
    sendText(response, answers[upstream.requests.length - 1] ?? ""),
  );
  const gateway = await startGateway({
    config: { ...configFor(upstream.baseUrl), operatorModels: [ROW] },
    recordTo: folder,
  });
  const messages = [{ role: "user" as const, content: question }];
  await gateway.client("/v1/agent").chat.completions.create({ model: "tide-model", messages });
  await gateway.close();
  await upstream.close();
  const [file = ""] = readdirSync(folder);
  return parseTranscript(readFileSync(join(folder, file), "utf8"), file);
}

function expecting(transcript: Transcript, expected: Expectation): Transcript {
  const { header, exchanges } = transcript;
  return parseTranscript(formatTranscript({ header: { ...header, expected }, exchanges }), "again.jsonl");
}

it("a recording made with an operator's row has it, and replays by it where the configuration has none", async () => {
  const call = 'Thought: I calculate.\nAction: calculator\nAction Input: {"expression": "6 * 7"}\n';
  const transcript = await recordRun("What is 6 times 7?", [call, "Thought: I know.\nFinal Answer: It is 42."]);
  const { topP, ...rest } = { ...ROW, ...ROW.sampling };
  expect(transcript.header.row).toEqual({ ...rest, sampling: { top_p: topP } });
  const results = [{ name: "calculator", content: "42" }];
  const expected = { content: "It is 42.", tool_results: results, finish_reason: "stop", formats: ["react-text"] };
  expect(await findReplayDifferences(shippedConfig(), expecting(transcript, expected))).toEqual([]);
});

it("a row in a recording that this gateway cannot read is refused by its field", async () => {
  const transcript = await recordRun("Hi", ["Final Answer: Hello."]);
  const header = { ...transcript.header, row: { ...transcript.header.row, emulate: "no-such-form" } };
  await expect(findReplayDifferences(shippedConfig(), expecting({ ...transcript, header }, {}))).rejects.toMatchObject({
    failure: {
      code: "invalid_configuration",
      message: expect.stringContaining("emulate: expected a known format family"),
    },
  });
});

it("a tool that reads the clock reads in a replay what it read when the model had answered", async () => {
  const called = { index: 0, id: "c1", type: "function", function: { name: "clock", arguments: "{}" } };
  const answer = (delta: object, finish: string) =>
    Buffer.from(
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\ndata: [DONE]\n\n`,
    );
  const late = { ms: 90_000, how: "complete" } as const;
  const exchanges = [
    recorded(0, { chunks: [{ ms: 90_000, bytes: answer({ tool_calls: [called] }, "tool_calls") }], end: late }),
    recorded(1, {
      chunks: [{ ms: 1, bytes: answer({ content: "Half past nine." }, "stop") }],
      at: "2026-11-14T09:31:30.500Z",
    }),
  ];
  const time = { time: "2026-11-14T09:31:30+00:00", timezone: "UTC", weekday: "Saturday" };
  const expected = { tool_results: [{ name: "clock", content: JSON.stringify(time) }], content: "Half past nine." };
  expect(await findReplayDifferences(shippedConfig(), expecting({ header: HEADER, exchanges }, expected))).toEqual([]);
});

it("two callers with one request id at the same time get a recording each, with their own exchanges", async () => {
  const both = Promise.withResolvers<void>();
  const upstream = await FakeUpstream.start(async ({ body }, response) => {
    if (upstream.requests.length === 2) both.resolve();
    await both.promise;
    sendText(response, `You said ${body.messages.at(-1)?.content}.`);
  });
  const gateway = await startGateway({ config: configFor(upstream.baseUrl), recordTo: folder });
  const ask = async (content: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": "mine" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
    });
    expect(response.headers.get("x-request-id")).toBe("mine");
    return response.text();
  };
  const answers = await Promise.all([ask("alpha"), ask("beta")]);
  expect(answers).toEqual([expect.stringContaining("You said alpha."), expect.stringContaining("You said beta.")]);
  await gateway.close();
  await upstream.close();
  const files = readdirSync(folder);
  expect(files).toEqual([expect.stringMatching(/^mine-\w{8}\.jsonl$/), expect.stringMatching(/^mine-\w{8}\.jsonl$/)]);
  const transcripts = files.map((file) => parseTranscript(readFileSync(join(folder, file), "utf8"), file));
  expect(transcripts.map(({ header }) => header.asked).sort()).toEqual(["alpha", "beta"]);
  for (const { header, exchanges } of transcripts) {
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]?.body).toMatchObject({ messages: [{ content: header.asked }] });
  }
});

it("a folder that cannot be written leaves the answers alone and is told of once", async () => {
  writeFileSync(join(folder, "taken"), "");
  const observed: Observation[] = [];
  const upstream = await FakeUpstream.start((_request, response) => sendText(response, "Hello there."));
  const observer = { observe: (observation: Observation) => void observed.push(observation) };
  const gateway = await startGateway({
    config: configFor(upstream.baseUrl),
    observer,
    recordTo: join(folder, "taken"),
  });
  for (const _again of [1, 2, 3]) {
    const messages = [{ role: "user" as const, content: "Hi" }];
    const { choices } = await gateway.client().chat.completions.create({ model: "m", messages });
    expect(choices[0]?.message.content).toBe("Hello there.");
  }
  await gateway.close();
  await upstream.close();
  const told = observed.filter(({ type }) => type === "recording-failed");
  expect(told).toMatchObject([{ lost: 1, reason: expect.stringMatching(/EEXIST|ENOTDIR/) }, { lost: 3 }]);
});

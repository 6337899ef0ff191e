// Runs that are recorded through the gateway and replayed: what a recording must hold for its replay to go the same way.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { replayDifferences } from "../../src/cli/replayDifferences.ts";
import {
  type Expectation,
  formatTranscript,
  parseTranscript,
  type Transcript,
} from "../../src/transcripts/Transcript.ts";
import { HEADER, recorded } from "../transcripts/exchanges.ts";
import { configFor, sendText, shippedConfig, startGateway, startUpstream } from "./startGateway.ts";

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
  const upstream = await startUpstream((_request, response) =>
    sendText(response, answers[upstream.requests.length - 1] ?? ""),
  );
  const gateway = await startGateway({ ...configFor(upstream.baseUrl), operatorModels: [ROW] }, undefined, folder);
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
  expect(await replayDifferences(shippedConfig(), expecting(transcript, expected))).toEqual([]);
});

it("a row in a recording that this gateway cannot read is refused by its field", async () => {
  const transcript = await recordRun("Hi", ["Final Answer: Hello."]);
  const header = { ...transcript.header, row: { ...transcript.header.row, emulate: "no-such-form" } };
  await expect(replayDifferences(shippedConfig(), expecting({ ...transcript, header }, {}))).rejects.toMatchObject({
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
  expect(await replayDifferences(shippedConfig(), expecting({ header: HEADER, exchanges }, expected))).toEqual([]);
});

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { ChatCompletion } from "openai/resources/chat/completions";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { type RunningGateway, shippedConfig, startGateway } from "../../support/startGateway.ts";

const FOLDER = "fixtures/transcripts";
const TRANSCRIPTS = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => ({
    name: basename(file, ".jsonl"),
    header: parseTranscript(readFileSync(join(FOLDER, file), "utf8"), file).header,
  }));

const CALCULATOR = {
  type: "function" as const,
  function: {
    name: "calculator",
    parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
  },
};

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ config: shippedConfig() });
});
afterAll(() => gateway.close());

describe("the shipped configuration", () => {
  it("lists every recorded model, at least twelve", async () => {
    const listed: string[] = [];
    for await (const model of gateway.client().models.list()) listed.push(model.id);
    expect(listed.sort()).toEqual(TRANSCRIPTS.map(({ name }) => name).sort());
    expect(listed.length).toBeGreaterThanOrEqual(12);
  });

  it("runs the tool of a call that leaked as XML and says that the model is a recording", async () => {
    const answer = await gateway.client("/v1/agent").chat.completions.create({
      model: "leaked-xml",
      messages: [{ role: "user", content: "What is 17 times 23?" }],
    });
    expect(answer.choices[0]?.message.content).toContain("391");
    expect(answer.choices[0]?.message.tool_calls).toBeUndefined();
    expect(postelOf(answer)).toMatchObject({ formats: ["anthropic-xml"], note: expect.stringContaining("recording") });
  });
});

/** A production recording that was dropped in is replayed, not played as a model of its own. */
const MODELS = TRANSCRIPTS.filter(({ name, header }) => header.model === name);

describe.each(MODELS)("the recorded model $name", ({ name, header }) => {
  const messages = [{ role: "user" as const, content: header.asked }];

  it("gives what its transcript expects, streamed and plain alike, on /v1/agent", async () => {
    const [plain, streamed] = await both("/v1/agent", { model: name, messages });
    expect(streamed).toEqual(plain);
    const { expected } = header;
    if (expected?.error) expect(plain).toMatchObject({ error: expected.error });
    else if (expected?.content !== undefined)
      expect(plain).toMatchObject({ content: expected.content, finish: expected.finish_reason });
  });

  it("gives the client's own calls, streamed and plain alike, on /v1", async () => {
    const [plain, streamed] = await both("/v1", { model: name, messages, tools: [CALCULATOR] });
    expect(streamed).toEqual(plain);
    const calls = header.expected?.tool_results?.length ?? 0;
    if (!header.expected?.error)
      expect(plain).toMatchObject({ calls: { length: calls }, finish: calls > 0 ? "tool_calls" : "stop" });
  });
});

/** Recordings of real models, served under the names of their files. */
const LIVE = TRANSCRIPTS.filter(({ name }) => name.startsWith("live-"));

it("serves at least ten recordings of real models, whose notes say model and server", () => {
  expect(LIVE.length).toBeGreaterThanOrEqual(10);
  for (const { header } of LIVE)
    expect(header.description).toMatch(/^[\w.-]+ Q4_\w+, llama\.cpp \S+ \(.*commit .*\)\. /);
});

it.each(LIVE)("the real model of $name plays its recording to whoever asks", async ({ name, header }) => {
  const response = await fetch(`${gateway.url}${header.request?.path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...header.request?.body, model: name }),
  });
  const answer = (await response.json()) as ChatCompletion;
  const { content, tool_calls: calls = [], finish_reason } = header.expected ?? {};
  const { message, finish_reason: finish } = answer.choices[0] ?? {};
  const found = (message?.tool_calls ?? []).map((call) => "function" in call && call.function);
  expect([message?.content, found, finish]).toEqual([content, calls, finish_reason]);
});

type Meaning =
  | { content: string | null; reasoning: string; calls: unknown[]; finish: string | undefined; postel: unknown }
  | { error: unknown };
type Body = { model: string; messages: { role: "user"; content: string }[]; tools?: (typeof CALCULATOR)[] };

async function both(path: string, body: Body): Promise<[Meaning, Meaning]> {
  const { completions } = gateway.client(path).chat;
  const plain = await meaningOf(async () => {
    const answer = await completions.create(body);
    const message = answer.choices[0]?.message as { reasoning_content?: string } | undefined;
    return { answer, reasoning: message?.reasoning_content ?? "" };
  });
  const streamed = await meaningOf(async () => {
    // The SDK's helper keeps only the last piece of a field that it does not know, so reasoning is joined here.
    let reasoning = "";
    const stream = completions.stream(body).on("chunk", ({ choices }) => {
      reasoning += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? "";
    });
    return { answer: await stream.finalChatCompletion(), reasoning };
  });
  return [plain, streamed];
}

/** What an answer says, without the ids that are drawn anew for each. */
async function meaningOf(ask: () => Promise<{ answer: ChatCompletion; reasoning: string }>): Promise<Meaning> {
  try {
    const { answer, reasoning } = await ask();
    const choice = answer.choices[0];
    const { run_id: _run, ...postel } = postelOf(answer);
    return {
      content: choice?.message.content ?? null,
      reasoning,
      calls: (choice?.message.tool_calls ?? []).map((call) => ("function" in call ? call.function : call)),
      finish: choice?.finish_reason,
      postel,
    };
  } catch (error) {
    return { error: (error as { code?: unknown }).code ?? error };
  }
}

function postelOf(answer: ChatCompletion): Record<string, unknown> {
  return (answer as ChatCompletion & { postel?: Record<string, unknown> }).postel ?? {};
}

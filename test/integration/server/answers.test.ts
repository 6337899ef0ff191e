import { once } from "node:events";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { RunEvent } from "../../../src/core/events/events.ts";
import { createFailure } from "../../../src/core/failures.ts";
import type { ToolCall } from "../../../src/core/messages.ts";
import {
  ASK,
  errorOf,
  post,
  type Script,
  script,
  sseData,
  startApp,
  type TestApp,
  turnEnd,
  turnStart,
} from "../../support/testApp.ts";

let app: TestApp | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

async function ask(play: Script, body: object = {}, headers = {}, path = "/v1/chat/completions"): Promise<Response> {
  app = await startApp(play);
  return post(`${app.url}${path}`, { ...ASK, ...body }, headers);
}

const call: ToolCall = {
  id: "call00001",
  name: "get_time",
  arguments: '{"zone":"UTC"}',
  origin: "qwen3-xml",
  repairs: ["string-to-integer"],
  raw: "<tool_call>…",
};
const text = (value: string): RunEvent => ({ type: "text-delta", text: value });
const called: RunEvent[] = [
  turnStart,
  text("Let me look."),
  { type: "tool-call", call },
  { ...turnEnd, finishReason: "tool_calls" },
];

interface Chunk {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly object: string;
  readonly choices: readonly { readonly delta: Record<string, unknown>; readonly finish_reason: string | null }[];
  readonly usage?: unknown;
  readonly postel?: unknown;
  readonly postel_event?: { readonly type: string };
}

async function chunksOf(response: Response): Promise<{ chunks: Chunk[]; done: boolean }> {
  const data = await sseData(response);
  const done = data.at(-1) === "[DONE]";
  return { chunks: (done ? data.slice(0, -1) : data).map((line) => JSON.parse(line) as Chunk), done };
}

describe("a plain answer", () => {
  it("is a completion with the call, and says what was done in block and headers", async () => {
    const response = await ask(script(...called), {}, { "x-request-id": "my-id_1" });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-request-id": "my-id_1",
      "x-postel-tool-mode": "native",
      "x-postel-formats": "qwen3-xml",
      "x-postel-repairs": "string-to-integer",
      "x-postel-attempts": "1",
    });
    expect(await response.json()).toMatchObject({
      id: "chatcmpl-my-id_1-fresh-id",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "test-model",
      choices: [
        {
          index: 0,
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: "Let me look.",
            tool_calls: [
              { id: "call00001", type: "function", function: { name: "get_time", arguments: '{"zone":"UTC"}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      postel: {
        tool_mode: "native",
        model_row: "test-*",
        formats: ["qwen3-xml"],
        repairs: ["string-to-integer"],
        issues: [],
        attempts: 1,
        retries: 0,
      },
    });
  });

  it("shows the raw text of an issue only to a caller who asks for it", async () => {
    const issue: RunEvent = {
      type: "format-issue",
      issue: { code: "malformed-call", message: "no end", raw: "<tool_call>{" },
    };
    const quiet = (await (await ask(script(turnStart, issue, turnEnd))).json()) as { postel: { issues: object[] } };
    expect(quiet.postel.issues).toEqual([{ code: "malformed-call", message: "no end" }]);
    await app?.close();
    const open = await ask(script(turnStart, issue, turnEnd), {}, { "x-postel-raw": "1" });
    expect(((await open.json()) as { postel: { issues: object[] } }).postel.issues).toMatchObject([
      { raw: "<tool_call>{" },
    ]);
  });

  it("says that calls were cut off behind the last whole one", async () => {
    const response = await ask(
      script(
        turnStart,
        { type: "tool-call", call },
        { ...turnEnd, finishReason: "tool_calls", upstreamFinishReason: "length" },
      ),
    );
    expect(await response.json()).toMatchObject({
      choices: [{ finish_reason: "tool_calls", message: { content: null } }],
      postel: { truncated: true, upstream_finish_reason: "length" },
    });
  });

  it("says `length` for a run that its limits stopped, and never `tool_calls` for calls that the gateway ran", async () => {
    const run: RunEvent[] = [
      { type: "run-start", runId: "r1" },
      turnStart,
      { type: "tool-start", call },
      { ...turnEnd, finishReason: "tool_calls" },
    ];
    const limited = await ask(script(...run, { type: "run-end", outcome: "max-turns", turns: 1 }), {}, {}, "/v1/agent");
    expect(await limited.json()).toMatchObject({
      choices: [{ finish_reason: "length" }],
      postel: { run_id: "r1", outcome: "max-turns", formats: ["qwen3-xml"] },
    });
  });

  it("passes fields that Postel does not know through, joined over the pieces", async () => {
    const piece = (n: number): RunEvent => ({
      type: "text-delta",
      text: `${n}`,
      extra: [
        { level: "chunk", fields: { system_fingerprint: "fp" } },
        { level: "choice", fields: { logprobs: { content: [n] } } },
        { level: "delta", fields: { annotations: [n], refusal: "no" } },
      ],
    });
    expect(await (await ask(script(turnStart, piece(1), piece(2), turnEnd))).json()).toMatchObject({
      system_fingerprint: "fp",
      choices: [{ logprobs: { content: [1, 2] }, message: { content: "12", annotations: [1, 2], refusal: "nono" } }],
    });
  });

  it("is the failure's status, with what an agent had reached in it", async () => {
    const broke: RunEvent = {
      type: "turn-failed",
      failure: createFailure("upstream_rate_limited", "slow down", { retryAfterMs: 1500 }),
    };
    const chat = await ask(script(broke));
    expect([chat.status, chat.headers.get("retry-after")]).toEqual([429, "2"]);
    expect(await errorOf(chat)).toEqual({
      message: "slow down",
      type: "rate_limit_error",
      param: null,
      code: "upstream_rate_limited",
    });
    await app?.close();
    const half = await ask(script(turnStart, text("So far."), broke));
    expect((await errorOf(half)).partial).toEqual({ content: "So far." });
    await app?.close();
    const run = await ask(
      script({ type: "run-start", runId: "r1" }, turnStart, text("So far."), broke),
      {},
      {},
      "/v1/agent",
    );
    expect(run.status).toBe(429);
    expect((await errorOf(run)).partial).toEqual({ content: "So far.", run_id: "r1" });
  });

  it("repeats the beginning of a long answer that failed, its code first", async () => {
    const broke: RunEvent = { type: "turn-failed", failure: createFailure("upstream_truncated", "cut") };
    const long = `${"x".repeat(65_535)}🙂${"y".repeat(1_000_000)}`;
    const answer = await ask(script(turnStart, text(long), broke));
    const body = await answer.text();
    expect(body).toMatch(/^\{"error":\{"code":"upstream_truncated"/);
    expect(JSON.parse(body)).toMatchObject({
      error: { partial: { content: "x".repeat(65_535), content_omitted: 1_000_002 } },
    });
  });

  it("says what the model did wrong in the details of its failure, and nothing of an upstream's", async () => {
    const details = {
      attempts: 3,
      refused: [{ code: "missing-call", name: "get_time", arguments: null, reason: "No call." }],
    };
    const found = createFailure("model_call_invalid", "no valid call", details);
    const response = await ask(script(turnStart, { type: "turn-failed", failure: found }));
    expect(await errorOf(response)).toMatchObject({ type: "model_error", code: "model_call_invalid", details });
    await app?.close();
    const theirs = createFailure("upstream_error", "500", { body: "their own words" });
    expect(await errorOf(await ask(script({ type: "turn-failed", failure: theirs })))).not.toHaveProperty("details");
  });

  it.each([
    ["a failure that would come again", createFailure("model_call_invalid", "no"), "false"],
    ["a refusal", createFailure("upstream_refused", "no"), "false"],
    [
      "an upstream that we asked as often as we do",
      createFailure("upstream_overloaded", "no", { retriesSpent: true }),
      "false",
    ],
    ["an upstream that another attempt may find well", createFailure("upstream_overloaded", "no"), null],
  ])("tells SDKs whether to ask again after %s", async (_title, found, expected) => {
    const response = await ask(script({ type: "turn-failed", failure: found }));
    expect(response.headers.get("x-should-retry")).toBe(expected);
  });

  it("is an error where the turn ends without saying how", async () => {
    const response = await ask(script(turnStart, text("half")));
    expect([response.status, (await errorOf(response)).code]).toEqual([500, "internal_error"]);
  });

  it("hides an unforeseen error from the caller and tells the operator", async () => {
    const response = await ask(async function* () {
      yield turnStart;
      throw new Error("secret detail");
    });
    expect(response.status).toBe(500);
    expect((await errorOf(response)).message).not.toContain("secret detail");
    expect(JSON.stringify(app?.observed)).toContain("secret detail");
  });
});

describe("a streamed answer", () => {
  it("has stable ids, the role first, a call in two steps, the block beside the finish reason, usage where asked", async () => {
    const response = await ask(script(...called), { stream: true, stream_options: { include_usage: true } });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-postel-tool-mode")).toBe("native");
    const { chunks, done } = await chunksOf(response);
    expect(done).toBe(true);
    expect(new Set(chunks.map(({ id, model, created, object }) => `${id} ${model} ${created} ${object}`)).size).toBe(1);
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: "assistant", content: "Let me look." },
      { tool_calls: [{ index: 0, id: "call00001", type: "function", function: { name: "get_time", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"zone":"UTC"}' } }] },
      {},
      undefined,
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, null, "tool_calls", undefined]);
    expect(chunks[3]?.postel).toMatchObject({ formats: ["qwen3-xml"], attempts: 1 });
    expect(chunks.map(({ usage }) => usage)).toEqual([
      null,
      null,
      null,
      null,
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    ]);
  });

  it("has a role even where nothing was said, and no usage that nobody asked for", async () => {
    const { chunks } = await chunksOf(await ask(script(turnStart, turnEnd), { stream: true }));
    expect(chunks).toHaveLength(1);
    expect(chunks[0]?.choices).toEqual([
      { index: 0, delta: { role: "assistant", content: "" }, finish_reason: "stop" },
    ]);
    expect(chunks[0]).not.toHaveProperty("usage");
  });

  it("answers with a status where the turn fails before anything was said", async () => {
    const response = await ask(
      script({ type: "turn-failed", failure: createFailure("upstream_unauthorized", "bad key") }),
      {
        stream: true,
      },
    );
    expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/json; charset=utf-8"]);
    expect((await errorOf(response)).code).toBe("upstream_unauthorized");
  });

  it("sends an error object and no [DONE] where it fails later", async () => {
    const broke: RunEvent = { type: "turn-failed", failure: createFailure("upstream_truncated", "cut") };
    const response = await ask(script(turnStart, text("half"), broke), { stream: true });
    const { chunks, done } = await chunksOf(response);
    expect([response.status, done]).toEqual([200, false]);
    expect(chunks.at(-1)).toMatchObject({ error: { code: "upstream_truncated", message: "cut" } });
    expect(chunks.at(-1)).not.toMatchObject({ error: { partial: expect.anything() } });
    expect(chunks.map(({ choices }) => choices?.[0]?.finish_reason)).not.toContain("stop");
  });

  it("breaks off, rather than ending well, where something unforeseen happens under way", async () => {
    const response = await ask(
      async function* () {
        yield text("half");
        throw new Error("boom");
      },
      { stream: true },
    );
    await expect(response.text()).rejects.toThrow();
  });

  it("cannot be forged by line breaks in a text", async () => {
    const hostile = "x\r\n\r\ndata: [DONE]\n\nevent: forged";
    const { chunks, done } = await chunksOf(await ask(script(turnStart, text(hostile), turnEnd), { stream: true }));
    expect(done).toBe(true);
    expect(chunks[0]?.choices[0]?.delta.content).toBe(hostile);
    expect(chunks).toHaveLength(2);
  });

  it("carries run events on empty deltas on the agent route only", async () => {
    const run: RunEvent[] = [
      { type: "run-start", runId: "r1" },
      turnStart,
      { type: "tool-start", call },
      { type: "tool-result", callId: call.id, name: "get_time", content: "12:00", isError: false },
      { ...turnEnd, finishReason: "tool_calls" },
      text("Noon."),
      turnEnd,
      { type: "run-end", outcome: "answered", turns: 2 },
    ];
    const { chunks } = await chunksOf(await ask(script(...run), { stream: true }, {}, "/v1/agent"));
    const events = chunks.flatMap(({ postel_event, choices }) =>
      postel_event ? [[postel_event.type, choices[0]?.delta]] : [],
    );
    expect(events).toEqual([
      ["run-start", {}],
      ["turn-start", {}],
      ["tool-start", {}],
      ["tool-result", {}],
      ["run-end", {}],
    ]);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: null });
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
    await app?.close();
    const plain = await chunksOf(await ask(script(...run), { stream: true }));
    expect(plain.chunks.filter((chunk) => chunk.postel_event)).toEqual([]);
  });
});

describe("a client that leaves", () => {
  it.each([true, false])("stops the turn (stream: %s)", async (stream) => {
    let running = (_signal: AbortSignal): void => {};
    const started = new Promise<AbortSignal>((resolve) => {
      running = resolve;
    });
    app = await startApp(async function* (signal) {
      yield turnStart;
      if (stream) yield text("first");
      running(signal);
      await once(signal, "abort");
      yield { type: "turn-failed", failure: createFailure("cancelled", "left") };
    });
    const leaving = new AbortController();
    const asked = fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...ASK, stream }),
      signal: leaving.signal,
    });
    const pending = asked.then((response) => response.text());
    const signal = await started;
    expect(signal.aborted).toBe(false);
    leaving.abort();
    await expect(pending).rejects.toThrow();
    if (!signal.aborted) await once(signal, "abort");
    expect(signal.reason).toMatchObject({ failure: { code: "cancelled" } });
  });
});

describe("the request log", () => {
  it("has one line a request, with its id and status", async () => {
    await (await ask(script(turnStart, turnEnd), {}, { "x-request-id": "req-7" })).text();
    const requests = app?.observed.filter(({ type }) => type === "request");
    expect(requests).toMatchObject([
      { run: "req-7-fresh-id", method: "POST", path: "/v1/chat/completions", status: 200, aborted: false },
    ]);
  });
});

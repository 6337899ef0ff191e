// The client against a real HTTP server that behaves as upstreams do, and worse.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../../../src/core/events/events.ts";
import type { Failure } from "../../../../src/core/failures.ts";
import type { Egress } from "../../../../src/core/ports.ts";
import { UpstreamClient } from "../../../../src/models/clients/UpstreamClient.ts";
import type { ModelRequest } from "../../../../src/models/ModelClient.ts";
import { systemClock } from "../../../../src/network/system.ts";
import { createUndiciEgress } from "../../../../src/network/undici/undiciEgress.ts";
import { FAST_PATHS, LIMITS } from "../../../support/defaults.ts";
import { delta, events, FakeUpstream, stream, whole } from "../../../support/FakeUpstream.ts";
import { CAPABILITIES, drain, modelRequest, streamOf, TIDE_TOOL, textOfEvents } from "../../../support/modelRequest.ts";

const network = createUndiciEgress({ connectMs: 2_000 });
const open: FakeUpstream[] = [];
const reported: Failure[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((upstream) => upstream.close()));
  reported.length = 0;
});
afterAll(() => network.close());

/** The network, with what the breaker is told. */
const egress: Egress = {
  async send(request, signal) {
    const response = await network.egress.send(request, signal);
    return { ...response, reportFailure: (failure) => reported.push(failure) };
  },
};

interface Options {
  readonly headersMs?: number;
  readonly firstEventMs?: number;
  readonly idleMs?: number;
  readonly answerMs?: number;
  readonly apiKey?: string;
  readonly headers?: Record<string, string>;
  readonly egress?: Egress;
}

async function serve(answer: Parameters<typeof FakeUpstream.start>[0]): Promise<FakeUpstream> {
  const upstream = await FakeUpstream.start(answer);
  open.push(upstream);
  return upstream;
}

function clientOf(baseUrl: string, options: Options = {}): UpstreamClient {
  return new UpstreamClient({
    fastPaths: FAST_PATHS,
    upstream: { id: "up", wire: "openai", baseUrl, apiKey: options.apiKey, headers: options.headers ?? {} },
    egress: options.egress ?? egress,
    timeouts: {
      headersMs: options.headersMs ?? 5_000,
      firstEventMs: options.firstEventMs ?? 5_000,
      idleMs: options.idleMs ?? 5_000,
      ...(options.answerMs !== undefined && { answerMs: options.answerMs }),
    },
    limits: LIMITS,
    clock: systemClock,
    redact: (text) => text.replaceAll("sk-secret", "[redacted]"),
  });
}

async function ask(
  answer: Parameters<typeof FakeUpstream.start>[0],
  request: Partial<ModelRequest> = {},
  options: Options = {},
): Promise<ModelEvent[]> {
  const upstream = await serve(answer);
  return drain(streamOf(clientOf(upstream.baseUrl, options), modelRequest(request), new AbortController().signal));
}

function failureIn(all: readonly ModelEvent[]): Failure {
  const last = all.at(-1);
  if (last?.type !== "failed") throw new Error(`The stream ended in ${JSON.stringify(last)}.`);
  return last.failure;
}

describe("a healthy stream", () => {
  it("becomes reasoning, text, call fragments and one end with usage", async () => {
    const usage = {
      prompt_tokens: 3,
      completion_tokens: 4,
      total_tokens: 7,
      prompt_tokens_details: { cached_tokens: 1 },
    };
    const all = await ask(
      stream(
        events(
          delta({ role: "assistant", content: "" }),
          delta({ reasoning_content: "hm" }),
          delta({ content: "Hi" }),
          delta({ tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }] }),
          delta({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
          delta({}, "tool_calls"),
          { choices: [], usage },
        ),
      ),
    );
    expect(all).toEqual([
      { type: "opened", retries: 0 },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hi" },
      { type: "call-fragment", index: 0, id: "a", name: "f", arguments: "" },
      { type: "call-fragment", index: 0, arguments: "{}" },
      {
        type: "end",
        finishReason: "tool_calls",
        usage: {
          promptTokens: 3,
          completionTokens: 4,
          totalTokens: 7,
          details: { prompt_tokens_details: { cached_tokens: 1 } },
        },
      },
    ]);
  });

  it("is asked for with its usage, with the configured headers and with none of the SDK's own", async () => {
    const upstream = await serve(stream(events(delta({ content: "x" }, "stop"))));
    const client = clientOf(upstream.baseUrl, { apiKey: "sk-secret", headers: { "X-Team": "blue" } });
    await drain(streamOf(client, modelRequest(), new AbortController().signal));
    const [received] = upstream.requests;
    expect(received).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer sk-secret", "x-team": "blue", "content-type": "application/json" },
      body: { model: "m-1", stream: true, stream_options: { include_usage: true } },
    });
    expect(Object.keys(received?.headers ?? {}).filter((name) => /stainless|user-agent|openai/.test(name))).toEqual([]);
  });

  it("is asked for without credentials where none are configured, whatever the environment says", async () => {
    process.env.OPENAI_API_KEY = "sk-env";
    process.env.OPENAI_CUSTOM_HEADERS = "authorization: Bearer sk-env\nx-leak: 1";
    try {
      const upstream = await serve(stream(events(delta({ content: "x" }, "stop"))));
      await drain(streamOf(clientOf(upstream.baseUrl), modelRequest(), new AbortController().signal));
      expect(upstream.requests[0]?.headers.authorization).toBeUndefined();
      expect(upstream.requests[0]?.headers["x-leak"]).toBeUndefined();
    } finally {
      delete process.env.OPENAI_API_KEY;
      delete process.env.OPENAI_CUSTOM_HEADERS;
    }
  });

  it("says how often the exchange was retried and what a recording notes", async () => {
    const flaky: Egress = {
      async send(request, signal) {
        request.purpose.onRetry?.("503");
        return { ...(await network.egress.send(request, signal)), note: "a recording" };
      },
    };
    const all = await ask(stream(events(delta({ content: "x" }, "stop"))), {}, { egress: flaky });
    expect(all[0]).toEqual({ type: "opened", retries: 1, note: "a recording" });
  });
});

describe("an answer that is asked for whole", () => {
  it.each([
    ["always", 5],
    ["never", 70_000],
    ["as-asked", 70_000],
  ] as const)("has all the time of a first event for its headers (stream: %s)", async (row, headersMs) => {
    const seen: number[] = [];
    const watched: Egress = {
      send(request, signal) {
        seen.push(request.purpose.timers.headersMs);
        return network.egress.send(request, signal);
      },
    };
    const document = JSON.stringify({ choices: [{ message: { content: "a" }, finish_reason: "stop" }] });
    const request = { capabilities: { ...CAPABILITIES, stream: row } };
    await ask(whole(200, "application/json", document), request, {
      egress: watched,
      headersMs: 5,
      firstEventMs: 70_000,
    });
    expect(seen).toEqual([headersMs]);
  });
});

describe("an answer that is one JSON document", () => {
  it("may take as long as an answer may, and one that is streamed no longer than a first event", async () => {
    const document = JSON.stringify({ choices: [{ message: { content: "a" }, finish_reason: "stop" }] });
    const slowly = (_request: unknown, response: ServerResponse): void => {
      setTimeout(() => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(document);
      }, 300);
    };
    const times = { headersMs: 60, firstEventMs: 60, answerMs: 5_000 };
    const asked = { capabilities: { ...CAPABILITIES, stream: "as-asked" } } as const;
    expect(await ask(slowly, asked, times)).toContainEqual({ type: "text", text: "a" });
    expect(failureIn(await ask(slowly, { ...asked, stream: true }, times)).code).toBe("upstream_timeout");
  });

  it("streamed by a model whose row has more patience than the gateway is waited for, headers and all", async () => {
    const slowly = (_request: unknown, response: ServerResponse): void => {
      setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(document), 300);
    };
    const document = JSON.stringify({ choices: [{ message: { content: "a" }, finish_reason: "stop" }] });
    const asked = { stream: true, capabilities: { ...CAPABILITIES, firstEventMs: 5_000 } } as const;
    const patient = await ask(slowly, asked, { headersMs: 60, firstEventMs: 60 });
    expect(patient).toContainEqual({ type: "text", text: "a" });
  });

  it("gives the events of a stream of one chunk", async () => {
    const message = {
      role: "assistant",
      content: "Hi",
      reasoning_content: "hm",
      tool_calls: [
        { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
        { id: "b", type: "function", function: { name: "g", arguments: { y: 2 } } },
      ],
    };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage });
    expect(await ask(whole(200, "application/json", body))).toEqual([
      { type: "opened", retries: 0 },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hi" },
      { type: "call-fragment", index: 0, id: "a", name: "f", arguments: '{"x":1}' },
      { type: "call-fragment", index: 1, id: "b", name: "g", arguments: '{"y":2}' },
      {
        type: "end",
        finishReason: "tool_calls",
        usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
      },
    ]);
  });

  it("is told from a stream by its first character where the content type is wrong or absent", async () => {
    const document = JSON.stringify({ choices: [{ message: { content: "a" }, finish_reason: "stop" }] });
    expect(textOfEvents(await ask(whole(200, "text/event-stream", document)))).toBe("a");
    expect(textOfEvents(await ask(whole(200, "", events(delta({ content: "b" }, "stop")))))).toBe("b");
  });

  it.each([
    ["HTML", "text/html", "<html>login</html>"],
    ["an empty body", "text/event-stream", ""],
    ["an empty JSON body", "application/json", ""],
    ["comments only", "text/event-stream", ": hello\n\n"],
    ["JSON of another API", "application/json", '{"response":"hi"}'],
    ["JSON that was cut", "application/json", '{"choices":[{"message":'],
    ["an image", "image/png", "PNG"],
  ])("that is %s is a protocol error, which the breaker hears of", async (_, type, body) => {
    const all = await ask(whole(200, type, body));
    expect(failureIn(all).code).toBe("upstream_protocol_error");
    expect(all).toHaveLength(1);
    expect(reported.map(({ code }) => code)).toEqual(["upstream_protocol_error"]);
  });
});

describe("a stream as servers garble it", () => {
  it.each([
    ["no space after the colon (US-003)", 'data:{"choices":[{"delta":{"content":"a"}}]}\n\ndata:[DONE]\n\n'],
    [
      "an event over two data lines (US-004)",
      'data: {"choices":[{"delta":\ndata: {"content":"a"}}]}\n\ndata: [DONE]\n\n',
    ],
    [
      "CR LF, a BOM and comments",
      '\uFEFF: hi\r\n\r\ndata: {"choices":[{"delta":{"content":"a"}}]}\r\n\r\ndata: [DONE]\r\n\r\n',
    ],
    ["lone CR", 'data: {"choices":[{"delta":{"content":"a"}}]}\r\rdata: [DONE]\r\r'],
    ["no blank line behind [DONE]", 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]'],
    [
      "fields that are none of ours",
      'id: 1\nevent: x\nretry: a\nfoo: b\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n',
    ],
  ])("is read with %s", async (_, body) => {
    const all = await ask(stream(body));
    expect(all.slice(1)).toEqual([
      { type: "text", text: "a" },
      { type: "end", finishReason: null },
    ]);
  });

  it("that ends with neither finish reason nor [DONE] is truncated, never stopped (US-006)", async () => {
    const all = await ask(stream('data: {"choices":[{"delta":{"content":"a"}}]}\n\n'));
    expect(textOfEvents(all)).toBe("a");
    expect(failureIn(all).code).toBe("upstream_truncated");
    expect(reported.map(({ code }) => code)).toEqual(["upstream_truncated"]);
  });

  it("that is cut inside an event is truncated, not malformed", async () => {
    const all = await ask(stream('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"del'));
    expect(failureIn(all).code).toBe("upstream_truncated");
  });

  it("that ends after its finish reason without [DONE] is complete", async () => {
    const all = await ask(stream(`data: ${JSON.stringify(delta({ content: "a" }, "length"))}\n\n`));
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "length" });
  });

  it("with an event that is no JSON is a protocol error behind what was said before", async () => {
    const all = await ask(stream('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: oops\n\n'));
    expect(textOfEvents(all)).toBe("a");
    expect(failureIn(all).code).toBe("upstream_protocol_error");
  });

  it("with a line that never ends is cut at 1 MiB and its connection closed (US-010)", async () => {
    const closed = Promise.withResolvers<void>();
    const all = await ask((_request, response) => {
      response.on("close", closed.resolve);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${"x".repeat(1_200_000)}`);
    });
    await closed.promise;
    expect(failureIn(all).code).toBe("upstream_protocol_error");
  });

  it("that goes on after its finish reason loses the rest (US-013)", async () => {
    const all = await ask(
      stream(
        'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: {"choices":[{"delta":{"content":"b"}}]}\n\n',
      ),
    );
    expect(all.slice(1)).toEqual([
      { type: "text", text: "a" },
      { type: "end", finishReason: "stop" },
    ]);
  });

  it("with negative or textual usage credits nobody (US-016)", async () => {
    const bad = { ...delta({ content: "hi" }, "stop"), usage: { total_tokens: -5 } };
    const worse = { choices: [], usage: { prompt_tokens: "9", completion_tokens: 1, total_tokens: 10 } };
    expect((await ask(stream(events(bad, worse)))).at(-1)).toEqual({ type: "end", finishReason: "stop" });
  });

  it("whose server keeps the connection open after [DONE] ends all the same", async () => {
    const all = await ask((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(events(delta({ content: "a" }, "stop")));
    });
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "stop" });
  });

  it("whose connection breaks is truncated, but complete if the finish reason had come", async () => {
    const cut = (finish: string | null) =>
      ask((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`data: ${JSON.stringify(delta({ content: "a" }, finish))}\n\n`, () => response.destroy());
      });
    expect(failureIn(await cut(null)).code).toBe("upstream_truncated");
    expect((await cut("stop")).at(-1)).toEqual({ type: "end", finishReason: "stop" });
  });
});

describe("an error inside a 200 stream", () => {
  it("is mapped, closes the stream and reaches the breaker (US-008)", async () => {
    const all = await ask(stream('data: {"error":{"message":"overloaded","code":529}}\n\n'));
    expect(all).toHaveLength(1);
    expect(failureIn(all)).toMatchObject({ code: "upstream_overloaded", details: { status: 529 } });
    expect(reported.map(({ code }) => code)).toEqual(["upstream_overloaded"]);
  });

  it.each([
    ['event: error\ndata: {"message":"slow down","type":"rate_limit_error"}\n\n', "upstream_rate_limited"],
    ["event: error\ndata: it broke\n\n", "upstream_error"],
    ['data: {"object":"error","message":"bad","code":400}\n\n', "upstream_refused"],
    ['data: {"error":"plain words"}\n\n', "upstream_error"],
    [
      'data: {"error":{"message":"maximum context length is 8","type":"invalid_request_error"}}\n\n',
      "context_length_exceeded",
    ],
  ])("is known in the form %j", async (body, code) => {
    expect(failureIn(await ask(stream(body))).code).toBe(code);
  });

  it.each([
    "event: error\ndata: <html><body><script>alert(1)</script></body></html>\n\n",
    'data: {"error":{"message":"<!DOCTYPE html><html><title>502</title></html>","code":502}}\n\n',
  ])("that is a page is named, not passed on: %j", async (body) => {
    const found = failureIn(await ask(stream(body)));
    expect(found.message).toContain("an HTML page");
    expect(JSON.stringify(found)).not.toContain("<");
  });

  it("that is one request's own fault is not held against the upstream", async () => {
    await ask(stream('data: {"error":{"message":"bad","code":400}}\n\n'));
    expect(reported).toEqual([]);
  });

  it("that holds the model's text gives that text", async () => {
    const error = { message: "Failed to parse input at pos 9: <tool_call>{}</tool_call>", code: 500 };
    const all = await ask(
      stream(`data: ${JSON.stringify(delta({ content: "Look: " }))}\n\ndata: ${JSON.stringify({ error })}\n\n`),
    );
    expect(textOfEvents(all)).toBe("Look: <tool_call>{}</tool_call>");
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "stop" });
  });
});

describe("an error status", () => {
  it("is one failed event with the status, the upstream's words without secrets and its wait", async () => {
    const body = '{"error":{"message":"Slow down, sk-secret"}}';
    const all = await ask(whole(429, "application/json", body, { "retry-after": "2" }));
    expect(all).toHaveLength(1);
    expect(failureIn(all)).toMatchObject({
      code: "upstream_rate_limited",
      message: "The upstream `up` answered 429 for model `m-1`: Slow down, [redacted]",
      details: { status: 429, retryAfterMs: 2_000, body: '{"error":{"message":"Slow down, [redacted]"}}' },
    });
  });

  it("says that tools were refused only where tools were sent", async () => {
    const answer = whole(400, "application/json", '{"error":{"message":"m-1 does not support tools"}}');
    expect(failureIn(await ask(answer, { tools: [TIDE_TOOL] }))).toMatchObject({
      code: "upstream_refused",
      details: { toolsRefused: true },
    });
    expect(failureIn(await ask(answer)).details).not.toHaveProperty("toolsRefused");
  });

  it.each([
    [
      500,
      { message: "Failed to parse input at pos 12: <tool_call>{}</tool_call>", type: "server_error" },
      "<tool_call>{}</tool_call>",
    ],
    [
      400,
      { message: "Failed to call a function.", code: "tool_use_failed", failed_generation: "<function=f>{}" },
      "<function=f>{}",
    ],
  ])("%d that holds the model's answer gives the answer and says so", async (status, error, text) => {
    const all = await ask(whole(status, "application/json", JSON.stringify({ error })));
    expect(all).toEqual([
      { type: "opened", retries: 0, note: expect.stringContaining(`answered ${status}`) },
      { type: "text", text },
      { type: "end", finishReason: "stop" },
    ]);
  });

  it("tool_use_failed with nothing generated is the model's fault", async () => {
    const error = { message: "Failed to call a function.", code: "tool_use_failed", failed_generation: "" };
    expect(failureIn(await ask(whole(400, "application/json", JSON.stringify({ error })))).code).toBe(
      "model_output_invalid",
    );
  });
});

describe("silence", () => {
  it("before the first event is a timeout, comments or not (US-005)", async () => {
    const all = await ask(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const pings = setInterval(() => response.write(": ping\n\n"), 10);
        response.on("close", () => clearInterval(pings));
      },
      {},
      { firstEventMs: 250 },
    );
    expect(all).toHaveLength(1);
    expect(failureIn(all)).toMatchObject({ code: "upstream_timeout", message: expect.stringContaining("250 ms") });
    expect(reported.map(({ code }) => code)).toEqual(["upstream_timeout"]);
  });

  it("before the headers is a timeout too", async () => {
    const all = await ask(() => {}, {}, { firstEventMs: 50 });
    expect(failureIn(all).code).toBe("upstream_timeout");
  });

  it("between events is a timeout, and what was said stays", async () => {
    const all = await ask(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`data: ${JSON.stringify(delta({ content: "a" }))}\n\n`);
      },
      {},
      { idleMs: 50 },
    );
    expect(textOfEvents(all)).toBe("a");
    expect(failureIn(all)).toMatchObject({ code: "upstream_timeout", message: expect.stringContaining("50 ms") });
  });

  it("of a reader who takes his time is not the upstream's", async () => {
    const upstream = await serve(stream(events(delta({ content: "a" }), delta({ content: "b" }, "stop"))));
    const client = clientOf(upstream.baseUrl, { idleMs: 20, firstEventMs: 1_000 });
    const all: ModelEvent[] = [];
    for await (const event of streamOf(client, modelRequest(), new AbortController().signal)) {
      all.push(event);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "stop" });
  });
});

describe("a caller who leaves", () => {
  it("in mid-stream ends in a cancelled failure and closes the upstream's connection", async () => {
    const closed = Promise.withResolvers<void>();
    const upstream = await serve((_request, response) => {
      response.on("close", closed.resolve);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(delta({ content: "a" }))}\n\n`);
    });
    const caller = new AbortController();
    const all: ModelEvent[] = [];
    for await (const event of streamOf(clientOf(upstream.baseUrl), modelRequest(), caller.signal)) {
      all.push(event);
      if (event.type === "text") caller.abort();
    }
    await closed.promise;
    expect(failureIn(all).code).toBe("cancelled");
    expect(reported).toEqual([]);
  });

  it("before the headers, or before the call, is cancelled as well", async () => {
    const caller = new AbortController();
    const upstream = await serve(() => caller.abort());
    const client = clientOf(upstream.baseUrl);
    expect(failureIn(await drain(streamOf(client, modelRequest(), caller.signal))).code).toBe("cancelled");
    expect(failureIn(await drain(streamOf(client, modelRequest(), AbortSignal.abort()))).code).toBe("cancelled");
    expect(upstream.requests).toHaveLength(1);
  });

  it("by leaving the loop closes the upstream's connection", async () => {
    const closed = Promise.withResolvers<void>();
    const upstream = await serve((_request, response) => {
      response.on("close", closed.resolve);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(delta({ content: "a" }))}\n\n`);
    });
    for await (const event of streamOf(clientOf(upstream.baseUrl), modelRequest(), new AbortController().signal)) {
      if (event.type === "text") break;
    }
    await closed.promise;
  });
});

describe("whoever takes the events", () => {
  it("gets what one read held as one batch", async () => {
    const upstream = await serve(stream(events(delta({ content: "a" }), delta({ content: "b" }), delta({}, "stop"))));
    const batches: (readonly string[])[] = [];
    await clientOf(upstream.baseUrl).stream(modelRequest(), new AbortController().signal, (batch) => {
      batches.push(batch.map(({ type }) => type));
      return undefined;
    });
    expect(batches).toEqual([["opened", "text", "text"], ["end"]]);
  });

  it("is given no more until he is ready, and nothing at all once he has had enough", async () => {
    const upstream = await serve(async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const content of ["a", "b", "c"]) {
        response.write(`data: ${JSON.stringify(delta({ content }))}\n\n`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    let taking = 0;
    const texts: string[] = [];
    await clientOf(upstream.baseUrl).stream(modelRequest(), new AbortController().signal, async (batch) => {
      taking += 1;
      expect(taking).toBe(1);
      texts.push(textOfEvents(batch));
      await new Promise((resolve) => setTimeout(resolve, 30));
      taking -= 1;
      return texts.join("").includes("b") ? "enough" : undefined;
    });
    expect(texts.join("")).toMatch(/^abc?$/);
  });

  it.each([
    ["at once", () => failing()],
    ["later", async () => failing()],
  ])("has his own failures back, which are not the upstream's: %s", async (_, fail) => {
    const closed = Promise.withResolvers<void>();
    const upstream = await serve((_request, response) => {
      response.on("close", closed.resolve);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(delta({ content: "a" }))}\n\n`);
    });
    let batches = 0;
    const asked = clientOf(upstream.baseUrl).stream(modelRequest(), new AbortController().signal, () => {
      batches += 1;
      return fail();
    });
    await expect(asked).rejects.toThrow("the taker's own");
    await closed.promise;
    expect(batches).toBe(1);
    expect(reported).toEqual([]);
  });

  function failing(): undefined {
    throw new Error("the taker's own");
  }
});

describe("an upstream that is not there", () => {
  it("is one failed event, not an exception", async () => {
    const upstream = await FakeUpstream.start((_request, response) => void response.end());
    await upstream.close();
    const all = await drain(streamOf(clientOf(upstream.baseUrl), modelRequest(), new AbortController().signal));
    expect(all).toEqual([{ type: "failed", failure: expect.objectContaining({ code: "upstream_unavailable" }) }]);
  });

  it("that hangs up before a byte is no different", async () => {
    const all = await ask(async (_request, response) => {
      response.socket?.destroy();
      await once(response, "close");
    });
    expect(failureIn(all).code).toBe("upstream_unavailable");
  });
});

// Texts of 150,000 calls, and answers of nothing but openers: every route gives all of the calls, or an error with a code of its own.

import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CHAT_TEMPLATES } from "../../src/formats/specs/lookupTables.ts";
import { chunk, FakeUpstream } from "../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../support/startGateway.ts";

const CALLS = 150_000;
const OPENERS = 20_000;
const PIECE = 65_536;

// All different: a model that makes one call over and over is stopped.
const NUMBERS = Array.from({ length: CALLS }, (_, index) => index);
const LINES = NUMBERS.map((n) => `f(a="${n}")\n`).join("");
const MARKS = NUMBERS.map(
  (n) => `<tool_call>{"name":"f","arguments":{"a":"${n}"}}</tool_call>
`,
).join("");

const tools = [
  {
    type: "function",
    function: {
      name: "f",
      parameters: { type: "object", properties: { a: { type: "string" } } },
    },
  },
];

/** The texts that the upstream answers with, by the name of the model. */
const texts = new Map([
  ["lines", LINES],
  ["marks", MARKS],
]);

const WORDS = new Set(
  CHAT_TEMPLATES.flatMap(({ reasoningStart }) => (reasoningStart === undefined ? [] : [reasoningStart])),
);
const THOUGHTS = [...new Set(["<think>", "[THINK]", "<thinking>", "<|channel>thought", "<seed:think>", ...WORDS])];

let upstream: FakeUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await FakeUpstream.start(({ body }, response) => {
    const { model, stream } = body as typeof body & {
      readonly stream?: boolean;
    };
    const text = texts.get(model);
    if (stream === true) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const piece of text === undefined ? [] : pieces(text)) response.write(chunk(piece));
      for (const event of text === undefined ? nativeEvents() : []) response.write(event);
      response.end(`${chunk("", text === undefined ? "tool_calls" : "stop")}data: [DONE]\n\n`);
      return;
    }
    const message = text === undefined ? { content: null, tool_calls: nativeCalls(0, CALLS) } : { content: text };
    const choices = [
      {
        index: 0,
        message: { role: "assistant", ...message },
        finish_reason: "stop",
      },
    ];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: "c",
        object: "chat.completion",
        created: 1,
        model,
        choices,
      }),
    );
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function pieces(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / PIECE) }, (_, at) => text.slice(at * PIECE, (at + 1) * PIECE));
}

function nativeCalls(from: number, to: number): readonly object[] {
  return Array.from({ length: to - from }, (_, at) => ({
    ...{ index: from + at, id: `c${from + at}`, type: "function" },
    function: { name: "f", arguments: `{"a":"${from + at}"}` },
  }));
}

function nativeEvents(): readonly string[] {
  return Array.from({ length: CALLS / 1_000 }, (_, at) => {
    const delta = { tool_calls: nativeCalls(at * 1_000, (at + 1) * 1_000) };
    return `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
  });
}

async function post(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** The codes of the error that an answer or a stream ends with. */
function errorCodes(text: string): readonly string[] {
  return [...text.matchAll(/"error":\{[^{}]*"code":"(\w+)"/g)].map(([, code = ""]) => code);
}

/** Calls in an answer or in the events of a stream. */
function callsIn(text: string): number {
  return text.split('"name":"f"').length - 1;
}

function expectCallsOrBound({ status, text }: { readonly status: number; readonly text: string }): void {
  const codes = errorCodes(text);
  expect(codes).not.toContain("internal_error");
  expect(status).not.toBe(500);
  if (codes.length > 0) return;
  expect(status).toBe(200);
  if (callsIn(text) < CALLS) expect(text).toContain("limits.max_client_calls");
}

describe("150,000 calls in one answer", () => {
  it.each([
    ["lines", 'f(a="x")\n'],
    ["marks", '<tool_call>{"name":"f","arguments":{"a":"x"}}</tool_call>\n'],
  ])("are all calls for /v1/parse, in %s", async (_, text) => {
    const answer = await post("/v1/parse", { text: text.repeat(CALLS), tools });
    expect({ status: answer.status, calls: callsIn(answer.text) }).toEqual({ status: 200, calls: CALLS });
  });

  it.each(
    ["lines", "marks", "native"].flatMap((model) => [
      [model, false],
      [model, true],
    ]),
  )("are calls or a bound with a code from an upstream: %s, streamed %s", async (model, stream) => {
    expectCallsOrBound(
      await post("/v1/chat/completions", {
        model,
        stream,
        tools,
        messages: [{ role: "user", content: "go" }],
      }),
    );
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  });
});

describe("20,000 openers of a thought and nothing else", () => {
  it.each(THOUGHTS)("are content for /v1/parse: %s", async (opener) => {
    const { status, text } = await post("/v1/parse", {
      text: opener.repeat(OPENERS),
      tools,
    });
    expect(status).toBe(200);
    const { content, reasoning, tool_calls } = JSON.parse(text);
    expect(`${content ?? ""}${reasoning ?? ""}${JSON.stringify(tool_calls ?? [])}`.length).toBeGreaterThan(OPENERS);
  });

  it.each(
    THOUGHTS.flatMap((opener) => [
      [opener, false],
      [opener, true],
    ]),
  )("are an answer that says something from an upstream: %s, streamed %s", async (opener, stream) => {
    texts.set("openers", String(opener).repeat(OPENERS));
    const { status, text } = await post("/v1/chat/completions", {
      model: "openers",
      stream,
      messages: [{ role: "user", content: "go" }],
    });
    expect(status).toBe(200);
    expect(text.length).toBeGreaterThan(OPENERS);
  });
});

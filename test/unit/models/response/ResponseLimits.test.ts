// Answers without end, in every place where characters can stand: each is cut at a limit, with its connection.
import type { ServerResponse } from "node:http";
import { createGzip } from "node:zlib";
import { afterAll, afterEach, describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../../../src/core/events/events.ts";
import type { Failure } from "../../../../src/core/failures.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { UpstreamClient } from "../../../../src/models/clients/UpstreamClient.ts";
import { ResponseLimits } from "../../../../src/models/response/ResponseLimits.ts";
import { systemClock } from "../../../../src/network/system.ts";
import { createUndiciEgress } from "../../../../src/network/undici/undiciEgress.ts";
import { FAST_PATHS, LIMITS } from "../../../support/defaults.ts";
import { delta, events, FakeUpstream, stream, whole } from "../../../support/FakeUpstream.ts";
import { drain, modelRequest, streamOf, textOfEvents } from "../../../support/modelRequest.ts";

const network = createUndiciEgress({ connectMs: 2_000 });
const open: FakeUpstream[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((upstream) => upstream.close()));
});
afterAll(() => network.close());

interface Options {
  readonly limits?: Partial<typeof LIMITS>;
  readonly firstEventMs?: number;
  readonly idleMs?: number;
}

async function ask(
  answer: Parameters<typeof FakeUpstream.start>[0],
  { limits, firstEventMs = 5_000, idleMs = 5_000 }: Options = {},
): Promise<ModelEvent[]> {
  const upstream = await FakeUpstream.start(answer);
  open.push(upstream);
  const client = clientOf(upstream, { limits, firstEventMs, idleMs });
  return drain(streamOf(client, modelRequest(), new AbortController().signal));
}

function clientOf(
  { baseUrl }: FakeUpstream,
  { limits, firstEventMs = 5_000, idleMs = 5_000 }: { [Name in keyof Options]: Options[Name] | undefined } = {},
): UpstreamClient {
  return new UpstreamClient({
    fastPaths: FAST_PATHS,
    upstream: { id: "up", wire: "openai", baseUrl, headers: {} },
    egress: network.egress,
    timeouts: { headersMs: 5_000, firstEventMs, idleMs },
    limits: { ...LIMITS, ...limits },
    clock: systemClock,
    redact: (text) => text,
  });
}

function failureIn(all: readonly ModelEvent[]): Failure {
  expect(all.filter(({ type }) => type === "end" || type === "failed")).toHaveLength(1);
  const last = all.at(-1);
  if (last?.type !== "failed") throw new Error(`The stream ended in ${JSON.stringify(last)}.`);
  return last.failure;
}

/** Writes pieces for as long as the other side takes them; resolves once that has closed. */
function endless(type: string, first: string, next: (n: number) => string) {
  const closed = Promise.withResolvers<void>();
  const answer = (_request: unknown, response: ServerResponse): void => {
    response.on("close", closed.resolve);
    response.writeHead(200, { "content-type": type });
    response.write(first);
    let n = 0;
    const write = (): void => {
      while (!response.closed && response.write(next(n++)));
    };
    response.on("drain", write);
    write();
  };
  return { answer, closed: closed.promise };
}

const event = (chunk: JsonObject): string => `data: ${JSON.stringify(chunk)}\n\n`;
const fill = "x".repeat(400);
const fragment = (fields: JsonObject): JsonObject => delta({ tool_calls: [{ index: 0, ...fields }] });
const SMALL = { answerChars: 50_000, answerEvents: 1_000, callChars: 20_000 };

describe("a stream without end", () => {
  it.each<[where: string, limit: string, next: (n: number) => string]>([
    ["text", "answer_chars", () => event(delta({ content: fill }))],
    ["reasoning", "answer_chars", () => event(delta({ reasoning_content: fill }))],
    ["a field of the delta that nobody knows", "answer_chars", (n) => event(delta({ [`f${n}`]: fill }))],
    [
      "a field of the choice",
      "answer_chars",
      (n) => event({ choices: [{ index: 0, delta: {}, extra: `${n}${fill}` }] }),
    ],
    ["a field of the chunk", "answer_chars", (n) => event({ ...delta({}), extra: { n, fill } })],
    [
      "log-probabilities",
      "answer_chars",
      () => event({ choices: [{ index: 0, delta: { content: "a" }, logprobs: { content: [{ token: fill }] } }] }),
    ],
    ["the id of each chunk, which nobody keeps", "answer_chars", () => event({ id: fill.repeat(10), choices: [] })],
    ["another choice", "answer_chars", () => event({ choices: [{ index: 1, delta: { content: fill.repeat(10) } }] })],
    ["the arguments of one call", "call_chars", () => event(fragment({ function: { arguments: fill } }))],
    ["the name of one call", "call_chars", () => event(fragment({ function: { name: fill } }))],
    ["what stands beside one call", "call_chars", (n) => event(fragment({ [`f${n}`]: fill }))],
    [
      "calls of ever new names",
      "answer_chars",
      (n) => event(fragment({ id: `c${n}`, function: { name: `f${n}`, arguments: fill } })),
    ],
    ["events that say nothing", "answer_events", () => event(delta({}))],
    ["events of one character", "answer_events", () => event(delta({ content: "a" }))],
    ["comments", "answer_chars", () => `: ${fill}\n\n`],
    ["lines of no event", "answer_chars", () => `foo: ${fill}\n`],
  ])("is cut where it grows by %s (%s)", async (_, limit, next) => {
    const { answer, closed } = endless("text/event-stream", event(delta({ role: "assistant" })), next);
    const failure = failureIn(await ask(answer, { limits: SMALL }));
    expect(failure).toMatchObject({ fault: "upstream", code: "upstream_answer_too_large", details: { limit } });
    expect(failure.message).toContain(`limits.${limit}`);
    await closed;
  });

  it("keeps what it had said", async () => {
    const all = await ask(endless("text/event-stream", "", () => event(delta({ content: fill }))).answer, {
      limits: SMALL,
    });
    expect(textOfEvents(all)).toHaveLength(50_000);
  });

  it("is complete where the end had been said before the flood", async () => {
    const { answer } = endless("text/event-stream", event(delta({ content: "a" }, "stop")), () =>
      event(delta({ content: fill })),
    );
    expect((await ask(answer, { limits: SMALL })).slice(1)).toEqual([
      { type: "text", text: "a" },
      { type: "end", finishReason: "stop" },
    ]);
  });

  it("does not end well where the last words themselves are too many", async () => {
    const all = await ask(stream(event(delta({ content: "x".repeat(60_000) }, "stop"))), { limits: SMALL });
    expect(failureIn(all).code).toBe("upstream_answer_too_large");
  });
});

describe("an answer of ordinary size", () => {
  it("may have far more wrapping than text", async () => {
    const wrapped = {
      ...delta({ content: "word " }),
      id: "c".repeat(300),
      model: "m".repeat(300),
      system_fingerprint: "f",
    };
    const all = await ask(stream(events(...Array<JsonObject>(900).fill(wrapped), delta({}, "stop"))), {
      limits: SMALL,
    });
    expect([textOfEvents(all).length, all.at(-1)?.type]).toEqual([4_500, "end"]);
  });

  it("may be of characters that are two in JSON", async () => {
    const document = (content: string) =>
      JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }] });
    for (const [content, type] of [
      ["\n".repeat(49_000), "end"],
      ['"\\'.repeat(24_000), "end"],
      ["\n".repeat(50_001), "failed"],
    ] as const) {
      const all = await ask(whole(200, "application/json", document(content)), { limits: SMALL });
      expect([all.at(-1)?.type, textOfEvents(all)]).toEqual([type, type === "end" ? content : ""]);
    }
  });

  it("is counted the same however the network cuts its escapes", () => {
    const wire = String.raw`a\n\\\"\\n\u00e9`.repeat(100);
    for (const size of [1, 2, 3, 7, wire.length]) {
      const counted = (answerChars: number) => () => {
        const meter = new ResponseLimits({ ...SMALL, answerChars });
        for (let at = 0; at < wire.length; at += size) meter.readText(wire.slice(at, at + size));
        meter.readEvents(0);
      };
      // a, a line break, a backslash, a quote, a backslash, n, and five of the last.
      expect(counted(1_100)).not.toThrow();
      expect(counted(1_099)).toThrow("answer_chars");
    }
  });

  it("may make several calls under one index, each of which is counted for itself", async () => {
    const calls = Array.from({ length: 4 }, (_, n) =>
      fragment({ id: `c${n}`, function: { name: "f", arguments: JSON.stringify({ x: "y".repeat(10_000) }) } }),
    );
    const all = await ask(stream(events(...calls, delta({}, "tool_calls"))), { limits: SMALL });
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "tool_calls" });
  });
});

describe("a whole body without end", () => {
  it.each<[what: string, first: string, next: () => string]>([
    ["a JSON text", '{"choices":[{"message":{"content":"', () => fill],
    ["a JSON text of escapes", '{"choices":[{"message":{"content":"', () => "\\n".repeat(200)],
    ["white space before it begins", "", () => " ".repeat(400)],
    ["white space behind it", '{"choices":[]}', () => "\n".repeat(400)],
  ])("that is %s is cut while it is read", async (_, first, next) => {
    const { answer, closed } = endless("application/json", first, next);
    const failure = failureIn(await ask(answer, { limits: SMALL }));
    expect(failure).toMatchObject({ code: "upstream_answer_too_large", details: { limit: "answer_chars" } });
    await closed;
  });

  it("is counted as it is when it is decompressed", async () => {
    let sent = 0;
    const all = await ask(
      (_request, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
        const gzip = createGzip();
        gzip.on("data", (data: Buffer) => {
          sent += data.length;
        });
        gzip.pipe(response);
        gzip.end(`{"choices":[{"message":{"content":"${"x".repeat(20_000_000)}"}}]}`);
      },
      { limits: SMALL },
    );
    expect(failureIn(all)).toMatchObject({ code: "upstream_answer_too_large", details: { limit: "answer_chars" } });
    expect(sent).toBeLessThan(50_000);
  });

  it("of 160,000 fragments in one chunk overflows no stack and lets others have their turn", async () => {
    const tool_calls = Array.from({ length: 160_000 }, () => ({ index: 0 }));
    const body = JSON.stringify({ choices: [{ message: { tool_calls, content: "a" }, finish_reason: "stop" }] });
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      ticking = setImmediate(turn);
    };
    let ticking = setImmediate(turn);
    const all = await ask(whole(200, "application/json", body));
    clearImmediate(ticking);
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "stop" });
    expect(turns).toBeGreaterThan(160_000 / 128);
  });
});

describe("a whole body of long calls", () => {
  it("lets others have their turn between them", async () => {
    const call = { function: { name: "f", arguments: "x".repeat(65_536) } };
    const message = { tool_calls: Array.from({ length: 64 }, (_, n) => ({ index: n, id: `c${n}`, ...call })) };
    const body = JSON.stringify({ choices: [{ message, finish_reason: "tool_calls" }] });
    const upstream = await FakeUpstream.start(whole(200, "application/json", body));
    open.push(upstream);
    const seen: number[] = [];
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      ticking = setImmediate(turn);
    };
    let ticking = setImmediate(turn);
    for await (const { type } of streamOf(clientOf(upstream), modelRequest(), new AbortController().signal)) {
      if (type === "call-fragment") seen.push(turns);
    }
    clearImmediate(ticking);
    expect(seen).toHaveLength(64);
    expect(new Set(seen).size).toBe(64);
  });
});

describe("JSON that is nested without end", () => {
  // Deeper than whatever reads it can write it.
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  it.each([
    ["a field that nobody knows", `{"choices":[{"delta":{"content":"a","beside":${deep}}}]}`],
    ["arguments", `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":${deep}}}]}}]}`],
    ["a usage", `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"beside":${deep}}}`],
    ["an error", `{"error":{"message":${deep}}}`],
  ])("is the upstream's fault in %s", async (_, chunk) => {
    expect(failureIn(await ask(stream(`data: ${chunk}\n\n`))).code).toBe("upstream_protocol_error");
  });
});

describe("an answer that does not get on", () => {
  const drip = (body: string) => (_request: unknown, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const drops = setInterval(() => response.write(body), 10);
    response.on("close", () => clearInterval(drops));
  };
  const nothing: readonly (readonly [string, string])[] = [
    ["comments", ": ping\n\n"],
    ["empty deltas", event(delta({}))],
    ["the role, over and over", event(delta({ role: "assistant", content: "" }))],
    ["usage alone", event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })],
    ["empty parts of calls", event(fragment({ function: { arguments: "" } }))],
    ["fields that nobody knows", event({ ...delta({ hidden: "word" }), stamp: 1 })],
    ["events without data", "data:\n\n"],
  ];

  it.each(nothing)("is silent before its first word, though it sends %s", async (_, body) => {
    const failure = failureIn(await ask(drip(body), { firstEventMs: 300 }));
    expect(failure).toMatchObject({ code: "upstream_timeout", message: expect.stringContaining("300 ms") });
  });

  it.each(nothing)("is silent behind its first word, though it sends %s", async (_, body) => {
    const all = await ask(
      (_request, response) => {
        drip(body)(_request, response);
        response.write(event(delta({ content: "a" })));
      },
      { idleMs: 300 },
    );
    expect(textOfEvents(all)).toBe("a");
    expect(failureIn(all)).toMatchObject({ code: "upstream_timeout", message: expect.stringContaining("300 ms") });
  });

  it.each([
    ["text", delta({ content: "a" })],
    ["reasoning", delta({ reasoning: "a" })],
    ["arguments", fragment({ function: { arguments: "a" } })],
    ["a refusal", delta({ refusal: "a" })],
  ])("is not silent while it sends %s", async (_, chunk) => {
    const all = await ask(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        let drops = 0;
        const dripping = setInterval(() => {
          drops += 1;
          response.write(event(chunk));
          if (drops === 12) response.end(event(delta({}, "stop")));
        }, 100);
        response.on("close", () => clearInterval(dripping));
      },
      { idleMs: 900, firstEventMs: 900 },
    );
    expect(all.at(-1)).toMatchObject({ type: "end", finishReason: "stop" });
  });
});

describe("an end that is none", () => {
  it.each(["error", "abort", "network_error", "insufficient_system_resource"])(
    "is a failure where the finish reason is %s",
    async (reason) => {
      const all = await ask(stream(events(delta({ content: "Half a" }), delta({}, reason))));
      expect(textOfEvents(all)).toBe("Half a");
      expect(failureIn(all)).toMatchObject({ code: "upstream_error", message: expect.stringContaining(`"${reason}"`) });
    },
  );

  it.each([
    ["[DONE] alone", stream("data: [DONE]\n\n")],
    [
      "[DONE] behind a role and a usage",
      stream(events(delta({ role: "assistant", content: "" }), { choices: [], usage: null })),
    ],
    ["a document that says nothing", whole(200, "application/json", '{"choices":[{"message":{"content":null}}]}')],
  ])("is a failure where it is %s", async (_, answer) => {
    expect(failureIn(await ask(answer)).code).toBe("upstream_truncated");
  });

  it("is one where the upstream says no reason, but has said something", async () => {
    expect((await ask(stream(events(delta({ content: "a" }))))).at(-1)).toEqual({ type: "end", finishReason: null });
  });

  it.each([
    ["max_tokens", "length"],
    ["MAX_TOKENS", "length"],
    ["model_length", "length"],
    ["SAFETY", "content_filter"],
    ["end_turn", "stop"],
    ["tool_use", "tool_calls"],
    ["banana", "banana"],
  ])("keeps the word %s and knows it for %s", async (stated, finishReason) => {
    const all = await ask(stream(events(delta({ content: "a" }, stated))));
    expect(all.at(-1)).toEqual({ type: "end", finishReason, ...(stated !== finishReason && { stated }) });
  });
});

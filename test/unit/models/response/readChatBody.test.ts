// The same bytes, however the network cuts them.
import { describe, expect, it } from "@jest/globals";
import { PostelError } from "../../../../src/core/failures.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { EventTimeout } from "../../../../src/models/response/EventTimeout.ts";
import { ResponseLimits } from "../../../../src/models/response/ResponseLimits.ts";
import { readChatBody } from "../../../../src/models/response/readChatBody.ts";
import { LIMITS } from "../../../support/defaults.ts";

const STREAM = [
  "\uFEFF: ping\r\n\r\n",
  'data: {"choices":[{"delta":{"content":"añ🙂"}}]}\r\n\r\n',
  'data:{"choices":[{"delta":\ndata: {"content":"b"}}]}\n\n',
  'event: x\nid: 7\ndata: {"choices":[],"usage":null}\n\n',
  "data: [DONE]\n\n",
].join("");

const DOCUMENT = '\n {"choices":[{"message":{"content":"ñ🙂"},"finish_reason":"stop"}]}\n';

/** Of a whole answer that was asked for: what ends the wait for a body that goes on with `piece` for as long as it is read. */
async function waitedOut(type: string, piece: string): Promise<string> {
  const deadline = new EventTimeout(new AbortController().signal);
  deadline.start(NEVER_MS, "word of its answer");
  const body = (async function* () {
    for (;;) {
      yield new TextEncoder().encode(piece);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  const timers = { firstEventMs: NEVER_MS, idleMs: NEVER_MS, unaskedMs: 20 };
  const meter = new ResponseLimits(LIMITS);
  const exchange = {
    readLike: () => undefined,
    read: () => {},
    hasEvents: false,
    isAnswer: () => true,
    markDone: () => {},
  };
  const response = { status: 200, headers: { "content-type": type }, body };
  return await readChatBody(response, { deadline, timers, meter, exchange }, () => undefined).then(
    () => "",
    (error: unknown) => (error instanceof PostelError ? error.message : String(error)),
  );
}

/** Longer than a test may take. */
const NEVER_MS = 600_000;

async function read(pieces: readonly Uint8Array[]): Promise<{ chunks: JsonObject[]; done: boolean; error?: string }> {
  const deadline = new EventTimeout(new AbortController().signal);
  const all: { chunks: JsonObject[]; done: boolean; error?: string } = { chunks: [], done: false };
  const body = (async function* () {
    yield* pieces;
  })();
  try {
    const meter = new ResponseLimits(LIMITS);
    const timers = { firstEventMs: 1_000, idleMs: 1_000 };
    const exchange = {
      readLike: () => undefined,
      read: (chunk: JsonObject) => void all.chunks.push(chunk),
      hasEvents: false,
      isAnswer: () => true,
      markDone: () => {
        all.done = true;
      },
    };
    await readChatBody({ status: 200, headers: {}, body }, { deadline, timers, meter, exchange }, () => undefined);
  } catch (error) {
    if (!(error instanceof PostelError)) throw error;
    all.error = error.failure.code;
  } finally {
    deadline.dispose();
  }
  return all;
}

describe("readChatBody", () => {
  it.each([
    ["a stream", STREAM],
    ["a document", DOCUMENT],
    ["a stream that is cut inside an event", STREAM.slice(0, 120)],
    ["a stream with an event that is no JSON", `${STREAM.slice(0, 80)}data: oops\n\ndata: {}\n\n`],
  ])("gives %s the same meaning at every cut", async (_, text) => {
    const bytes = new TextEncoder().encode(text);
    const expected = await read([bytes]);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
    expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it.each([
    ["comments", "text/event-stream", ": ping\n\n"],
    ["blank lines", "text/event-stream", "\n"],
    ["role deltas", "text/event-stream", 'data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n'],
    ["empty deltas", "application/json", 'data: {"choices":[{"delta":{"content":""}}]}\n\n'],
    ["usage alone", "", 'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n'],
    ["named pings", "text/event-stream", 'event: ping\ndata: {"type":"ping"}\n\n'],
  ])("ends a whole answer that comes as a stream of %s", async (_, type, piece) => {
    expect(await waitedOut(type, piece)).toContain("sent no word of its answer within 20 ms");
  });

  it("replaces bytes that are no UTF-8 instead of failing", async () => {
    const bytes = new TextEncoder()
      .encode('data: {"a":"?"}\n\ndata: [DONE]\n\n')
      .map((byte) => (byte === 63 ? 0xff : byte));
    expect(await read([bytes])).toEqual({ chunks: [{ a: "\uFFFD" }], done: true });
  });

  it("lets others have their turn while it reads much that came at once", async () => {
    const events = 20_000;
    const one = `data: ${JSON.stringify({ choices: [{ delta: { content: "a word" } }] })}\n\n`;
    const bytes = new TextEncoder().encode(`${one.repeat(events)}data: [DONE]\n\n`);
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      ticking = setImmediate(turn);
    };
    let ticking = setImmediate(turn);
    const { chunks, done } = await read([bytes]);
    clearImmediate(ticking);
    expect([chunks.length, done]).toEqual([events, true]);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(bytes.length / 65_536));
  });

  it("parses a long event in one turn and hands it on in another", async () => {
    const bytes = new TextEncoder().encode(`data: {"a":"${"x".repeat(100_000)}"}\n\ndata: [DONE]\n\n`);
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      ticking = setImmediate(turn);
    };
    let ticking = setImmediate(turn);
    await read([bytes]);
    clearImmediate(ticking);
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it("refuses a document over 8 MiB without reading on", async () => {
    let sent = 0;
    const piece = new TextEncoder().encode(" ".repeat(1_048_576));
    const pieces = (function* () {
      yield new TextEncoder().encode("{");
      for (; sent < 100; sent += 1) yield piece;
    })();
    expect((await read(pieces as unknown as readonly Uint8Array[])).error).toBe("upstream_answer_too_large");
    expect(sent).toBeLessThan(10);
  });
});

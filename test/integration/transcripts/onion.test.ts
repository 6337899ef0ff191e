import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "@jest/globals";
import type { Egress } from "../../../src/core/ports.ts";
import { createBreakerEgress } from "../../../src/network/breaker/breakerEgress.ts";
import { guardEgress } from "../../../src/network/policy/guardEgress.ts";
import { retryEgress } from "../../../src/network/retry/retryEgress.ts";
import { systemClock, systemRandom } from "../../../src/network/system.ts";
import { createUndiciEgress } from "../../../src/network/undici/undiciEgress.ts";
import { createRedact } from "../../../src/telemetry/redaction/createRedact.ts";
import {
  formatTranscript,
  parseTranscript,
  type RecordedExchange,
} from "../../../src/transcripts/format/Transcript.ts";
import { type Ended, recordEgress } from "../../../src/transcripts/record/recordEgress.ts";
import { ReplayClock } from "../../../src/transcripts/replay/ReplayClock.ts";
import { ReplayEgress } from "../../../src/transcripts/replay/ReplayEgress.ts";
import type { Chunking } from "../../../src/transcripts/replay/rechunk.ts";
import { chat, HEADER, never, readAll } from "../../support/transcripts/exchanges.ts";

const ANSWER = 'data: {"text":"Ebbe um 14:05 – schön"}\n\ndata: [DONE]\n\n';
const KEY = "top-secret-key";
const CHUNKINGS: Chunking[] = [
  { type: "recorded" },
  ...[1, 3, 7].map((size): Chunking => ({ type: "size", size })),
  { type: "whole" },
  { type: "random", seed: 7 },
];
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Refuses the first request with 429, then answers in pieces that cut characters. */
async function startUpstream(): Promise<string> {
  let requests = 0;
  const server = createServer(async (_, response) => {
    requests += 1;
    if (requests === 1) {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "0" }).end('{"error":{}}');
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": KEY });
    const bytes = Buffer.from(ANSWER);
    for (let at = 0; at < bytes.length; at += 5) {
      response.write(bytes.subarray(at, at + 5));
      await new Promise(setImmediate);
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function converse(egress: Egress, url: string): Promise<{ text: string; status: number; retries: string[] }> {
  const retries: string[] = [];
  const request = chat({ model: "tide-model", messages: [{ role: "user", content: "When is low tide?" }] });
  const purpose = { ...request.purpose, onRetry: (reason: string) => void retries.push(reason) };
  const headers = { ...request.headers, authorization: `Bearer ${KEY}` };
  const response = await egress.send({ ...request, url: `${url}/v1/chat/completions`, headers, purpose }, never);
  return { status: response.status, text: await readAll(response.body), retries };
}

it("what the whole onion recorded replays alike, retry included, at every chunking and without a network", async () => {
  const origin = await startUpstream();
  const network = createUndiciEgress({ connectMs: 2_000 });
  closing.unshift(network.close);
  const ended: Ended<RecordedExchange>[] = [];
  const sink = { write: (exchange: Ended<RecordedExchange>) => void ended.push(exchange), lose: () => {} };
  const recorder = { sink, redact: createRedact([KEY]), clock: systemClock };
  const retries = { attempts: 3, minWaitMs: 10, maxWaitMs: 1_000, random: systemRandom };
  const recording = recordEgress(guardEgress(network.egress, { origins: [origin] }), recorder);
  const live = retryEgress(createBreakerEgress(recording, { clock: systemClock }), { ...retries, clock: systemClock });
  const seen = await converse(live, origin);
  expect(seen).toEqual({ status: 200, text: ANSWER, retries: ["status 429"] });

  const exchanges = await Promise.all(ended.map((exchange) => exchange.redacted()));
  const file = formatTranscript({ header: HEADER, exchanges });
  expect(file).not.toContain(KEY);
  const transcript = parseTranscript(file, "onion.jsonl");
  expect(transcript.exchanges.map(({ response }) => response?.status)).toEqual([429, 200]);
  for (const chunking of CHUNKINGS) {
    const clock = new ReplayClock(transcript.header.recorded_at);
    const replay = new ReplayEgress(transcript, { chunking, clock });
    const onion = retryEgress(createBreakerEgress(replay, { clock }), { ...retries, clock });
    expect(await converse(onion, "http://elsewhere.invalid")).toEqual(seen);
    expect(replay.leftovers()).toEqual([]);
  }
});

// A long answer that is hard to read holds nobody else up: between two slices of it the gateway serves others, and notices who left.

import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const MARKS = "<function=f>".repeat(10_000);
const TOOL = { type: "function" as const, function: { name: "f", parameters: { type: "object", properties: {} } } };

let upstream: FakeUpstream;
let gateway: RunningGateway;

beforeEach(async () => {
  upstream = await FakeUpstream.start((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${chunk(MARKS)}data: [DONE]\n\n`);
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** Questions that were answered while the work went on. */
async function answeredMeanwhile(work: Promise<unknown>): Promise<number> {
  let answered = 0;
  let working = true;
  const end = work.finally(() => {
    working = false;
  });
  while (working) {
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    if (working) answered += 1;
  }
  await end;
  return answered;
}

describe("while a long text of call marks is read", () => {
  it.each([
    ["from an upstream", "/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "Hi" }] }],
    ["in /v1/parse", "/v1/parse", { text: MARKS }],
  ])("%s, others are served", async (_, path, body) => {
    expect(await answeredMeanwhile(post(path, { ...body, tools: [TOOL] }))).toBeGreaterThan(2);
  });

  it("a client that leaves ends the reading", async () => {
    const leaving = new AbortController();
    const answer = post("/v1/parse", { text: MARKS.repeat(40), tools: [TOOL] }, leaving.signal);
    await wait(50);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    // Were it read to its end, this one would wait for its turns.
    expect((await post("/v1/parse", { text: "Hi" })).status).toBe(200);
  });
});

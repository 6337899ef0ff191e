// What of a long streamed answer is still in memory once it has left: as much as of a short one.

import type { ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { chunk, FakeUpstream } from "../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../support/startGateway.ts";

const MB = 1_048_576;
const PIECE = `${"All is well at the lighthouse. ".repeat(33)}\n`;

let upstream: FakeUpstream;
let gateway: RunningGateway;
let field: "content" | "reasoning_content" = "content";
beforeAll(async () => {
  upstream = await FakeUpstream.start((_request, response) => void send(response));
  const config = configFor(upstream.baseUrl);
  gateway = await startGateway({
    config: {
      ...config,
      limits: { ...config.limits, answerChars: 128 * MB, answerEvents: 10_000_000 },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** 64 MB in pieces of a kilobyte, no faster than they are read. */
async function send(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const line = chunk(PIECE).replace('"content"', JSON.stringify(field));
  for (let sent = 0; sent < 64 * MB; sent += PIECE.length) {
    if (!response.write(line)) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end(`${chunk("", "stop")}data: [DONE]\n\n`);
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** The heap after 4 MB of the answer, and just before its end. */
async function heapAlong(
  body: object,
): Promise<{ readonly early: number; readonly late: number; readonly bytes: number }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Go on." }], ...body }),
  });
  let bytes = 0;
  let early = 0;
  let late = 0;
  for await (const piece of response.body ?? []) {
    bytes += (piece as Uint8Array).length;
    if (early === 0 && bytes > 4 * MB) early = heap();
    if (late === 0 && bytes > 64 * MB) late = heap();
  }
  return { early, late, bytes };
}

const TOOL = { type: "function", function: { name: "light", parameters: { type: "object" } } };

describe("a streamed answer of 64 MB", () => {
  it.each([
    ["content", {}],
    ["content", { tools: [TOOL] }],
    ["reasoning_content", {}],
    ["reasoning_content", { tools: [TOOL] }],
  ] as const)(
    "keeps none of its %s (%j)",
    async (name, body) => {
      field = name;
      const { early, late, bytes } = await heapAlong(body);
      expect(bytes).toBeGreaterThan(64 * MB);
      expect((late - early) / MB).toBeLessThan(6);
    },
    300_000,
  );
});

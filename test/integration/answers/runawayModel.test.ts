// A model that makes one call over and over and would never end: its answer is ended for it, and so is its upstream's work.

import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream;
let gateway: RunningGateway;

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** The n-th piece of an answer. */
type Piece = (n: number) => string;

/** Writes pieces until nobody reads them any more. */
async function endless(response: ServerResponse, piece: Piece): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let n = 0; !response.destroyed; n++) {
    response.write(piece(n));
    await new Promise(setImmediate);
  }
}

async function start(answer: (response: ServerResponse) => void): Promise<{ readonly left: Promise<void> }> {
  const left = Promise.withResolvers<void>();
  upstream = await FakeUpstream.start((_, response) => {
    response.on("close", () => left.resolve());
    answer(response);
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
  return { left: left.promise };
}

function fragment(index: number, args: JsonObject): string {
  const call = {
    index,
    id: `c${index}`,
    type: "function",
    function: { name: "look", arguments: JSON.stringify(args) },
  };
  return `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] })}\n\n`;
}

const leak = (at: number): string => `<tool_call>\n{"name": "look", "arguments": {"at": ${at}}}\n</tool_call>\n`;

const tools = [
  {
    type: "function" as const,
    function: { name: "look", parameters: { type: "object", properties: { at: { type: "integer" } } } },
  },
];

describe.each([true, false])("a model that makes one call without end (stream: %s)", (stream) => {
  async function ask(headers: Record<string, string> = {}) {
    const request = { model: "qwen3:8b", messages: [{ role: "user" as const, content: "Look!" }], tools };
    const { completions } = gateway.client().chat;
    const answer = stream
      ? await completions.stream(request, { headers }).finalChatCompletion()
      : await completions.create(request, { headers });
    const [choice] = answer.choices;
    const calls = (choice?.message.tool_calls ?? []).map((call) => call.type === "function" && call.function.arguments);
    return { calls, finish: choice?.finish_reason };
  }

  it.each<[string, Piece, Record<string, string>]>([
    ["in the wire's field", (n) => fragment(n, { at: 1 }), {}],
    ["in leaked text", () => chunk(leak(1)), {}],
    ["in text mode", () => chunk(leak(1)), { "x-postel-tool-mode": "text" }],
  ])("is stopped at the eighth %s; the seven before stand", async (_, piece, headers) => {
    const { left } = await start((response) => void endless(response, piece));
    const { calls, finish } = await ask(headers);
    await left;
    expect(calls.map((text) => JSON.parse(String(text)))).toEqual(Array.from({ length: 7 }, () => ({ at: 1 })));
    expect([finish, upstream.requests.length]).toEqual(["tool_calls", 1]);
  });

  it.each<[string, Piece]>([
    ["in the wire's field", (n) => fragment(n, { at: n })],
    ["in leaked text", (n) => chunk(leak(n))],
  ])("keeps all of twenty calls %s that differ", async (_, piece) => {
    await start((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let n = 0; n < 20; n++) response.write(piece(n));
      response.end(`${chunk("", "stop")}data: [DONE]\n\n`);
    });
    expect((await ask()).calls).toHaveLength(20);
  });

  it("gives the same where the whole answer comes as one JSON body", async () => {
    const call = (n: number) => ({ id: `c${n}`, type: "function", function: { name: "look", arguments: '{"at": 1}' } });
    await start((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const message = { role: "assistant", content: null, tool_calls: Array.from({ length: 8 }, (_, n) => call(n)) };
      response.end(JSON.stringify({ id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
    });
    expect((await ask()).calls).toHaveLength(7);
  });
});

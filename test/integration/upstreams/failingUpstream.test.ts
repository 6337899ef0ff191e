// An upstream that goes on failing: how often it is asked, and who is still let through to it.

import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import OpenAI from "openai";
import { chunk, FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream | undefined;
let gateway: RunningGateway | undefined;

afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
});

async function start(answer: (response: ServerResponse, model: string) => void, attempts = 1): Promise<RunningGateway> {
  upstream = await FakeUpstream.start((request, response) => answer(response, request.body.model));
  gateway = await startGateway({
    config: {
      ...configFor(upstream.baseUrl),
      retries: { attempts, minWaitMs: 1, maxWaitMs: 1 },
    },
  });
  return gateway;
}

interface Asked {
  readonly content?: string;
  readonly model?: string;
  readonly stream?: boolean;
}

async function ask({ content = "hi", model = "m", stream = false }: Asked): Promise<Response> {
  return fetch(`${gateway?.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content }] }),
  });
}

describe.each([true, false])("an upstream that goes on failing (stream: %s)", (stream) => {
  it("is asked as often as we repeat, and not by the client's own retries times ours", async () => {
    const { url } = await start((response) => sendError(response, 503, "overloaded"), 3);
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 2 });
    const asked = client.chat.completions.create({ model: "m", stream, messages: [{ role: "user", content: "hi" }] });
    await expect(asked).rejects.toMatchObject({ status: 503, code: "upstream_overloaded" });
    expect(upstream?.requests).toHaveLength(3);
  });

  it("that nobody answers for is dialled as often as we repeat, too", async () => {
    await start(() => {}, 3);
    await upstream?.close();
    upstream = undefined;
    const response = await ask({ stream });
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([502, "false"]);
  });

  it.each([
    ["answers 502", (response: ServerResponse) => sendError(response, 502, "bad gateway")],
    [
      "breaks its streams off",
      (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(chunk("Half a "), () => response.destroy());
      },
    ],
    [
      "says in its streams that it is overloaded",
      (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`data: {"error": {"code": 503, "message": "overloaded"}}\n\n`);
      },
    ],
  ])("is left alone after five different requests where it %s, and its other models are not", async (_, fail) => {
    await start((response, model) => (model === "well" ? sendText(response, "Fine.") : fail(response)));
    for (let n = 0; n < 5; n++) await (await ask({ stream, content: `question ${n}` })).text();
    const refused = await ask({ stream, content: "one more" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([502, "10"]);
    expect(await refused.json()).toMatchObject({ error: { code: "upstream_unavailable" } });
    expect(upstream?.requests).toHaveLength(5);
    expect((await ask({ stream, model: "well" })).status).toBe(200);
  });

  it("is still asked by others where only one request breaks it, however often that comes", async () => {
    await start((response, model) => (model === "m" ? sendError(response, 502, "boom") : sendText(response, "Fine.")));
    for (let n = 0; n < 12; n++) expect((await ask({ stream, content: "the same" })).status).toBe(502);
    expect((await ask({ stream, content: "another" })).status).toBe(502);
    expect(upstream?.requests).toHaveLength(13);
  });

  it.each([
    [500, "the parser failed"],
    [400, "no such field"],
  ])("is still asked after many a %i that says %j", async (status, words) => {
    await start((response) => sendError(response, status, words));
    for (let n = 0; n < 8; n++) await (await ask({ stream, content: `question ${n}` })).text();
    expect(upstream?.requests).toHaveLength(8);
  });
});

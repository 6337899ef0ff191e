import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import { chunk, FakeUpstream, sendError } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream | undefined;
let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
});

async function start(answer: (response: ServerResponse) => void): Promise<RunningGateway> {
  upstream = await FakeUpstream.start((_request, response) => answer(response));
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
  return gateway;
}

const ask = { model: "some-model", messages: [{ role: "user" as const, content: "hi" }] };

describe.each([true, false])("an upstream that fails (stream: %s)", (stream) => {
  it.each([
    [401, "upstream_unauthorized"],
    [429, "upstream_rate_limited"],
    [503, "upstream_overloaded"],
  ])("makes its %s ours", async (status, code) => {
    const { url } = await start((response) => sendError(response, status, "no"));
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...ask, stream }),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it("whose stream is cut gives an error, never a stop", async () => {
    const running = await start((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`${chunk("Half a ")}${chunk("sentence")}`, () => response.destroy());
    });
    const { completions } = running.client().chat;
    const asked = stream ? completions.stream(ask).finalChatCompletion() : completions.create(ask);
    await expect(asked).rejects.toMatchObject({ code: "upstream_truncated" });
  });

  it.each([
    ["max_tokens", "length"],
    ["banana", "stop"],
  ])(
    "whose finish reason is %s: the client reads a legal one, and beside it the upstream's own",
    async (stated, legal) => {
      const { url } = await start((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`${chunk("Once upon", stated)}data: [DONE]\n\n`);
      });
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...ask, stream }),
      });
      const body = await response.text();
      expect(body).toContain(`"finish_reason":"${legal}"`);
      expect(body).toContain(`"upstream_finish_reason":"${stated}"`);
    },
  );

  it("whose answer never ends is left when answer_ms is over, and the client reads why", async () => {
    const left = Promise.withResolvers<void>();
    upstream = await FakeUpstream.start((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const drip = setInterval(() => response.write(chunk("drop ")), 20);
      response.once("close", () => {
        clearInterval(drip);
        left.resolve();
      });
    });
    const config = configFor(upstream.baseUrl);
    gateway = await startGateway({ config: { ...config, timeouts: { ...config.timeouts, answerMs: 500 } } });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...ask, stream }),
    });
    const body = await response.text();
    expect(body).toContain('"code":"upstream_timeout"');
    expect(body).toContain("timeouts.answer_ms");
    expect(body).not.toContain('"finish_reason":"');
    await left.promise;
  });

  it("that says no more than [DONE] gives an error", async () => {
    const { url } = await start((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("data: [DONE]\n\n");
    });
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...ask, stream }),
    });
    expect([response.status, await response.json()]).toMatchObject([502, { error: { code: "upstream_truncated" } }]);
  });

  it("is told that the client has left", async () => {
    const leaving = new AbortController();
    const left = new Promise<void>((resolve) => {
      void start((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(chunk("Once upon a time "));
        response.once("close", resolve);
        // Only now, with the exchange open on both sides, does the client go.
        setImmediate(() => leaving.abort());
      }).then(async (running) => {
        const { completions } = running.client().chat;
        await completions
          .create({ ...ask, stream }, { signal: leaving.signal })
          .then(async (answer) => {
            if (Symbol.asyncIterator in answer) for await (const _chunk of answer);
          })
          .catch(() => undefined);
      });
    });
    await left;
    if (!leaving.signal.aborted) await once(leaving.signal, "abort");
  });
});

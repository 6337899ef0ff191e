// The gateway as a value: fetch, listen and close, against an upstream of the test's own.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import OpenAI from "openai";
import type { Config } from "../../../src/core/config/configuration.ts";
import { createGateway, type Gateway, PostelError } from "../../../src/gateway/createGateway.ts";
import { chunk, FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor } from "../../support/startGateway.ts";

let upstream: FakeUpstream;
let gateway: Gateway;
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  answer = (response) => sendText(response, "It is sunny.");
  upstream = await FakeUpstream.start((_request, response) => answer(response));
  gateway = await open();
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

function open(changed: Partial<Config> = {}): Promise<Gateway> {
  return createGateway({ ...configFor(upstream.baseUrl), ...changed }, { observers: [] });
}

const BODY = { model: "m", messages: [{ role: "user" as const, content: "How is the weather?" }] };

function ask(fields: object = {}, init: RequestInit = {}): Request {
  return new Request("http://localhost/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...BODY, ...fields }),
    ...init,
  });
}

describe("Gateway", () => {
  it("has the members fetch, listen and close", () => {
    expect(Object.keys(gateway).sort()).toEqual(["close", "fetch", "listen"]);
  });
});

describe("Gateway.fetch", () => {
  it("answers a chat completion as JSON", async () => {
    const { fetch } = gateway;
    const response = await fetch(ask());
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "It is sunny." }, finish_reason: "stop" }],
    });
  });

  it("streams a chat completion while the upstream writes it", async () => {
    let finish = (): void => {};
    answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(chunk("It is "));
      finish = () => void response.end(`${chunk("sunny.", "stop")}data: [DONE]\n\n`);
    };
    const { body } = await gateway.fetch(ask({ stream: true }));
    let text = "";
    for await (const piece of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.includes("It is ")) finish();
    }
    expect(text).toContain('"content":"sunny."');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it("is the fetch of an official client", async () => {
    const client = new OpenAI({
      baseURL: "http://localhost/v1",
      apiKey: "none",
      fetch: (input, init) => gateway.fetch(new Request(input as string, init as RequestInit)),
    });
    let text = "";
    for await (const part of await client.chat.completions.create({ ...BODY, stream: true }))
      text += part.choices[0]?.delta.content ?? "";
    expect(text).toBe("It is sunny.");
    expect((await client.chat.completions.create(BODY)).choices[0]?.message.content).toBe("It is sunny.");
  });

  it("answers routes of Express, HEAD without a body, and unknown paths", async () => {
    const models = await gateway.fetch(new Request("http://localhost/v1/models"));
    expect(await models.json()).toMatchObject({ object: "list" });
    const health = await gateway.fetch(new Request("http://localhost/health", { method: "HEAD" }));
    expect([health.status, health.body]).toEqual([200, null]);
    const unknown = await gateway.fetch(new Request("http://localhost/none"));
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { type: "invalid_request_error" } }]);
  });

  it("answers an invalid request with its failure", async () => {
    const response = await gateway.fetch(ask({ messages: "none" }));
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: "messages" } }]);
  });

  it("authenticates as over HTTP", async () => {
    await gateway.close();
    const config = configFor(upstream.baseUrl);
    const key = { name: "alice", can: ["ask"], digest: "0".repeat(64) } as const;
    gateway = await open({ server: { ...config.server, apiKeys: [key] } });
    expect((await gateway.fetch(ask())).status).toBe(401);
  });

  it("frames the body itself, whatever the request's headers say of a connection", async () => {
    const headers = { "content-type": "application/json", "content-length": "2", "transfer-encoding": "gzip" };
    const response = await gateway.fetch(ask({}, { headers: { ...headers, connection: "upgrade", upgrade: "x" } }));
    expect(response.status).toBe(200);
    expect(response.headers.get("connection")).toBeNull();
    expect(response.headers.get("transfer-encoding")).toBeNull();
  });

  it("reads a streamed body, and rejects with its error", async () => {
    const text = JSON.stringify(BODY);
    const streamed = (body: ReadableStream) => ask({}, { body, duplex: "half" } as RequestInit);
    const pieces = new Blob([text.slice(0, 10), text.slice(10)]).stream();
    expect((await gateway.fetch(streamed(pieces))).status).toBe(200);
    const fault = new Error("the disk is gone");
    const broken = new ReadableStream({ pull: (controller) => controller.error(fault) });
    await expect(gateway.fetch(streamed(broken))).rejects.toBe(fault);
  });

  it("rejects with the signal's reason, and asks no model, if the signal is aborted already", async () => {
    const reason = new Error("never mind");
    await expect(gateway.fetch(ask({}, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(upstream.requests).toEqual([]);
  });

  it("ends the request to the upstream if the signal aborts before the answer", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    answer = asked.resolve;
    const aborting = new AbortController();
    const response = gateway.fetch(ask({}, { signal: aborting.signal }));
    const closed = once(await asked.promise, "close");
    const reason = new Error("never mind");
    aborting.abort(reason);
    await expect(response).rejects.toBe(reason);
    await closed;
  });

  it.each([
    ["the signal aborts in the middle of the answer", (_: ReadableStreamDefaultReader, abort: () => void) => abort()],
    ["the body is cancelled", (reader: ReadableStreamDefaultReader) => void reader.cancel()],
  ])("ends the request to the upstream if %s", async (_, end) => {
    const asked = Promise.withResolvers<ServerResponse>();
    answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(chunk("It is "));
      asked.resolve(response);
    };
    const aborting = new AbortController();
    const { body } = await gateway.fetch(ask({ stream: true }, { signal: aborting.signal }));
    const closed = once(await asked.promise, "close");
    const reader = (body as ReadableStream).getReader();
    await reader.read();
    end(reader, () => aborting.abort(new Error("never mind")));
    await closed;
    if (aborting.signal.aborted) await expect(reader.read()).rejects.toBe(aborting.signal.reason);
  });
});

describe("Gateway.listen", () => {
  it("resolves with the URL of the server", async () => {
    const url = await gateway.listen({ port: 0, host: "127.0.0.1" });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(BODY),
    });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: "It is sunny." } }] });
  });

  it("rejects if the port is taken, and listens on another one then", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    await expect(gateway.listen({ port, host: "127.0.0.1" })).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${port}: the port is taken by another program; choose another one with \`--port\` or \`server.port\` (0: any free one).`,
    );
    other.close();
    expect(await gateway.listen({ port: 0 })).toMatch(/^http:/);
    await expect(gateway.listen({ port: 0 })).rejects.toThrow("the gateway listens already; create another one");
  });

  it("rejects an address that others can reach if there are no keys", async () => {
    const listening = gateway.listen({ port: 0, host: "0.0.0.0" });
    await expect(listening).rejects.toThrow(PostelError);
    await expect(listening).rejects.toThrow("expected a loopback address");
  });

  it("closes the gateway if the signal aborts", async () => {
    const aborting = new AbortController();
    const url = await gateway.listen({ port: 0, signal: aborting.signal });
    aborting.abort();
    await gateway.close();
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });
});

describe("Gateway.close", () => {
  it("lets an active answer end, refuses new requests with 503, and may be called again", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    answer = asked.resolve;
    const active = gateway.fetch(ask());
    const response = await asked.promise;
    const closing = gateway.close();
    expect((await gateway.fetch(ask())).status).toBe(503);
    sendText(response, "It is sunny.");
    expect(await (await active).json()).toMatchObject({ choices: [{ message: { content: "It is sunny." } }] });
    await closing;
    await gateway.close();
    expect((await gateway.fetch(ask())).status).toBe(503);
    await expect(gateway.listen({ port: 0 })).rejects.toThrow("the gateway is closed; create another one");
  });
});

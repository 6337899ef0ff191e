// Embeddings, legacy completions and rerank through the whole gateway: what goes up, what comes back, and what is refused.
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import OpenAI from "openai";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { Observation } from "../../../src/core/ports.ts";
import { type Answer, FakeUpstream, type UpstreamRequest, whole } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, shippedConfig, startGateway } from "../../support/startGateway.ts";
import { errorOf, post } from "../../support/testApp.ts";

let upstream: FakeUpstream | undefined;
let gateway: RunningGateway | undefined;
const observed: Observation[] = [];
afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
  [gateway, upstream] = [undefined, undefined];
  observed.length = 0;
});

/** The gateway before an upstream that answers so, both on free ports. */
async function start(answer: Answer, change: (config: Config) => Config = (config) => config): Promise<RunningGateway> {
  upstream = await FakeUpstream.start(answer);
  const config = change(configFor(upstream.baseUrl));
  gateway = await startGateway({ config, observer: { observe: (one) => observed.push(one) } });
  return gateway;
}

function withTimeouts(timeouts: Partial<Config["timeouts"]>): (config: Config) => Config {
  return (config) => ({ ...config, timeouts: { ...config.timeouts, ...timeouts } });
}

function json(body: unknown): Answer {
  return whole(200, "application/json", JSON.stringify(body));
}

const NUMBERS = [0.5, -2, 0.25];

/** As OpenAI's server does: base64 of little-endian floats where that is asked for. */
function embeddings({ body }: UpstreamRequest, response: ServerResponse): void {
  const texts = Array.isArray(body.input) ? body.input : [body.input];
  const embedding =
    body.encoding_format === "base64" ? Buffer.from(Float32Array.from(NUMBERS).buffer).toString("base64") : NUMBERS;
  const data = texts.map((_, index) => ({ object: "embedding", index, embedding }));
  const usage = { prompt_tokens: 4, total_tokens: 4 };
  json({ object: "list", data, model: body.model ?? "", usage })({ body } as UpstreamRequest, response);
}

function completionChunk(text: string, finish: string | null = null): string {
  const choices = [{ index: 0, text, finish_reason: finish, logprobs: null }];
  return `data: ${JSON.stringify({ id: "cmpl-1", object: "text_completion", created: 1, model: "m", choices })}\n\n`;
}

const ASKED = { model: "m", input: "a" };

describe("a request that is passed through", () => {
  it.each(["float", "base64"] as const)("gives the official client its embeddings, asked for as %s", async (format) => {
    const { client } = await start(embeddings);
    const answer = await client().embeddings.create({ model: "m", input: ["a", "b"], encoding_format: format });
    const [first] = answer.data.map(({ embedding }) => embedding as unknown);
    expect(first).toEqual(
      format === "float" ? NUMBERS : Buffer.from(Float32Array.from(NUMBERS).buffer).toString("base64"),
    );
    expect([answer.data.length, answer.usage.total_tokens]).toEqual([2, 4]);
  });

  it("gives the official client numbers where it asks for base64 of its own accord", async () => {
    const { client } = await start(embeddings);
    const answer = await client().embeddings.create({ model: "m", input: "a" });
    expect(answer.data[0]?.embedding).toEqual(NUMBERS);
    expect(upstream?.requests[0]?.body.encoding_format).toBe("base64");
  });

  it("goes up as the caller wrote it, with the upstream's key and headers and none of the caller's", async () => {
    const { url } = await start(embeddings, (config) => ({
      ...config,
      upstreams: config.upstreams.map((one) => ({ ...one, apiKey: "upstream-key", headers: { "x-team": "a" } })),
    }));
    const body = { model: "m", input: ["a", [1, 2]], dimensions: 3, unheard_of: { deep: [null, 1e21] }, user: "u" };
    await post(`${url}/v1/embeddings`, body, { authorization: "Bearer callers-own", "x-secret": "s" });
    const { path, body: sent, headers } = upstream?.requests[0] ?? {};
    expect([path, sent]).toEqual(["/v1/embeddings", body]);
    expect(headers).toMatchObject({ authorization: "Bearer upstream-key", "x-team": "a" });
    expect(headers).not.toHaveProperty("x-secret");
  });

  it("comes back byte for byte, under the id of the request", async () => {
    const bytes = '{ "results" :[{"index":0,  "relevance_score":0.98765432109876543210}],"späße":"\\u00e4"}\n';
    const { url } = await start(whole(200, "application/json; charset=utf-8", bytes));
    const asked = { model: "m", query: "q", documents: ["a"], top_n: 1 };
    const answer = await post(`${url}/v1/rerank`, asked, { "x-request-id": "mine" });
    expect(await answer.text()).toBe(bytes);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("x-request-id")).toBe("mine");
    expect(upstream?.requests.map(({ path }) => path)).toEqual(["/v1/rerank"]);
  });

  it("goes to the model that an alias stands for", async () => {
    const aliases = [{ pattern: "text-embedding-*", model: "bge-m3" }];
    const { client } = await start(embeddings, (config) => ({ ...config, aliases }));
    await client().embeddings.create({ model: "text-embedding-3-small", input: "a" });
    expect(upstream?.requests.map(({ body }) => body.model)).toEqual(["bge-m3"]);
  });

  it("reaches a server that has its paths without /v1", async () => {
    const { url } = await start(json({ results: [] }), (config) => ({
      ...config,
      upstreams: [{ ...config.upstreams[0], baseUrl: upstream?.baseUrl.replace("/v1", "") } as Config["upstreams"][0]],
    }));
    expect((await post(`${url}/v1/rerank`, { model: "m", query: "q", documents: [] })).status).toBe(200);
    expect(upstream?.requests[0]?.path).toBe("/rerank");
  });

  it("gives the words of a legacy completion as they come, not when it is over", async () => {
    let goOn = (): void => {};
    const { client } = await start((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(completionChunk("Once "));
      goOn = () => response.end(`${completionChunk("upon", "stop")}data: [DONE]\n\n`);
    });
    const texts: string[] = [];
    for await (const { choices } of await client().completions.create({ model: "m", prompt: "p", stream: true })) {
      texts.push(choices[0]?.text ?? "");
      if (texts.length === 1) goOn();
    }
    expect(texts).toEqual(["Once ", "upon"]);
  });

  it("is asked again where the upstream was too busy, as embeddings and reranking may be", async () => {
    let asked = 0;
    const busy = whole(429, "application/json", '{"error":{"message":"slow down"}}', { "retry-after": "0" });
    const { client } = await start(
      (received, response) => {
        asked += 1;
        return (asked === 1 ? busy : embeddings)(received, response);
      },
      (config) => ({ ...config, retries: { attempts: 2, minWaitMs: 1, maxWaitMs: 10 } }),
    );
    expect((await client().embeddings.create(ASKED)).data).toHaveLength(1);
    expect(observed.filter(({ type }) => type === "retry")).toHaveLength(1);
  });

  it("is logged with the upstream that answered", async () => {
    const { url } = await start(embeddings);
    await (await post(`${url}/v1/embeddings`, ASKED)).text();
    expect(observed).toContainEqual(expect.objectContaining({ type: "exchange", key: "fake/m", status: 200 }));
  });

  it("leaves nothing in a recording, for it belongs to no run", async () => {
    upstream = await FakeUpstream.start(embeddings);
    const folder = mkdtempSync(join(tmpdir(), "postel-"));
    gateway = await startGateway({ config: configFor(upstream.baseUrl), recordTo: folder });
    await (await post(`${gateway.url}/v1/embeddings`, ASKED)).text();
    await gateway.close();
    gateway = undefined;
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe("a request that cannot be passed through", () => {
  it.each(["api_base", "custom_llm_provider", "extra_headers", "apiKey"])(
    "is refused for `%s`, and the upstream hears nothing of it",
    async (field) => {
      const { url } = await start(embeddings);
      const answer = await post(`${url}/v1/embeddings`, { ...ASKED, [field]: "http://evil.test" });
      expect([answer.status, await errorOf(answer)]).toEqual([
        400,
        expect.objectContaining({ code: "unsupported_parameter", param: field }),
      ]);
      expect(upstream?.requests).toEqual([]);
    },
  );

  it.each([
    ["no model", { input: "a" }, "model"],
    ["a model that is no text", { model: 3 }, "model"],
    ["a body that is a list", [], null],
  ])("is refused for %s", async (_what, body, param) => {
    const { url } = await start(embeddings);
    const answer = await post(`${url}/v1/embeddings`, body);
    expect([answer.status, await errorOf(answer)]).toEqual([
      400,
      expect.objectContaining({ code: "invalid_request", param }),
    ]);
  });

  it.each(["/v1/embeddings", "/v1/completions", "/v1/rerank"])(
    "is told on %s that a recorded model only talks, and that an unknown one is not there",
    async (path) => {
      gateway = await startGateway({ config: shippedConfig() });
      const recorded = await post(`${gateway.url}${path}`, { model: "leaked-xml" });
      expect([recorded.status, await errorOf(recorded)]).toEqual([
        400,
        expect.objectContaining({
          code: "unsupported_parameter",
          param: "model",
          message: expect.stringContaining("answers conversations only"),
        }),
      ]);
      const unknown = await post(`${gateway.url}${path}`, { model: "nobody" });
      expect([unknown.status, (await errorOf(unknown)).code]).toEqual([404, "model_not_found"]);
    },
  );
});

describe("a wire without such requests", () => {
  it.each(["anthropic", "gemini"])("`%s` refuses them by its own word, and asks nobody", async (wire) => {
    const { url } = await start(embeddings, (config) => ({
      ...config,
      upstreams: config.upstreams.map((one) => ({ ...one, wire })),
    }));
    const answer = await post(`${url}/v1/embeddings`, ASKED);
    expect([answer.status, await errorOf(answer)]).toEqual([
      400,
      expect.objectContaining({ code: "unsupported_parameter", param: "model" }),
    ]);
    expect(upstream?.requests).toEqual([]);
  });
});

describe("an upstream that does not answer a passed request", () => {
  it.each([
    [401, "application/json", '{"error":{"message":"bad key"}}', 401, "upstream_unauthorized"],
    [404, "application/json", '{"detail":"Not Found"}', 404, "upstream_not_found"],
    [400, "application/json", '{"object":"error","message":"input too long","code":400}', 400, "upstream_refused"],
    [501, "application/json", '{"error":{"message":"start it with --embeddings"}}', 502, "upstream_error"],
    [302, "text/html", "", 502, "upstream_protocol_error"],
    [200, "text/html", "<html>sign in</html>", 502, "upstream_protocol_error"],
    [200, "application/json", "", 502, "upstream_protocol_error"],
    [200, "application/json", '{"error":"Unexpected endpoint or method. (POST /v1/rerank)"}', 502, "upstream_error"],
    [200, "application/json", '{ "error": {"message": "No host", "code": 429}}', 429, "upstream_rate_limited"],
  ])("is told as a typed error: %i %s %s", async (status, type, body, told, code) => {
    const { client } = await start(whole(status, type, body));
    const asked = client().embeddings.create(ASKED);
    await expect(asked).rejects.toBeInstanceOf(OpenAI.APIError);
    await expect(asked).rejects.toMatchObject({ status: told, code });
  });

  it("is heard out where an error comes byte by byte, and believed where `error` says nothing", async () => {
    const error = '\n{\n"error" : {"message": "No host", "code": 503}}';
    const { url } = await start(async ({ body }, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const text = body.input === "a" ? error : '{"error": null, "data": []}';
      for (const byte of text) await new Promise((resolve) => response.write(byte, resolve));
      response.end();
    });
    expect((await post(`${url}/v1/embeddings`, ASKED)).status).toBe(503);
    const right = await post(`${url}/v1/embeddings`, { ...ASKED, input: "b" });
    expect([right.status, await right.text()]).toEqual([200, '{"error": null, "data": []}']);
  });

  it("is told without the key that its error quotes", async () => {
    const key = "upstream-key-0123456789";
    const { url } = await start(whole(401, "application/json", `{"error":"bad key ${key}"}`), (config) => ({
      ...config,
      upstreams: config.upstreams.map((one) => ({ ...one, apiKey: key })),
    }));
    const text = await (await post(`${url}/v1/embeddings`, ASKED)).text();
    expect(text).toContain("bad key [redacted]");
    expect(JSON.stringify(observed)).not.toContain(key);
  });

  it("is told with the wait that it asks for", async () => {
    const { url } = await start(whole(429, "application/json", "{}", { "retry-after": "7" }));
    const answer = await post(`${url}/v1/embeddings`, ASKED);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "7"]);
  });

  it("is told as an error event where the stream breaks between two of its own", async () => {
    const { client } = await start((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(completionChunk("Once "), () => response.destroy());
    });
    const texts: string[] = [];
    const read = async () => {
      for await (const { choices } of await client().completions.create({ model: "m", prompt: "p", stream: true })) {
        texts.push(choices[0]?.text ?? "");
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "upstream_truncated" });
    expect(texts).toEqual(["Once "]);
  });

  it("never looks whole where it breaks within a document", async () => {
    const { url } = await start((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data": [', () => response.destroy());
    });
    await expect(post(`${url}/v1/embeddings`, ASKED).then((answer) => answer.text())).rejects.toThrow();
    expect(observed).toContainEqual(
      expect.objectContaining({ type: "failure", failure: expect.objectContaining({ code: "upstream_truncated" }) }),
    );
  });

  it.each([
    ["says nothing", { firstEventMs: 50, answerMs: 60 }, false],
    ["stops in its middle", { idleMs: 50 }, true],
    ["goes on for ever", { answerMs: 300 }, true],
  ])("is given up where it %s", async (what, timeouts, begins) => {
    let closed: Promise<unknown> | undefined;
    const { url } = await start((_request, response) => {
      closed = once(response, "close");
      if (!begins) return;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(completionChunk("a"));
      const drip =
        what === "goes on for ever" ? setInterval(() => response.write(completionChunk("a")), 10) : undefined;
      response.on("close", () => clearInterval(drip));
    }, withTimeouts(timeouts));
    const answer = await post(`${url}/v1/completions`, { model: "m", prompt: "p", stream: true });
    expect(answer.status).toBe(begins ? 200 : 504);
    expect(await answer.text()).toContain('"code":"upstream_timeout"');
    await closed;
  });
});

describe("a client of a passed request", () => {
  it("that leaves ends the upstream's work", async () => {
    let left: Promise<unknown> | undefined;
    const arrived = Promise.withResolvers<void>();
    const { url } = await start((_request, response) => {
      left = once(response, "close");
      arrived.resolve();
    });
    const leaving = new AbortController();
    const asked = fetch(`${url}/v1/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(ASKED),
      signal: leaving.signal,
    });
    await arrived.promise;
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await left;
  });

  it("that reads nothing is cut, and the upstream has not sent it all", async () => {
    const piece = Buffer.alloc(1_048_576, "[");
    const most = 256;
    let sent = 0;
    let closed: Promise<unknown> | undefined;
    const { url } = await start(
      async (_request, response) => {
        closed = once(response, "close");
        response.writeHead(200, { "content-type": "application/json" });
        for (; sent < most && !response.destroyed; sent += 1) {
          if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
        }
      },
      withTimeouts({ clientStallMs: 100 }),
    );
    const request = httpRequest(`${url}/v1/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    }).end(JSON.stringify(ASKED));
    const [answer] = await once(request, "response");
    answer.on("error", () => {});
    while (!closed) await once(request, "drain");
    await closed;
    expect(sent).toBeLessThan(64);
    expect(observed).toContainEqual(
      expect.objectContaining({ type: "failure", failure: expect.objectContaining({ code: "client_stalled" }) }),
    );
    request.destroy();
  });

  it("waits for a place of the upstream's, as a conversation does", async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const { url } = await start(
      (received, response) => {
        if (upstream?.requests.length === 1) arrived.resolve(response);
        else embeddings(received, response);
      },
      (config) => ({
        ...config,
        upstreams: config.upstreams.map((one) => ({ ...one, maxInFlight: 1 })),
        server: { ...config.server, maxQueued: 0 },
      }),
    );
    const first = post(`${url}/v1/embeddings`, ASKED);
    const response = await arrived.promise;
    const chat = await post(`${url}/v1/chat/completions`, { model: "m", messages: [{ role: "user", content: "hi" }] });
    expect([chat.status, (await errorOf(chat)).code]).toEqual([503, "gateway_overloaded"]);
    json({ data: [] })({ body: {} } as UpstreamRequest, response);
    expect(await (await first).json()).toEqual({ data: [] });
    expect((await post(`${url}/v1/embeddings`, ASKED)).status).toBe(200);
  });
});

// What goes up, held against what the SDK itself sends by its own fetch.
import { afterAll, afterEach, describe, expect, it } from "@jest/globals";
import OpenAI from "openai";
import { RequestHeadCache } from "../../../../src/models/request/RequestHeadCache.ts";
import { createUndiciEgress } from "../../../../src/network/undici/undiciEgress.ts";
import { FakeUpstream, type UpstreamRequest, whole } from "../../../support/FakeUpstream.ts";

interface Configured {
  /** Behind the server's origin. */
  readonly base: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
}

const network = createUndiciEgress({ connectMs: 2_000 });
const never = new AbortController().signal;
let upstream: FakeUpstream | undefined;

afterEach(() => upstream?.close());
afterAll(() => network.close());

async function start(): Promise<{ origin: string; received: readonly UpstreamRequest[] }> {
  upstream = await FakeUpstream.start(whole(200, "application/json", "{}"));
  return { origin: new URL(upstream.baseUrl).origin, received: upstream.requests };
}

const BODY = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Grüße – 你好" }] });
const PURPOSE = { kind: "model", key: "k", run: "r", repeatable: true, timers: { headersMs: 5_000 } } as const;
const SDKS_OWN = /^(user-agent|x-stainless-.*|accept-language|sec-fetch-.*)$/;
/** Of the connection and its bytes: whoever sends says them. */
const HOPS = new Set(["host", "connection", "accept-encoding", "content-length", "transfer-encoding"]);

function said({ method, path, headers, body }: UpstreamRequest): object {
  const names = Object.keys(headers).filter((name) => !HOPS.has(name) && !SDKS_OWN.test(name));
  return { method, path, body, headers: Object.fromEntries(names.sort().map((name) => [name, headers[name]])) };
}

describe("RequestHeadCache", () => {
  it.each<[string, Configured]>([
    ["a key", { base: "/v1", apiKey: "sk-1", headers: {} }],
    ["no key", { base: "/v1", headers: {} }],
    ["headers of its own", { base: "/v1/", apiKey: "sk-1", headers: { "X-Team": "blue", Authorization: "Token t" } }],
    ["other words of what is accepted", { base: "/a%20b", headers: { accept: "text/event-stream", "api-key": "k" } }],
    ["a query in its address", { base: "/v1?version=2", apiKey: "sk-1", headers: {} }],
  ])("say to an upstream with %s what the SDK says, but for the SDK's words about itself", async (_, configured) => {
    const { origin, received } = await start();
    const { base, apiKey, headers } = configured;
    const accept = "text/event-stream, application/json";
    const sdk = new OpenAI({
      baseURL: origin + base,
      apiKey: apiKey ?? "none",
      defaultHeaders: { accept, ...(!apiKey && { authorization: null }), ...headers },
      maxRetries: 0,
    });
    await sdk.post("/chat/completions", { body: BODY, headers: { "content-type": "application/json" } }).asResponse();
    await sdk.get("/models").asResponse();

    const heads = new RequestHeadCache({ wire: "openai", baseUrl: origin + base, apiKey, headers });
    const chat = { ...(await heads.getHead("post", "/chat/completions")), body: BODY, purpose: PURPOSE };
    await network.egress.send(chat, never);
    await network.egress.send({ ...(await heads.getHead("get", "/models")), purpose: PURPOSE }, never);

    const [chatOfSdk, listOfSdk, chatOfOurs, listOfOurs] = received.map(said);
    expect([chatOfOurs, listOfOurs]).toEqual([chatOfSdk, listOfSdk]);
    expect(Object.keys(received[2]?.headers ?? {}).filter((name) => SDKS_OWN.test(name))).toEqual([]);
  });

  it("are built once for each kind of request", async () => {
    const heads = new RequestHeadCache({ wire: "openai", baseUrl: "http://up.test/v1", apiKey: "sk-1", headers: {} });
    expect(await heads.getHead("post", "/chat/completions")).toBe(await heads.getHead("post", "/chat/completions"));
    expect(await heads.getHead("get", "/models")).toEqual({
      method: "GET",
      url: "http://up.test/v1/models",
      headers: { accept: "text/event-stream, application/json", authorization: "Bearer sk-1" },
    });
  });

  it("cannot be had where the base URL is none", async () => {
    const heads = new RequestHeadCache({ wire: "openai", baseUrl: "no url", apiKey: undefined, headers: {} });
    await expect(heads.getHead("get", "/models")).rejects.toThrow("Invalid URL");
  });
});

// A gateway with named keys before a model of the test's own, and requests to it.

import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { AgentConfig, Config } from "../../../src/core/config/configuration.ts";
import type { Observer } from "../../../src/core/ports.ts";
import type { Right } from "../../../src/core/requests.ts";
import { FakeUpstream, type UpstreamRequest } from "../FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../startGateway.ts";

export interface Talk {
  readonly url: string;
  readonly upstream: FakeUpstream;
  readonly gateway: RunningGateway;
  /** What the model was sent last, without its own words for the gateway's use. */
  said(): readonly { readonly role: string; readonly content: unknown }[];
  close(): Promise<void>;
}

/** Each is a key, of the owner of that name, or of the one that stands before the dot. */
const KEYS: Readonly<Record<string, readonly Right[]>> = {
  ada: ["ask", "decide"],
  "ada.asks": ["ask"],
  "ada.decides": ["decide"],
  ben: ["ask", "decide"],
  root: ["ask", "decide", "admin"],
};

export async function startTalk(
  answer: (request: UpstreamRequest, response: ServerResponse) => void,
  change: (config: Config) => Partial<Config> = () => ({}),
  observer?: Observer,
): Promise<Talk> {
  const upstream = await FakeUpstream.start((request, response) =>
    request.path.endsWith("/models")
      ? response.end(JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] }))
      : answer(request, response),
  );
  const config = configFor(upstream.baseUrl);
  const apiKeys = Object.entries(KEYS).map(([key, can]) => ({
    name: key.replace(/\..*/, ""),
    can,
    digest: createHash("sha256").update(key).digest("hex"),
  }));
  const gateway = await startGateway({
    config: { ...config, server: { ...config.server, apiKeys }, ...change(config) },
    observer,
  });
  return {
    url: gateway.url,
    upstream,
    gateway,
    said: () => upstream.requests.at(-1)?.body.messages ?? [],
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
  readonly body: any;
}

/** A request with this key. */
export async function send(url: string, method: string, body?: unknown, key = "ada"): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** A turn of a session. */
export function turn(talk: Talk, session: string, content: string, more: object = {}, key = "ada"): Promise<Reply> {
  const body = { model: "m", messages: [{ role: "user", content }], session_id: session, ...more };
  return send(`${talk.url}/v1/agent`, "POST", body, key);
}

/** The agent of whoever names none, with these tools. */
export function agent(...tools: AgentConfig["tools"]): AgentConfig {
  const limits = { maxTurns: 5, timeoutMs: 60_000, maxCalls: 10, totalTokens: 100_000 };
  return { id: "default", tools, sampling: {}, limits, actions: [] };
}

// A gateway started from a YAML text, before a model of the test's own and a service that counts.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FakeUpstream, type UpstreamRequest } from "../FakeUpstream.ts";
import { readConfig } from "../gatewayModules.ts";
import { type SimulatedCall, type SimulatedTurn, simulateModel } from "../simulateModel.ts";
import { startGateway } from "../startGateway.ts";

/** What a model says: words, or calls by name with their arguments. */
export type Said = string | readonly SimulatedCall[];

export interface Declared {
  readonly url: string;
  readonly upstream: FakeUpstream;
  /** What the service was asked: method, path and body. */
  readonly asked: string[];
  post(path: string, body: object): Promise<Reply>;
  get(path: string): Promise<Reply>;
  /** Stops the gateway and starts another one before the same model and service. @param changed the file's new text. */
  restart(changed?: string, env?: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
  readonly body: any;
  readonly text: string;
}

/**
 * What stands in every file: the model `m`, asked by its tools, those that begin with `text`, asked in text, and those that begin with
 * `tokens`, whose server makes tokens of text.
 */
const UPSTREAM = `
upstreams: [{ id: up, base_url: "\${env.MODEL_URL}" }]
models:
  - { match: ["text*"], tools: text, why: a test }
  - { match: ["tokens*"], tools: native, wire: chatml, tokenizes_text: true, why: a test }
`;

/** @param yaml agents and components; `\${env.SERVICE_URL}` is the service that counts, and answers with what it was asked. */
export async function startDeclared(
  yaml: string,
  says: (request: UpstreamRequest) => Said | Promise<Said>,
  store?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Declared> {
  const asked: string[] = [];
  const service = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    asked.push(`${request.method} ${request.url} ${body}`.trim());
    response.end(JSON.stringify({ asked: request.url, body }));
  });
  await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
  const upstream = await FakeUpstream.start(
    simulateModel(async (request) => turnOf(await says(request), request.body.tools !== undefined)),
  );
  const folder = mkdtempSync(join(tmpdir(), "postel-declared-"));
  const file = join(folder, "postel.yaml");
  const write = (text: string) => writeFileSync(file, UPSTREAM + text + (store ? `\nstore: { file: ${store} }\n` : ""));
  write(yaml);
  const own = {
    MODEL_URL: upstream.baseUrl,
    SERVICE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  };
  const closeServers = async (): Promise<void> => {
    await upstream.close();
    service.closeAllConnections();
    await new Promise((closed) => service.close(closed));
    rmSync(folder, { recursive: true, force: true });
  };
  const starting = async (env: Readonly<Record<string, string>>) =>
    startGateway({ config: readConfig({ file, modelsFile: resolve("config/models.yaml"), env: { ...own, ...env } }) });
  let gateway = await starting(more).catch(async (error: unknown) => {
    await closeServers();
    throw error;
  });
  const send = async (path: string, init?: RequestInit): Promise<Reply> => {
    const response = await fetch(`${gateway.url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
  };
  return {
    get url() {
      return gateway.url;
    },
    upstream,
    asked,
    post: (path, body) =>
      send(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    get: (path) => send(path),
    restart: async (changed, env = more) => {
      await gateway.close();
      if (changed !== undefined) write(changed);
      gateway = await starting(env);
    },
    close: async () => {
      await gateway.close();
      await closeServers();
    },
  };
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Calls as a native model makes them, or as one writes them that is asked in text. */
function turnOf(said: Said, native: boolean): SimulatedTurn {
  if (typeof said === "string") return { text: said, usage: USAGE };
  return { calls: said, usage: USAGE, ...(!native && { format: "hermes-json" }) };
}

/** The last message that the model was sent, and the system text before all. */
export function lastOf({ body: { messages } }: UpstreamRequest): string {
  return String(messages.at(-1)?.content);
}

export function systemOf({ body: { messages } }: UpstreamRequest): string {
  return messages[0]?.role === "system" ? String(messages[0].content) : "";
}

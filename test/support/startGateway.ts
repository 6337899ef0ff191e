// The whole gateway over HTTP on a free port: the shipped configuration, or one upstream of the test's own.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import OpenAI from "openai";
import type { Config } from "../../src/core/config/configuration.ts";
import type { Observer } from "../../src/core/ports.ts";
import { OF_OTHER_MAKES } from "./FakeUpstream.ts";
import { createHttpServer, type GatewayServices, openServices, readConfig } from "./gatewayModules.ts";
import { KEPT } from "./servers/keptConnections.ts";

export interface RunningGateway {
  readonly url: string;
  /** The official client, unchanged, on `/v1` or another base path. */
  client(path?: string): OpenAI;
  /** Tells it that its process is about to end. */
  stop(): void;
  close(): Promise<void>;
}

export function shippedConfig(): Config {
  return readConfig({ file: resolve("config/postel.yaml"), modelsFile: resolve("config/models.yaml"), env: {} });
}

/** Every model name goes to the server at this base URL; nothing is tried twice. */
export function configFor(baseUrl: string): Config {
  return {
    ...shippedConfig(),
    upstreams: [{ type: "server", wire: "openai", id: "fake", baseUrl, headers: {}, models: ["*"], parse: "on" }],
    retries: { attempts: 1, minWaitMs: 1, maxWaitMs: 1 },
  };
}

export async function startGateway(
  config: Config,
  observer: Observer = { observe: () => {} },
  recordTo?: string,
  prepare: (testGateway: GatewayServices) => void = () => {},
): Promise<RunningGateway> {
  const testGateway = await openServices(config, { observers: [observer], recordTo });
  prepare(testGateway);
  const stopping = new AbortController();
  const server = createHttpServer({ ...testGateway, stopping: stopping.signal }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    client: (path = "/v1") => new OpenAI({ baseURL: `${url}${path}`, apiKey: "none", maxRetries: 0 }),
    stop: () => stopping.abort(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await testGateway.close();
    },
  };
}

export interface UpstreamRequest {
  readonly path: string;
  readonly body: {
    readonly model: string;
    readonly tools?: readonly unknown[];
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
}

export interface FakeUpstream {
  readonly baseUrl: string;
  readonly requests: readonly UpstreamRequest[];
  close(): Promise<void>;
}

type Answer = (request: UpstreamRequest, response: ServerResponse, incoming: IncomingMessage) => void;

/** An OpenAI-compatible server whose answers the test writes. */
export async function startUpstream(answer: Answer): Promise<FakeUpstream> {
  const requests: UpstreamRequest[] = [];
  const server = createServer(KEPT, async (incoming, response) => {
    if (OF_OTHER_MAKES.test(incoming.url ?? "")) return sendError(response, 404, "Not Found");
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString("utf8");
    const request = { path: incoming.url ?? "", body: text === "" ? {} : JSON.parse(text) } as UpstreamRequest;
    requests.push(request);
    answer(request, response, incoming);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code: null } }));
}

/** The chunk that carries this piece of text. */
export function chunk(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

/** Streams a whole answer, word by word. */
export function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of text.match(/\s*\S+\s*/g) ?? []) response.write(chunk(piece));
  response.end(`${chunk("", "stop")}data: [DONE]\n\n`);
}

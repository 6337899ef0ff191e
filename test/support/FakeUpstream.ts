// A server of the OpenAI wire on 127.0.0.1 whose answers a test writes: byte for byte, or simulated (see simulateModel.ts).
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonObject } from "../../src/core/messages.ts";
import { KEPT } from "./servers/keptConnections.ts";

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject & {
    readonly model: string;
    readonly tools?: readonly JsonObject[];
    readonly messages: readonly (JsonObject & { readonly role: string; readonly content: string })[];
  };
}

/** Answers one request. */
export type Answer = (request: UpstreamRequest, response: ServerResponse) => unknown;

/** The paths where servers of other makes say what their model can do. The gateway asks there of its own accord. */
const PATHS_OF_OTHER_MAKES = /^\/(props\b|api\/(show|ps)$)/;

export class FakeUpstream {
  /** In the order in which they arrived. */
  readonly requests: UpstreamRequest[] = [];
  readonly baseUrl: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  /** @param all true: the test also answers the paths of other makes; absent: they get a 404. */
  static async start(answer: Answer, { all = false }: { readonly all?: boolean } = {}): Promise<FakeUpstream> {
    const server = createServer(KEPT, async (incoming, response) => {
      const { method = "", url: path = "", headers } = incoming;
      if (!all && PATHS_OF_OTHER_MAKES.test(path)) return sendError(response, 404, "Not Found");
      const body = await text(incoming);
      const request = { method, path, headers, body: body === "" ? {} : JSON.parse(body) } as UpstreamRequest;
      upstream.requests.push(request);
      await answer(request, response);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const upstream = new FakeUpstream(server);
    return upstream;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** An answer of a status, a content type and a body, whole. */
export function whole(status: number, type: string, body: string, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { ...(type && { "content-type": type }), ...headers });
    response.end(body);
  };
}

/** An event stream of the given text, ended by the end of the connection. */
export function stream(body: string): Answer {
  return whole(200, "text/event-stream; charset=utf-8", body);
}

/** Chunks as events, `[DONE]` behind them. */
export function events(...chunks: readonly JsonObject[]): string {
  return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`;
}

/** A chunk with one delta. */
export function delta(fields: JsonObject, finish: string | null = null): JsonObject {
  return { id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta: fields, finish_reason: finish }] };
}

export function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code: null } }));
}

/** The event that carries this piece of text. */
export function chunk(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

/** Streams a whole answer, word by word. */
export function sendText(response: ServerResponse, words: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of words.match(/\s*\S+\s*/g) ?? []) response.write(chunk(piece));
  response.end(`${chunk("", "stop")}data: [DONE]\n\n`);
}

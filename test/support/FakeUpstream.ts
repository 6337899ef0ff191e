// A scripted HTTP server on 127.0.0.1: what an upstream may send, byte for byte.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonObject } from "../../src/core/messages.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
}

type Answer = (response: ServerResponse, received: Received) => void | Promise<void>;

/** Where servers of some makes say what their model can do; the gateway asks there of its own accord. */
export const OF_OTHER_MAKES = /^\/(props\b|api\/(show|ps)$)/;

export class FakeUpstream {
  readonly received: Received[] = [];
  readonly baseUrl: string;
  readonly #close: () => Promise<void>;

  private constructor(baseUrl: string, close: () => Promise<void>) {
    this.baseUrl = baseUrl;
    this.#close = close;
  }

  /** @param all whether the answer is for every path; else it is a server of the OpenAI wire alone, 404 to what other makes have beside it. */
  static async start(answer: Answer, { all = false }: { readonly all?: boolean } = {}): Promise<FakeUpstream> {
    const server = createServer(async (request, response) => {
      if (!all && OF_OTHER_MAKES.test(request.url ?? "")) {
        response.writeHead(404).end();
        return;
      }
      const body = await text(request);
      const received: Received = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: body === "" ? {} : (JSON.parse(body) as JsonObject),
      };
      upstream.received.push(received);
      await answer(response, received);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const upstream = new FakeUpstream(`http://127.0.0.1:${port}/v1`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });
    return upstream;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** An answer of a status, a content type and a body, whole. */
export function whole(status: number, type: string, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
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
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
}

/** A chunk with one delta. */
export function delta(fields: JsonObject, finish: string | null = null): JsonObject {
  return { id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta: fields, finish_reason: finish }] };
}

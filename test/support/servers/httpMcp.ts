// A well-meant server of tools over Streamable HTTP, in this process, with the faults that happen to such. Written against the wire.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly word?: string } };
}

export interface HttpMcp {
  readonly url: string;
  /** Each message that came, with the headers that it came with. */
  readonly heard: readonly { readonly method: string; readonly headers: IncomingHttpHeaders }[];
  /** Knows nobody any more. */
  forget(): void;
  close(): Promise<void>;
}

/** @param authorization what is wanted in the header of that name; absent: anybody may ask. */
export async function startHttpMcp(authorization?: string): Promise<HttpMcp> {
  const heard: { method: string; headers: IncomingHttpHeaders }[] = [];
  const sessions = new Set<string>();
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (authorization !== undefined && request.headers.authorization !== authorization)
      return end(response, 401, "Who are you?");
    if (request.method !== "POST") return end(response, request.method === "DELETE" ? 200 : 405, "");
    const message = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Message;
    heard.push({ method: message.method, headers: request.headers });
    if (message.method !== "initialize" && !sessions.has(sessionOf(request)))
      return end(response, 404, "No such session.");
    if (message.id === undefined) return end(response, 202, "");
    if (message.method === "initialize") {
      const session = `session-${heard.length}`;
      sessions.add(session);
      response.setHeader("mcp-session-id", session);
    }
    answer(message, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    heard,
    forget: () => sessions.clear(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function sessionOf({ headers }: IncomingMessage): string {
  return String(headers["mcp-session-id"]);
}

function end(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { "content-type": "text/plain" });
  response.end(words);
}

function answer({ id, method, params }: Message, response: ServerResponse): void {
  const word = params?.arguments?.word ?? "";
  if (params?.name === "cut") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": wait\n\n", () => response.destroy());
    return;
  }
  const said = params?.name === "big" ? "x".repeat(100_000) : `echo: ${word}`;
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "http", version: "1" },
    },
    "tools/list": { tools: ["echo", "big", "cut"].map((name) => ({ name, inputSchema: { type: "object" } })) },
    "tools/call": { content: [{ type: "text", text: said }] },
  };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
}

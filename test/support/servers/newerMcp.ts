// A server of tools that speaks the revision 2026-07-28 alone, by the protocol's own library: over its standard streams, or over HTTP (`--http`), with its port in a file. `argv[2]` is a folder that it shares with its test.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [, , folder = ".", wire] = process.argv;

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });
const LEGACY = { legacy: "reject" } as const;

let hasGrown = false;
/** Tells whoever listens that there is one tool more. */
let tellOfIt = (): void => {};

function grown(server: McpServer): void {
  server.registerTool("second", { description: "Came later." }, () => text("second"));
}

function newServer(): McpServer {
  const server = new McpServer({ name: "newer", version: "1" }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool("echo", { inputSchema: z.object({ word: z.string() }) }, ({ word }) => text(`echo: ${word}`));
  server.registerTool("ask", { inputSchema: z.object({}) }, (_args, { mcpReq }) => {
    const { account } = mcpReq.inputResponses ?? {};
    if (account) return text(JSON.stringify(account));
    const properties = { account: { type: "string" as const } };
    const requestedSchema = { type: "object" as const, properties, required: ["account"] };
    return inputRequired({ inputRequests: { account: inputRequired.elicit({ message: "Which?", requestedSchema }) } });
  });
  server.registerTool("sample", { inputSchema: z.object({}) }, () => ({
    resultType: "input_required" as const,
    inputRequests: {
      said: { method: "sampling/createMessage" as const, params: { messages: [], maxTokens: 5 } },
    },
  }));
  const region = z.string().meta({ "x-mcp-header": "Region" });
  server.registerTool("routed", { inputSchema: z.object({ region }) }, () => text("routed"));
  server.registerTool("wait", { inputSchema: z.object({}) }, () => new Promise<never>(() => {}));
  server.registerTool("grow", { inputSchema: z.object({}) }, () => {
    hasGrown = true;
    if (wire === "--http") tellOfIt();
    else grown(server);
    return text("grown");
  });
  if (hasGrown) grown(server);
  return server;
}

if (wire === "--http") {
  const handler = createMcpHandler(newServer, LEGACY);
  tellOfIt = () => handler.notify.toolsChanged();
  const http = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const { method = "GET", url } = request;
    const body = method === "POST" ? Buffer.concat(pieces) : null;
    const answer = await handler.fetch(new Request(`http://${request.headers.host}${url}`, { method, headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  });
  http.listen(0, "127.0.0.1", () => writeFileSync(join(folder, "port"), String((http.address() as AddressInfo).port)));
} else serveStdio(newServer, LEGACY);

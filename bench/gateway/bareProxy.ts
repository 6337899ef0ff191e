// Runs the reference proxy of the benchmark: `node:http` in front, `undici.request` behind, bytes piped between.
// Usage: bareProxy.ts PORT UPSTREAM_ORIGIN
import { createServer } from "node:http";
import { Pool } from "undici";
import { readBody } from "./readBody.ts";

const [port, origin = ""] = process.argv.slice(2);
const upstream = new Pool(origin, { connections: null, keepAliveTimeout: 60_000, bodyTimeout: 0, headersTimeout: 0 });
const headers = { "content-type": "application/json", authorization: "Bearer key" };

createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  try {
    const body = await readBody(request);
    const method = request.method === "GET" ? "GET" : "POST";
    const answer = await upstream.request({ path: request.url ?? "/", method, headers, body });
    response.once("close", () => answer.body.destroy());
    delete answer.headers["transfer-encoding"];
    response.writeHead(answer.statusCode, answer.headers);
    answer.body.on("error", () => response.destroy()).pipe(response);
  } catch {
    response.destroy();
  }
}).listen({ port: Number(port), host: "127.0.0.1", backlog: 4096 });

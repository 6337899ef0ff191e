// What every gateway is measured against: a proxy of `node:http` and `undici.request` that pipes bytes. Arguments: its port, the upstream's origin. Reads nothing.
import { createServer, type IncomingMessage } from "node:http";
import { Pool } from "undici";

const [port, origin = ""] = process.argv.slice(2);
const upstream = new Pool(origin, { connections: null, keepAliveTimeout: 60_000, bodyTimeout: 0, headersTimeout: 0 });
const headers = { "content-type": "application/json", authorization: "Bearer key" };

createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  try {
    const body = await whole(request);
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

function whole(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
    request.on("error", reject);
  });
}

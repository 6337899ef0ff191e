// The shop of test/fixtures/openapi/samovar.yaml: it writes down what arrives, and carelessly repeats it.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

interface Arrived {
  /** Method and target, as they stood on the wire. */
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Samovar {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  close(): Promise<void>;
}

/** A PNG's beginning: no text. */
export const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);

export async function startSamovar(): Promise<Samovar> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const { method, url = "", headers } = request;
    arrived.push({ line: `${method} ${url}`, headers, body });
    if (url.endsWith("/label") && method === "GET")
      return void response.writeHead(200, { "content-type": "image/png" }).end(PICTURE);
    if (url.includes("/teas/404")) return void response.writeHead(404).end(`No tea here for ${headers["x-shop-key"]}.`);
    if (url.includes("/teas/302")) return void response.writeHead(302, { location: url.replace("302", "303") }).end();
    if (method !== "GET" && url.endsWith("/label")) return void response.writeHead(204).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ asked: `${method} ${url}`, headers, body, teas: [{ id: 7, title: "Oolong" }] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

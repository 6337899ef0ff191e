// A site on 127.0.0.1: pages by their paths, and what it was asked.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type SitePage = (response: ServerResponse, request: IncomingMessage) => void;

export interface Site {
  readonly url: string;
  readonly port: number;
  /** Paths with their queries, in the order in which they were asked for. */
  readonly asked: string[];
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

/** What is not among the pages is not there, robots.txt too. */
export async function startSite(pages: Readonly<Record<string, SitePage | string>>): Promise<Site> {
  const asked: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const { url = "" } = request;
    asked.push(url);
    requests.push(request);
    const page = pages[url.split("?", 1)[0] ?? ""];
    if (page === undefined) response.writeHead(404).end("Not here.");
    else if (typeof page === "string")
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
    else page(response, request);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

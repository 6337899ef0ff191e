// A server that is down, under the load of many callers: what reaches it, over all names of its models.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { sendError } from "../support/FakeUpstream.ts";
import type { RunningGateway } from "../support/startGateway.ts";
import { configFor, startGateway } from "../support/startGateway.ts";

const REQUESTS = 500;
const MODELS = 50;

let gateway: RunningGateway | undefined;
let server: Server | undefined;
afterEach(async () => {
  await gateway?.close();
  server?.closeAllConnections();
  server?.close();
});

/** The statuses of 500 requests over 50 models, so many at once. */
async function storm(url: string, atOnce: number): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < REQUESTS) {
      const n = next++;
      const messages = [{ role: "user", content: `question ${n}` }];
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: `model-${n % MODELS}`, messages }),
      });
      statuses.add(response.status);
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return statuses;
}

async function start(baseUrl: string): Promise<string> {
  gateway = await startGateway({
    config: { ...configFor(baseUrl), retries: { attempts: 3, minWaitMs: 1, maxWaitMs: 5 } },
  });
  return gateway.url;
}

describe.each([1, 25, REQUESTS])("500 requests over 50 models, %i at once", (atOnce) => {
  it("make at most 600 attempts where the server answers 503", async () => {
    let attempts = 0;
    server = createServer((_, response) => {
      attempts += 1;
      sendError(response, 503, "down");
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const url = await start(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    expect([...(await storm(url, atOnce))].filter((status) => status < 500)).toEqual([]);
    expect(attempts).toBeLessThanOrEqual(600);
    expect(attempts).toBeGreaterThan(0);
  });

  it("make at most 600 attempts where the server drops each connection", async () => {
    let attempts = 0;
    server = createServer();
    server.on("connection", (socket) => {
      attempts += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const url = await start(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    expect([...(await storm(url, atOnce))].filter((status) => status < 500)).toEqual([]);
    expect(attempts).toBeLessThanOrEqual(600);
  });
});

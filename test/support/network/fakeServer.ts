// A real HTTP server on loopback whose answers a test scripts.
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { EgressRequest, RequestPurpose } from "../../../src/core/ports.ts";

export interface FakeServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

/** Answers the n-th request with the n-th handler, the last one repeating. */
export async function startServer(...handlers: readonly RequestListener[]): Promise<FakeServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const handler = handlers[Math.min(requests.length, handlers.length - 1)];
    requests.push(request);
    handler?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function exchange(
  url: string,
  purpose: Partial<RequestPurpose> = {},
  rest: Partial<EgressRequest> = {},
): EgressRequest {
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json" },
    body: "{}",
    ...rest,
    purpose: {
      kind: "model",
      key: "up/model",
      run: "run1",
      repeatable: true,
      timers: { headersMs: 5_000 },
      ...purpose,
    },
  };
}

export async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

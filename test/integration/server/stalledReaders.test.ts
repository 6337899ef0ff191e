import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { Observation } from "../../../src/core/ports.ts";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream | undefined;
let gateway: RunningGateway | undefined;
let client: Socket | undefined;
afterEach(async () => {
  client?.destroy();
  await gateway?.close();
  await upstream?.close();
});

/** Starts everything with a client that sends its request and never reads a byte; what is over, or logged, in the order of the wait. */
async function stall(answer: (response: ServerResponse) => void, stream: boolean): Promise<readonly Observation[]> {
  upstream = await FakeUpstream.start((_request, response) => answer(response));
  const config = configFor(upstream.baseUrl);
  const observed: Observation[] = [];
  let over = (): void => {};
  const requested = new Promise<void>((resolve) => {
    over = resolve;
  });
  gateway = await startGateway({
    config: { ...config, timeouts: { ...config.timeouts, clientStallMs: 50 } },
    observer: {
      observe: (observation) => {
        observed.push(observation);
        if (observation.type === "request") over();
      },
    },
  });
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], stream });
  client = connect({ port: Number(new URL(gateway.url).port), host: "127.0.0.1" });
  client.pause();
  await once(client, "connect");
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await requested;
  return observed;
}

const codes = (observed: readonly Observation[]) =>
  observed.flatMap((one) => (one.type === "failure" ? [one.failure.code] : []));

describe("a client that does not read", () => {
  it("is cut, and the upstream that still talks to it is freed", async () => {
    let sent = 0;
    let freed: Promise<unknown> | undefined;
    const observed = await stall((response) => {
      freed = once(response, "close");
      response.writeHead(200, { "content-type": "text/event-stream" });
      const piece = chunk("y".repeat(16_384));
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) sent += piece.length;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    }, true);
    expect(codes(observed)).toContain("client_stalled");
    expect(observed.at(-1)).toMatchObject({ type: "request", aborted: true });
    await freed;
    // What was read of the upstream is what the two sockets' buffers took: the kernel's, not the gateway's.
    expect(sent).toBeLessThan(64_000_000);
  });

  it("is cut where its whole answer is too large for the buffers on the way", async () => {
    const observed = await stall((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let count = 0; count < 60; count += 1) response.write(chunk("y".repeat(131_072)));
      response.end(`${chunk("", "stop")}data: [DONE]\n\n`);
    }, false);
    expect(codes(observed)).toEqual(["client_stalled"]);
    expect(observed.at(-1)).toMatchObject({ type: "request", aborted: true });
  });
});

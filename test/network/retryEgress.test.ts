import type { RequestListener } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { PostelError } from "../../src/core/failures.ts";
import type { Egress, ExchangePurpose } from "../../src/core/ports.ts";
import { breakerEgress } from "../../src/network/breakerEgress.ts";
import { retryEgress } from "../../src/network/retryEgress.ts";
import { type UndiciEgress, undiciEgress } from "../../src/network/undiciEgress.ts";
import { type FakeClock, fakeClock } from "./fakeClock.ts";
import { exchange, type FakeServer, readAll, startServer } from "./fakeServer.ts";

const never = new AbortController().signal;
let network: UndiciEgress;
let server: FakeServer;
let clock: FakeClock;
let reasons: string[];

beforeEach(() => {
  network = undiciEgress({ connectMs: 2_000 });
  clock = fakeClock();
  reasons = [];
});

afterEach(async () => {
  await server.close();
  await network.close();
});

function retrying(inner: Egress = network.egress): Egress {
  return retryEgress(inner, { attempts: 3, minWaitMs: 500, maxWaitMs: 8_000, clock, random: () => 0.5 });
}

function asked(purpose: Partial<ExchangePurpose> = {}): ReturnType<typeof exchange> {
  return exchange(server.url, { onRetry: (reason) => reasons.push(reason), ...purpose });
}

function status(code: number, headers: Record<string, string> = {}, body = `status ${code}`): RequestListener {
  return (_, response) => response.writeHead(code, headers).end(body);
}

describe("retryEgress", () => {
  it.each([408, 409, 429, 500, 502, 503, 504])("opens the exchange again after a %i", async (code) => {
    server = await startServer(status(code), status(200, {}, "well"));
    const response = await retrying().send(asked(), never);
    expect(await readAll(response.body)).toBe("well");
    expect(reasons).toEqual([`status ${code}`]);
  });

  it.each([400, 401, 403, 404, 422, 501])("does not repeat a %i", async (code) => {
    server = await startServer(status(code));
    expect((await retrying().send(asked(), never)).status).toBe(code);
    expect(server.requests).toHaveLength(1);
  });

  it("asks a server that loads its model every second until it has, which is one attempt", async () => {
    const loading = status(503, {}, '{"error":{"message":"Loading model","code":503}}');
    server = await startServer(loading, loading, loading, loading, status(503), status(200, {}, "well"));
    const egress = retrying(breakerEgress(network.egress, { clock }));
    const response = await egress.send(asked({ timers: { headersMs: 5_000, loadMs: 60_000 } }), never);
    expect(await readAll(response.body)).toBe("well");
    expect([clock.waits, reasons]).toEqual([[1_000, 1_000, 1_000, 1_000, 250], ["status 503"]]);
  });

  it("passes on what a server says that loads longer than it may, and asks it no more", async () => {
    server = await startServer(status(503, {}, "Model a/b is currently loading"));
    const egress = retrying(breakerEgress(network.egress, { clock }));
    const response = await egress.send(asked({ timers: { headersMs: 5_000, loadMs: 3_500 } }), never);
    expect(await readAll(response.body)).toBe("Model a/b is currently loading");
    expect([clock.waits, response.retriesSpent]).toEqual([[1_000, 1_000, 1_000], undefined]);
  });

  it("asks a loading server as rarely as its Retry-After says", async () => {
    server = await startServer(status(503, { "retry-after": "20" }, "Loading model"), status(200));
    const egress = retrying(breakerEgress(network.egress, { clock }));
    await egress.send(asked({ timers: { headersMs: 5_000, loadMs: 60_000 } }), never);
    expect(clock.waits).toEqual([20_000]);
  });

  it("stops waiting for a loading server whose caller leaves", async () => {
    server = await startServer(status(503, {}, "Loading model"));
    const left = new AbortController();
    const sleeping = {
      ...clock,
      sleep: async (_: number, signal: AbortSignal) => {
        left.abort();
        signal.throwIfAborted();
      },
    };
    const egress = retryEgress(breakerEgress(network.egress, { clock }), {
      attempts: 3,
      minWaitMs: 1,
      maxWaitMs: 1,
      clock: sleeping,
      random: () => 0,
    });
    const sent = egress.send(asked({ timers: { headersMs: 5_000, loadMs: 60_000 } }), left.signal);
    await expect(sent).rejects.toMatchObject({
      failure: { code: "cancelled" },
    });
    expect(server.requests).toHaveLength(1);
  });

  it("waits a random part of a bound that doubles", async () => {
    server = await startServer(status(503), status(503), status(200));
    await retrying().send(asked(), never);
    expect(clock.waits).toEqual([250, 500]);
  });

  it("passes on the last response, body and all, when the attempts are used up", async () => {
    server = await startServer(status(503, { "x-last": "yes" }, "still down"));
    const response = await retrying().send(asked(), never);
    expect([response.status, response.headers["x-last"], await readAll(response.body)]).toEqual([
      503,
      "yes",
      "still down",
    ]);
    expect(server.requests).toHaveLength(3);
    expect(reasons).toHaveLength(2);
  });

  it.each([
    ["seconds", { "retry-after": "7" }, 7_000],
    ["zero seconds", { "retry-after": "0" }, 0],
    ["a date", { "retry-after": "Sat, 21 Nov 2026 10:00:05 GMT" }, 5_000],
    ["a date that has passed", { "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT" }, 0],
    ["milliseconds beside seconds", { "retry-after": "1", "retry-after-ms": "1500" }, 1_500],
    ["nonsense, which is not obeyed", { "retry-after": "soon" }, 250],
  ])("obeys a Retry-After of %s", async (_, headers, waitMs) => {
    server = await startServer(status(429, headers), status(200));
    expect((await retrying().send(asked(), never)).status).toBe(200);
    expect(clock.waits).toEqual([waitMs]);
  });

  it("passes a 429 on at once when its Retry-After is longer than any wait may be", async () => {
    server = await startServer(status(429, { "retry-after": "86400" }));
    const response = await retrying().send(asked(), never);
    expect([response.status, response.headers["retry-after"]]).toEqual([429, "86400"]);
    expect(await readAll(response.body)).toBe("status 429");
    expect([server.requests.length, clock.waits, reasons]).toEqual([1, [], []]);
  });

  it("never repeats what is not repeatable, such as a tool's POST", async () => {
    server = await startServer(status(503));
    expect((await retrying().send(asked({ kind: "tool", repeatable: false }), never)).status).toBe(503);
    expect(server.requests).toHaveLength(1);
  });

  it("repeats a connection that died before the first byte, but not one that died after it", async () => {
    server = await startServer(
      (request) => request.socket.destroy(),
      (_, response) => {
        response.writeHead(200).write("partial");
        setTimeout(() => response.destroy(), 20);
      },
      status(200),
    );
    const response = await retrying().send(asked(), never);
    await expect(readAll(response.body)).rejects.toMatchObject({ failure: { code: "upstream_truncated" } });
    expect(server.requests).toHaveLength(2);
    expect(reasons).toEqual(["upstream_unavailable"]);
  });

  it("rejects with the last network error when no attempt got through", async () => {
    server = await startServer();
    await server.close();
    await expect(retrying().send(asked(), never)).rejects.toMatchObject({ failure: { code: "upstream_unavailable" } });
    expect(reasons).toHaveLength(2);
  });

  it("stops waiting when the signal says so", async () => {
    server = await startServer(status(503));
    const abort = new AbortController();
    const egress = retryEgress(network.egress, {
      attempts: 3,
      minWaitMs: 500,
      maxWaitMs: 8_000,
      random: () => 1,
      clock: {
        ...clock,
        sleep: async (_, signal) => {
          abort.abort();
          throw signal.reason;
        },
      },
    });
    await expect(egress.send(asked(), abort.signal)).rejects.toMatchObject({ failure: { code: "cancelled" } });
    expect(server.requests).toHaveLength(1);
  });

  it("does not wait for an open breaker, but goes on with what was let in before", async () => {
    server = await startServer(status(503));
    const egress = retrying(breakerEgress(network.egress, { clock }));
    const request = (n: number) => ({ ...asked(), body: `{"n": ${n}}` });
    for (let n = 0; n < 5; n++) await egress.send(request(n), never);
    await expect(egress.send(request(5), never)).rejects.toMatchObject({ failure: { details: { breaker: "open" } } });
    expect(server.requests).toHaveLength(15);
  });

  it.each([
    ["all attempts went the same way", 503, {}, true],
    ["the upstream asks for a longer wait than ours", 429, { "retry-after": "86400" }, undefined],
    ["nothing is to be repeated", 400, {}, undefined],
  ])("says whether asking again would only multiply: %s", async (_, code, headers, retriesSpent) => {
    server = await startServer(status(code, headers));
    expect((await retrying().send(asked(), never)).retriesSpent).toBe(retriesSpent);
  });

  it("says so in the failure where no answer came at all, unless it was told not to repeat", async () => {
    server = await startServer();
    await server.close();
    const sent = retrying().send(asked(), never);
    await expect(sent).rejects.toMatchObject({ failure: { details: { retriesSpent: true } } });
    const once = retryEgress(network.egress, { attempts: 1, minWaitMs: 1, maxWaitMs: 1, clock, random: () => 0.5 });
    const refused = await once.send(asked(), never).catch((error: PostelError) => error.failure.details);
    expect(refused).toEqual({ reason: "ECONNREFUSED", phase: "connect" });
  });
});

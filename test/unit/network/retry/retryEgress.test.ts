import type { RequestListener } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import type { Egress, Observation, RequestPurpose } from "../../../../src/core/ports.ts";
import { createBreakerEgress } from "../../../../src/network/breaker/breakerEgress.ts";
import { retryEgress } from "../../../../src/network/retry/retryEgress.ts";
import { createUndiciEgress, type UndiciEgress } from "../../../../src/network/undici/undiciEgress.ts";
import { type FakeClock, fakeClock } from "../../../support/network/fakeClock.ts";
import { exchange, type FakeServer, readAll, startServer } from "../../../support/network/fakeServer.ts";

const never = new AbortController().signal;
let network: UndiciEgress;
let server: FakeServer;
let clock: FakeClock;
let reasons: string[];

beforeEach(() => {
  network = createUndiciEgress({ connectMs: 2_000 });
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

function asked(purpose: Partial<RequestPurpose> = {}): ReturnType<typeof exchange> {
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

  it.each([500, 502, 503])(
    "hands on a %i whose body the purpose knows as a refusal, all of it unread",
    async (code) => {
      server = await startServer(status(code, {}, "no tools here"));
      const judged: unknown[] = [];
      const isRefusal = (...given: unknown[]) => judged.push(given) > 0;
      const response = await retrying().send(asked({ isRefusal }), never);
      expect([response.status, response.retriesSpent, await readAll(response.body)]).toEqual([
        code,
        undefined,
        "no tools here",
      ]);
      expect([reasons, judged]).toEqual([[], [[code, "no tools here"]]]);
    },
  );

  it("opens the exchange again after a 500 that is no refusal, and hands on the last body", async () => {
    server = await startServer(status(500, {}, "one"), status(500, {}, "two"), status(500, {}, "three"));
    const response = await retrying().send(asked({ isRefusal: () => false }), never);
    expect([response.retriesSpent, await readAll(response.body)]).toEqual([true, "three"]);
  });

  it("opens the exchange again after a 500 whose body breaks", async () => {
    server = await startServer(
      (_, response) =>
        void response
          .writeHead(500, { "content-length": "100" })
          .write("no", () => setImmediate(() => response.destroy())),
      status(200, {}, "well"),
    );
    const response = await retrying().send(asked({ isRefusal: () => false }), never);
    expect(await readAll(response.body)).toBe("well");
  });

  it("does not read the body of a 429 ahead", async () => {
    server = await startServer(status(429), status(200, {}, "well"));
    const isRefusal = () => {
      throw new Error("read");
    };
    expect(await readAll((await retrying().send(asked({ isRefusal }), never)).body)).toBe("well");
  });

  it("tells its observer of each retry, and whoever asked", async () => {
    server = await startServer(status(429), status(503), status(200, {}, "well"));
    const told: Observation[] = [];
    const observer = { observe: (one: Observation) => told.push(one) };
    const options = { attempts: 3, minWaitMs: 500, maxWaitMs: 8_000, clock, random: () => 0.5, observer };
    await retryEgress(network.egress, options).send(asked(), never);
    expect(reasons).toEqual(["status 429", "status 503"]);
    expect(told).toEqual(reasons.map((reason) => ({ type: "retry", run: "run1", key: "up/model", reason })));
  });

  it.each([1, 2, 5])(
    "sends so often as an exchange of its own says, whatever the policy does: %i",
    async (attempts) => {
      server = await startServer(status(503));
      const response = await retrying().send(asked({ attempts }), never);
      expect([server.requests.length, response.retriesSpent]).toEqual([attempts, attempts > 1 ? true : undefined]);
      await retrying().send(asked({ attempts, repeatable: false }), never);
      expect(server.requests).toHaveLength(attempts + 1);
    },
  );

  it.each([400, 401, 403, 404, 422, 501])("does not repeat a %i", async (code) => {
    server = await startServer(status(code));
    expect((await retrying().send(asked(), never)).status).toBe(code);
    expect(server.requests).toHaveLength(1);
  });

  it("asks a server that loads its model every second until it has, which is one attempt", async () => {
    const loading = status(503, {}, '{"error":{"message":"Loading model","code":503}}');
    server = await startServer(loading, loading, loading, loading, status(503), status(200, {}, "well"));
    const egress = retrying(createBreakerEgress(network.egress, { clock }));
    const response = await egress.send(asked({ timers: { headersMs: 5_000, loadMs: 60_000 } }), never);
    expect(await readAll(response.body)).toBe("well");
    expect([clock.waits, reasons]).toEqual([[1_000, 1_000, 1_000, 1_000, 250], ["status 503"]]);
  });

  it("passes on what a server says that loads longer than it may, and asks it no more", async () => {
    server = await startServer(status(503, {}, "Model a/b is currently loading"));
    const egress = retrying(createBreakerEgress(network.egress, { clock }));
    const response = await egress.send(asked({ timers: { headersMs: 5_000, loadMs: 3_500 } }), never);
    expect(await readAll(response.body)).toBe("Model a/b is currently loading");
    expect([clock.waits, response.retriesSpent]).toEqual([[1_000, 1_000, 1_000], undefined]);
  });

  it("asks a loading server as rarely as its Retry-After says", async () => {
    server = await startServer(status(503, { "retry-after": "20" }, "Loading model"), status(200));
    const egress = retrying(createBreakerEgress(network.egress, { clock }));
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
    const egress = retryEgress(createBreakerEgress(network.egress, { clock }), {
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
    ["zero seconds, but not sooner than it would have asked", { "retry-after": "0" }, 250],
    ["a date", { "retry-after": "Sat, 21 Nov 2026 10:00:05 GMT" }, 5_000],
    ["a date that has passed", { "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT" }, 250],
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
    const egress = retrying(createBreakerEgress(network.egress, { clock }));
    const request = (n: number) => ({ ...asked(), body: `{"n": ${n}}` });
    const last = await Promise.all([0, 1, 2, 3, 4].map((n) => egress.send(request(n), never)));
    expect(last.map(({ status: code }) => code)).toEqual([503, 503, 503, 503, 503]);
    await expect(egress.send(request(5), never)).rejects.toMatchObject({ failure: { details: { breaker: "open" } } });
    expect(server.requests.length).toBeGreaterThan(5);
  });

  it("asks once where the server has the request and sends no headers", async () => {
    server = await startServer(() => {});
    const sent = retrying().send(asked({ timers: { headersMs: 50 } }), never);
    await expect(sent).rejects.toMatchObject({ failure: { code: "upstream_timeout", details: { phase: "headers" } } });
    expect([server.requests.length, reasons]).toEqual([1, []]);
  });

  it("asks once where the answer's whole time is up", async () => {
    const over = createFailure("upstream_timeout", "The time is up.", { phase: "answer" });
    let sent = 0;
    server = await startServer();
    const inner: Egress = {
      async send() {
        sent += 1;
        throw new PostelError(over);
      },
    };
    await expect(retrying(inner).send(asked(), never)).rejects.toMatchObject({ failure: over });
    expect(sent).toBe(1);
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

describe("the budget of retries", () => {
  /** Answers with these statuses, then with the last of them. */
  function script(...codes: readonly number[]): { readonly egress: Egress; readonly sent: string[] } {
    const sent: string[] = [];
    const inner: Egress = {
      async send({ url }) {
        const code = codes[Math.min(sent.length, codes.length - 1)] ?? 200;
        sent.push(url);
        return { status: code, headers: {}, body: (async function* () {})() };
      },
    };
    return { egress: retrying(inner), sent };
  }

  beforeEach(async () => {
    server = await startServer();
  });

  it("leaves a request to a well server its three attempts", async () => {
    const { egress, sent } = script(503, 503, 200);
    expect((await egress.send(asked(), never)).status).toBe(200);
    expect(sent).toHaveLength(3);
  });

  it("lasts for a server of whose attempts every third fails", async () => {
    const { egress } = script(...Array.from({ length: 600 }, (_, n) => (n % 3 === 0 ? 503 : 200)));
    for (let n = 0; n < 300; n += 1) expect((await egress.send(asked(), never)).status).toBe(200);
  });

  it("is spent after two requests to a dead one, whatever models they name, and no more is sent than is asked", async () => {
    const { egress, sent } = script(503);
    for (let n = 0; n < 500; n += 1) await egress.send(asked({ key: `up/model-${n % 50}` }), never);
    expect(sent.length).toBeLessThanOrEqual(510);
  });

  it("is each server's own", async () => {
    const { egress, sent } = script(503);
    for (let n = 0; n < 20; n += 1) await egress.send(asked(), never);
    const before = sent.length;
    await egress.send({ ...asked(), url: "http://other.test/" }, never);
    expect(sent.length - before).toBe(3);
  });

  it("comes back with quiet time, and with answers", async () => {
    const { egress, sent } = script(503);
    for (let n = 0; n < 20; n += 1) await egress.send(asked(), never);
    clock.advance(80_000);
    const before = sent.length;
    await egress.send(asked(), never);
    expect(sent.length - before).toBe(3);
  });
});

describe("500 requests to a port that nobody listens on", () => {
  it.each([1, 500])("make at most 600 connections, %i at once", async (atOnce) => {
    server = await startServer();
    await server.close();
    let dialled = 0;
    const counted: Egress = {
      send(request, signal) {
        dialled += 1;
        return network.egress.send(request, signal);
      },
    };
    const egress = retrying(createBreakerEgress(counted, { clock }));
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < 500) {
        const n = next++;
        const request = { ...asked({ key: `up/model-${n % 50}` }), body: `{"n": ${n}}` };
        await expect(egress.send(request, never)).rejects.toBeInstanceOf(PostelError);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
    expect(dialled).toBeLessThanOrEqual(600);
  });
});

import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { Config, ServerConfig } from "../../../src/core/config/configuration.ts";
import type { Observation } from "../../../src/core/ports.ts";
import { chunk, FakeUpstream, sendError } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream | undefined;
let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
});

const FINE = `${chunk("fine", "stop")}data: [DONE]\n\n`;

/** Things that come one by one, and whoever waits for them. */
class Arrivals<T> {
  readonly #here: T[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  put(item: T): void {
    const first = this.#waiting.shift();
    if (first) first(item);
    else this.#here.push(item);
  }

  next(): Promise<T> {
    const first = this.#here.shift();
    return first === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(first);
  }
}

interface Exchange {
  readonly said: string;
  readonly response: ServerResponse;
}

/** What has reached the upstream and waits for the test to answer, and the requests that are over. */
let exchanges: Arrivals<Exchange>;
let over: Arrivals<Extract<Observation, { type: "request" }>>;

async function start(
  server: Partial<ServerConfig>,
  upstreamMost?: number,
  others: Config["upstreams"] = [],
): Promise<void> {
  exchanges = new Arrivals();
  over = new Arrivals();
  upstream = await FakeUpstream.start(({ body }, response) =>
    exchanges.put({ said: body.messages.at(-1)?.content ?? "", response }),
  );
  const config = configFor(upstream.baseUrl);
  const upstreams = config.upstreams.map((one) => ({ ...one, ...(upstreamMost && { maxInFlight: upstreamMost }) }));
  gateway = await startGateway({
    config: { ...config, upstreams: [...upstreams, ...others], server: { ...config.server, ...server } },
    observer: { observe: (observation) => observation.type === "request" && over.put(observation) },
  });
}

function say(content: string, { signal, ...fields }: { signal?: AbortSignal; [field: string]: unknown } = {}) {
  return fetch(`${gateway?.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "some-model", messages: [{ role: "user", content }], ...fields }),
    signal: signal ?? null,
  });
}

function answer({ response }: Exchange): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(FINE);
}

const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;

/** Two requests of which the one that came first waits and the other is refused: which one that is, the network decides. */
async function fillQueue(): Promise<{ waiting: Promise<Response>; leave: () => void; refused: Response }> {
  const pair = ["a", "b"].map((name) => {
    const leaving = new AbortController();
    return { asked: say(name, { signal: leaving.signal }), leave: () => leaving.abort() };
  });
  const [first, second] = pair;
  if (!first || !second) throw new Error("There are two.");
  const refused = await Promise.race([first.asked, second.asked]);
  const waits = (await Promise.race([first.asked, Promise.resolve()])) === refused ? second : first;
  return { waiting: waits.asked, leave: waits.leave, refused };
}

describe("more requests than the gateway has places for", () => {
  it("wait their turn, and those who find the queue full get a 503 that says when to come back", async () => {
    await start({ maxInFlight: 1, maxQueued: 1 });
    const first = say("first");
    const running = await exchanges.next();
    const { waiting, refused } = await fillQueue();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get("x-should-retry")).toBeNull();
    expect(await codeOf(refused)).toBe("gateway_overloaded");
    expect((await fetch(`${gateway?.url}/health`)).status).toBe(200);
    answer(running);
    expect((await first).status).toBe(200);
    answer(await exchanges.next());
    expect((await waiting).status).toBe(200);
    expect(upstream?.requests).toHaveLength(2);
  });

  it("get a 503 where no place comes free in time", async () => {
    await start({ maxInFlight: 1, queueMs: 5 });
    const first = say("first");
    const running = await exchanges.next();
    const late = await say("late");
    expect([late.status, await codeOf(late)]).toEqual([503, "gateway_overloaded"]);
    answer(running);
    await first;
    expect(upstream?.requests).toHaveLength(1);
  });

  it("are refused before their bodies are read, for every route that costs anything", async () => {
    await start({ maxInFlight: 1, maxQueued: 0 });
    const first = say("first");
    const running = await exchanges.next();
    for (const path of ["/v1/parse", "/v1/agent", "/v1/chat/completions"]) {
      const headers = { "content-type": "application/json", "content-length": 1_000_000 };
      const request = httpRequest(`${gateway?.url}${path}`, { method: "POST", headers });
      request.flushHeaders();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      expect(response.statusCode).toBe(503);
      request.destroy();
    }
    expect((await fetch(`${gateway?.url}/v1/models`)).status).toBe(503);
    answer(running);
    await first;
  });

  it("wait for one another's bodies too, a large one for itself", async () => {
    await start({ maxBufferedBytes: 1_000 });
    const first = say("x".repeat(2_000));
    const running = await exchanges.next();
    const second = say("second");
    await fetch(`${gateway?.url}/health`);
    expect(upstream?.requests).toHaveLength(1);
    answer(running);
    expect((await first).status).toBe(200);
    answer(await exchanges.next());
    expect((await second).status).toBe(200);
  });

  it("count a body that does not say its length by what came of it", async () => {
    await start({ maxBufferedBytes: 2_000 });
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(
          new TextEncoder().encode(JSON.stringify({ model: "m", messages: [{ role: "user", content: "a" }] })),
        );
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: stream, duplex: "half" } as const;
    const first = fetch(`${gateway?.url}/v1/chat/completions`, init);
    const running = await exchanges.next();
    const second = say("second");
    const other = await exchanges.next();
    answer(running);
    answer(other);
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it("lose their place in the queue when their client leaves", async () => {
    await start({ maxInFlight: 1, maxQueued: 1 });
    const first = say("first");
    const running = await exchanges.next();
    const { waiting, leave } = await fillQueue();
    leave();
    await expect(waiting).rejects.toThrow("aborted");
    while (!(await over.next()).aborted);
    const next = say("next");
    answer(running);
    await first;
    const served = await exchanges.next();
    expect(served.said).toBe("next");
    answer(served);
    expect((await next).status).toBe(200);
  });
});

describe("an upstream that does not say how many it takes", () => {
  it("is sent as many as the gateway answers where it is the only one", async () => {
    await start({ maxInFlight: 4 });
    const asked = ["a", "b", "c", "d"].map((name) => say(name));
    const running = [await exchanges.next(), await exchanges.next(), await exchanges.next(), await exchanges.next()];
    for (const exchange of running) answer(exchange);
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("is sent half of them where there is another one", async () => {
    const [other] = configFor("http://127.0.0.1:9/v1").upstreams;
    await start({ maxInFlight: 4 }, undefined, other ? [{ ...other, id: "other" }] : []);
    const asked = ["a", "b", "c", "d"].map((name) => say(name));
    const running = [await exchanges.next(), await exchanges.next()];
    await fetch(`${gateway?.url}/health`);
    expect(upstream?.requests).toHaveLength(2);
    for (const exchange of running) answer(exchange);
    answer(await exchanges.next());
    answer(await exchanges.next());
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe("an upstream that takes one request at a time", () => {
  it("is sent one at a time, and the others wait for it in the gateway", async () => {
    await start({}, 1);
    const asked = ["a", "b", "c"].map((name) => say(name));
    for (const _ of asked) {
      const exchange = await exchanges.next();
      const before = upstream?.requests.length;
      // One round trip through the gateway: whoever else was to be sent would have been by now.
      await fetch(`${gateway?.url}/health`);
      expect(upstream?.requests).toHaveLength(before ?? 0);
      answer(exchange);
    }
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("has its place back when a client leaves while it answers", async () => {
    await start({}, 1);
    const leaving = new AbortController();
    const left = say("left", { signal: leaving.signal });
    const { response } = await exchanges.next();
    const next = say("next");
    leaving.abort();
    await once(response, "close");
    await expect(left).rejects.toThrow("aborted");
    answer(await exchanges.next());
    expect((await next).status).toBe(200);
  });

  it("is asked again for a request that it refused in part, which waits for nobody but itself", async () => {
    await start({}, 1);
    const asked = say("hi", { seed: 5 });
    sendError((await exchanges.next()).response, 400, "Unsupported parameter: 'seed' is not supported.");
    const mended = await exchanges.next();
    expect(upstream?.requests.at(-1)?.body).not.toHaveProperty("seed");
    answer(mended);
    expect((await asked).status).toBe(200);
    // The gateway's own question, behind the answer.
    sendError((await exchanges.next()).response, 400, "Unsupported parameter: 'seed' is not supported.");
  });

  it("costs a 503 where it has no place in time", async () => {
    await start({ queueMs: 5 }, 1);
    const first = say("first");
    const running = await exchanges.next();
    const late = await say("late");
    expect([late.status, late.headers.get("retry-after"), await codeOf(late)]).toEqual([
      503,
      expect.any(String),
      "gateway_overloaded",
    ]);
    answer(running);
    expect((await first).status).toBe(200);
  });
});

import { describe, expect, it } from "@jest/globals";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import type { Egress, EgressResponse } from "../../../../src/core/ports.ts";
import { createBreakerEgress } from "../../../../src/network/breaker/breakerEgress.ts";
import { fakeClock } from "../../../support/network/fakeClock.ts";
import { exchange, readAll } from "../../../support/network/fakeServer.ts";

const never = new AbortController().signal;
const ok = (): EgressResponse => answer(200);
const dead = (): never => {
  throw new PostelError(createFailure("upstream_unavailable", "refused"));
};

const unconnected = (): never => {
  throw new PostelError(createFailure("upstream_unavailable", "refused", { phase: "connect" }));
};

function answer(status: number, breaks?: PostelError, words = "x"): EgressResponse {
  return {
    status,
    headers: {},
    body: (async function* () {
      yield Buffer.from(words);
      if (breaks) throw breaks;
    })(),
  };
}

function setUp(): {
  egress: Egress;
  upstream: { reply: () => EgressResponse | Promise<EgressResponse>; sent: number };
  clock: ReturnType<typeof fakeClock>;
} {
  const upstream: ReturnType<typeof setUp>["upstream"] = { reply: ok, sent: 0 };
  const clock = fakeClock();
  const inner: Egress = {
    async send() {
      upstream.sent += 1;
      return upstream.reply();
    },
  };
  return { egress: createBreakerEgress(inner, { clock }), upstream, clock };
}

let asked = 0;

/** A request like no other, unless `body` says which. */
function request(key: string, body = `{"n": ${asked++}}`, url = "http://up.test"): ReturnType<typeof exchange> {
  return exchange(url, { key }, { body });
}

async function attempt(egress: Egress, key = "up/model", body?: string): Promise<string> {
  try {
    const response = await egress.send(request(key, body), never);
    return await readAll(response.body);
  } catch (error) {
    return error instanceof PostelError
      ? `${error.failure.code} ${error.failure.details?.breaker ?? ""}`.trim()
      : "bug";
  }
}

async function times<T>(n: number, act: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < n; i++) results.push(await act());
  return results;
}

describe("breakerEgress", () => {
  it("refuses without dialling after five different requests failed in a row, and says for how long", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = dead;
    await times(5, () => attempt(egress));
    const sent = egress.send(request("up/model"), never);
    await expect(sent).rejects.toMatchObject({
      failure: { code: "upstream_unavailable", details: { breaker: "open", retryAfterMs: 10_000 } },
    });
    expect(upstream.sent).toBe(5);
  });

  it.each(["upstream_timeout", "upstream_truncated", "upstream_unavailable"] as const)(
    "counts an exchange that ended in %s before its first byte",
    async (code) => {
      const { egress, upstream } = setUp();
      upstream.reply = () => {
        throw new PostelError(createFailure(code, "silence"));
      };
      expect(await times(6, () => attempt(egress))).toEqual([...Array(5).fill(code), "upstream_unavailable open"]);
    },
  );

  it("counts each key for itself", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = dead;
    await times(5, () => attempt(egress));
    upstream.reply = ok;
    expect(await attempt(egress, "up/other")).toBe("x");
  });

  it("forgets failures after a success", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = dead;
    await times(4, () => attempt(egress));
    upstream.reply = ok;
    await attempt(egress);
    upstream.reply = dead;
    await times(4, () => attempt(egress));
    upstream.reply = ok;
    expect(await attempt(egress)).toBe("x");
  });

  it("lets one probe through when the time is over, and closes when it succeeds", async () => {
    const { egress, upstream, clock } = setUp();
    upstream.reply = dead;
    await times(5, () => attempt(egress));
    clock.advance(10_000);
    upstream.reply = ok;
    const probe = await egress.send(request("up/model"), never);
    expect(await attempt(egress)).toBe("upstream_unavailable open");
    await readAll(probe.body);
    expect(await times(2, () => attempt(egress))).toEqual(["x", "x"]);
  });

  it("opens again at once when the probe fails", async () => {
    const { egress, upstream, clock } = setUp();
    upstream.reply = dead;
    await times(5, () => attempt(egress));
    clock.advance(10_000);
    expect(await times(2, () => attempt(egress))).toEqual(["upstream_unavailable", "upstream_unavailable open"]);
  });

  it("gives a probe back that was left, so that the next exchange may probe", async () => {
    const { egress, upstream, clock } = setUp();
    upstream.reply = dead;
    await times(5, () => attempt(egress));
    clock.advance(10_000);
    upstream.reply = ok;
    const probe = await egress.send(request("up/model"), never);
    await probe.body[Symbol.asyncIterator]().return?.();
    expect(await attempt(egress)).toBe("x");
  });

  it("counts 502, 503, 504, a broken body and a failure reported from inside a complete body", async () => {
    const { egress, upstream } = setUp();
    for (const status of [502, 503, 504]) {
      upstream.reply = () => answer(status);
      await attempt(egress);
    }
    upstream.reply = () => answer(200, new PostelError(createFailure("upstream_truncated", "broke")));
    await attempt(egress);
    upstream.reply = ok;
    const response = await egress.send(request("up/model"), never);
    await readAll(response.body);
    response.reportFailure?.(createFailure("upstream_overloaded", "in the stream", { status: 503 }));
    expect(await attempt(egress)).toBe("upstream_unavailable open");
  });

  it("counts a request that is sent again and again once, so that a broken one closes the way to nobody else", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = () => answer(502);
    await times(20, () => attempt(egress, "up/model", "the same"));
    await times(3, () => attempt(egress));
    upstream.reply = ok;
    expect(await attempt(egress)).toBe("x");
  });

  it("stays open for the others while the request that opened it is sent again", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = dead;
    await times(4, () => attempt(egress));
    const last = request("up/model");
    for (let n = 0; n < 3; n++) await expect(egress.send(last, never)).rejects.toThrow("refused");
    upstream.reply = ok;
    expect([upstream.sent, await attempt(egress)]).toEqual([7, "upstream_unavailable open"]);
  });

  it.each([
    ["a 500, whatever it says", () => answer(500)],
    ["a server that loads its model", () => answer(503, undefined, '{"error":{"message":"Loading model","code":503}}')],
    ["one that says it in other words", () => answer(503, undefined, '{"error":"Model a/b is currently loading"}')],
  ])("does not count %s, and hands its body on whole", async (_, reply) => {
    const { egress, upstream } = setUp();
    upstream.reply = reply;
    const bodies = await times(8, () => attempt(egress));
    expect(new Set(bodies)).toEqual(new Set([await readAll(reply().body)]));
  });

  it("takes a delay that stands in the words of an error for one that the header asks for, and not in its place", async () => {
    const { egress, upstream } = setUp();
    const words = '{"error":{"code":429,"details":[{"retryDelay":"34s"}]}}';
    upstream.reply = () => answer(429, undefined, words);
    const response = await egress.send(request("up/model"), never);
    expect(response.headers["retry-after-ms"]).toBe("34000");
    expect(await readAll(response.body)).toBe(words);
    upstream.reply = () => ({ ...answer(429, undefined, words), headers: { "retry-after": "2" } });
    expect((await egress.send(request("up/model"), never)).headers).toEqual({ "retry-after": "2" });
  });

  it.each([
    createFailure("upstream_error", "a parser failed", { status: 500 }),
    createFailure("upstream_overloaded", "answered 503: Loading model", { status: 503 }),
    createFailure("upstream_rate_limited", "slow down", { status: 429 }),
    createFailure("upstream_protocol_error", "no JSON"),
    createFailure("cancelled", "left"),
  ])("does not count a failure inside a body that says nothing of the upstream's health: $message", async (found) => {
    const { egress, upstream } = setUp();
    upstream.reply = ok;
    for (let n = 0; n < 8; n++) {
      const response = await egress.send(request("up/model"), never);
      await readAll(response.body);
      response.reportFailure?.(found);
    }
    expect(await attempt(egress)).toBe("x");
  });

  it("closes an origin to all its models where five requests found no connection, and no other origin", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = unconnected;
    for (const model of ["a", "b", "c", "d", "e"]) await attempt(egress, `up/${model}`);
    upstream.reply = ok;
    expect(await attempt(egress, "up/f")).toBe("upstream_unavailable open");
    const elsewhere = await egress.send(request("up/a", undefined, "http://other.test"), never);
    expect(await readAll(elsewhere.body)).toBe("x");
  });

  it("opens an origin by no failure of one model, and forgets lost connections once any answer came", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = unconnected;
    await times(4, () => attempt(egress, "up/a"));
    upstream.reply = () => answer(502);
    await times(5, () => attempt(egress, "up/a"));
    upstream.reply = unconnected;
    await times(4, () => attempt(egress, "up/b"));
    upstream.reply = ok;
    expect([await attempt(egress, "up/a"), await attempt(egress, "up/b")]).toEqual(["upstream_unavailable open", "x"]);
  });

  it("refuses all others while a probe waits for its answer, yet a probe that never ends locks nothing", async () => {
    const { egress, upstream, clock } = setUp();
    upstream.reply = dead;
    await times(5, () => attempt(egress));
    clock.advance(10_000);
    const answered = Promise.withResolvers<EgressResponse>();
    upstream.reply = () => answered.promise;
    const hanging = attempt(egress);
    expect(await times(3, () => attempt(egress))).toEqual(Array(3).fill("upstream_unavailable open"));
    clock.advance(10_000);
    upstream.reply = ok;
    expect(await attempt(egress)).toBe("x");
    expect(await times(2, () => attempt(egress))).toEqual(["x", "x"]);
    answered.resolve(ok());
    expect(await hanging).toBe("x");
  });

  it("lets others come once the probe is being answered, and opens again at its first failure", async () => {
    const { egress, upstream, clock } = setUp();
    upstream.reply = dead;
    await times(5, () => attempt(egress));
    clock.advance(10_000);
    upstream.reply = () => answer(200, new PostelError(createFailure("upstream_truncated", "broke")));
    const probe = await egress.send(request("up/model"), never);
    const chunks = probe.body[Symbol.asyncIterator]();
    await chunks.next();
    upstream.reply = () => answer(400);
    const other = egress.send(request("up/model"), never);
    await expect(other).resolves.toMatchObject({ status: 400 });
    await expect(chunks.next()).rejects.toThrow("broke");
    expect(await attempt(egress)).toBe("upstream_unavailable open");
  });

  it("blames no upstream for a refusal of ours, a cancelled exchange or a 429", async () => {
    const { egress, upstream } = setUp();
    for (const code of ["cancelled", "egress_refused"] as const) {
      upstream.reply = () => {
        throw new PostelError(createFailure(code, "x"));
      };
      await times(5, () => attempt(egress));
    }
    upstream.reply = () => answer(429);
    expect(await times(6, () => attempt(egress))).toEqual(Array(6).fill("x"));
  });
});

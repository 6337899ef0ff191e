import { describe, expect, it } from "@jest/globals";
import { failure, PostelError } from "../../src/core/failures.ts";
import type { Egress, EgressResponse } from "../../src/core/ports.ts";
import { breakerEgress } from "../../src/network/breakerEgress.ts";
import { fakeClock } from "./fakeClock.ts";
import { exchange, readAll } from "./fakeServer.ts";

const never = new AbortController().signal;
const ok = (): EgressResponse => answer(200);
const dead = (): never => {
  throw new PostelError(failure("upstream_unavailable", "refused"));
};

function answer(status: number, breaks?: PostelError): EgressResponse {
  return {
    status,
    headers: {},
    body: (async function* () {
      yield Buffer.from("x");
      if (breaks) throw breaks;
    })(),
  };
}

function setUp(): {
  egress: Egress;
  upstream: { reply: () => EgressResponse; sent: number };
  clock: ReturnType<typeof fakeClock>;
} {
  const upstream = { reply: ok, sent: 0 };
  const clock = fakeClock();
  const inner: Egress = {
    async send() {
      upstream.sent += 1;
      return upstream.reply();
    },
  };
  return { egress: breakerEgress(inner, { clock }), upstream, clock };
}

async function attempt(egress: Egress, key = "up/model"): Promise<string> {
  try {
    const response = await egress.send(exchange("http://up.test", { key }), never);
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
  it("refuses without dialling after five failures in a row, and says for how long", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = dead;
    await times(5, () => attempt(egress));
    const sent = egress.send(exchange("http://up.test"), never);
    await expect(sent).rejects.toMatchObject({
      failure: { code: "upstream_unavailable", details: { breaker: "open", retryAfterMs: 10_000 } },
    });
    expect(upstream.sent).toBe(5);
  });

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
    const probe = await egress.send(exchange("http://up.test"), never);
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
    const probe = await egress.send(exchange("http://up.test"), never);
    await probe.body[Symbol.asyncIterator]().return?.();
    expect(await attempt(egress)).toBe("x");
  });

  it("counts a 5xx, a broken body and a failure reported from inside a complete body", async () => {
    const { egress, upstream } = setUp();
    upstream.reply = () => answer(503);
    await times(2, () => attempt(egress));
    upstream.reply = () => answer(200, new PostelError(failure("upstream_truncated", "broke")));
    await times(2, () => attempt(egress));
    upstream.reply = ok;
    const response = await egress.send(exchange("http://up.test"), never);
    await readAll(response.body);
    response.reportFailure?.(failure("upstream_protocol_error", "no finish reason"));
    expect(await attempt(egress)).toBe("upstream_unavailable open");
  });

  it("blames no upstream for a refusal of ours, a cancelled exchange or a 429", async () => {
    const { egress, upstream } = setUp();
    for (const code of ["cancelled", "egress_refused"] as const) {
      upstream.reply = () => {
        throw new PostelError(failure(code, "x"));
      };
      await times(5, () => attempt(egress));
    }
    upstream.reply = () => answer(429);
    expect(await times(6, () => attempt(egress))).toEqual(Array(6).fill("x"));
  });
});

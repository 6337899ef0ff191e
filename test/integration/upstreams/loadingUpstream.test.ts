// A server that loads its model says 503 for a while: the caller waits, and is answered.

import { afterEach, describe, expect, it } from "@jest/globals";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream;
let gateway: RunningGateway;

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** Says so often that it loads, then answers; nothing is tried twice, and loading is waited for so long. */
async function start(loads: number, firstEventMs: number): Promise<void> {
  let left = loads;
  upstream = await FakeUpstream.start((_, response) => {
    if (left-- > 0) sendError(response, 503, "Loading model");
    else sendText(response, "Here I am.");
  });
  const config = configFor(upstream.baseUrl);
  gateway = await startGateway({
    config: {
      ...config,
      timeouts: { ...config.timeouts, firstEventMs },
    },
  });
}

describe.each([true, false])("a server that loads its model (stream: %s)", (stream) => {
  const ask = () =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        stream,
        messages: [{ role: "user", content: "hi" }],
      }),
    });

  it("is waited for, and waiting is no retry", async () => {
    await start(1, 60_000);
    const response = await ask();
    const text = await response.text();
    expect([response.status, upstream.requests.length]).toEqual([200, 2]);
    expect(text).toContain('"retries":0');
  });

  it("is not waited for longer than until the first event, and its own word is passed on", async () => {
    await start(Number.POSITIVE_INFINITY, 900);
    const response = await ask();
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([503, null]);
    expect(await response.json()).toMatchObject({
      error: { code: "upstream_overloaded" },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it("closes no breaker's door to others, however many wait for it", async () => {
    await start(Number.POSITIVE_INFINITY, 900);
    for (let n = 0; n < 8; n++) await (await ask()).text();
    expect(upstream.requests).toHaveLength(8);
  });
});

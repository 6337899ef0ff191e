// The one deadline of an answer, on a clock that the test moves: each thing that can be waited for ends with it.
import { describe, expect, it } from "@jest/globals";
import type { RunEvent } from "../../../src/core/events/events.ts";
import type { Egress, EgressRequest } from "../../../src/core/ports.ts";
import { UpstreamClient } from "../../../src/models/clients/UpstreamClient.ts";
import { createAbortFailure } from "../../../src/network/abortFailure.ts";
import { createBreakerEgress } from "../../../src/network/breaker/breakerEgress.ts";
import { retryEgress } from "../../../src/network/retry/retryEgress.ts";
import { chat, gateway, never } from "../../support/agents/gateway.ts";
import type { ManualClock } from "../../support/agents/ManualClock.ts";
import { FAST_PATHS, LIMITS } from "../../support/defaults.ts";

const ANSWER_MS = 600_000;
const UNTIL_UP = { code: "upstream_timeout", details: { phase: "answer" } };

type Send = (clock: ManualClock, request: EgressRequest, signal: AbortSignal) => ReturnType<Egress["send"]>;

/** A gateway whose upstream is this function, behind the real client, retries and breaker. */
function runnerOver(send: Send) {
  let sent = 0;
  let clock: ManualClock | undefined;
  const now = () => clock?.now() ?? 0;
  const clocks = {
    now,
    monotonic: now,
    sleep: (ms: number, signal: AbortSignal) => testGateway.clock.sleep(ms, signal),
  };
  const inner: Egress = {
    send(request, signal) {
      sent += 1;
      return send(testGateway.clock, request, signal);
    },
  };
  const retries = { attempts: 3, minWaitMs: 500, maxWaitMs: 30_000, clock: clocks, random: () => 0.5 };
  const client = new UpstreamClient({
    fastPaths: FAST_PATHS,
    upstream: { id: "up", wire: "openai", baseUrl: "http://up.test/v1", headers: {} },
    egress: retryEgress(createBreakerEgress(inner, { clock: clocks }), retries),
    timeouts: { headersMs: 300_000, firstEventMs: 300_000, idleMs: 60_000 },
    limits: LIMITS,
    clock: clocks,
    redact: (text) => text,
  });
  const testGateway = gateway(client);
  clock = testGateway.clock;
  return { ...testGateway, sent: () => sent };
}

/** Moves the clock whenever nothing else is to be done, until the events are at their end. */
async function overTime(clock: ManualClock, events: AsyncIterable<RunEvent>, stepMs: number) {
  const start = clock.now();
  const all: RunEvent[] = [];
  let over = false;
  const reading = (async () => {
    for await (const event of events) all.push(event);
    over = true;
  })();
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!over) clock.advance(stepMs);
  }
  await reading;
  return { all, ms: clock.now() - start };
}

const bytes = (chunk: object): Uint8Array => Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
const word = bytes({ choices: [{ index: 0, delta: { content: "word " } }] });

function answered(body: AsyncIterable<Uint8Array>) {
  return { status: 200, headers: { "content-type": "text/event-stream" }, body };
}

describe.each([true, false])("timeouts.answer_ms (stream: %s)", (stream) => {
  it("ends a drip that never falls silent for as long as the idle limit (F12)", async () => {
    const { runner, clock, sent } = runnerOver(async (time, _, signal) =>
      answered(
        (async function* () {
          for (;;) {
            await time.sleep(59_000, signal).catch(() => {
              throw createAbortFailure(signal);
            });
            yield word;
          }
        })(),
      ),
    );
    const { all, ms } = await overTime(clock, runner.complete(chat({ stream }), never), 1_000);
    expect(all.at(-1)).toMatchObject({ type: "turn-failed", failure: UNTIL_UP });
    expect([ms <= ANSWER_MS + 2_000, ms >= ANSWER_MS, sent(), clock.pending]).toEqual([true, true, 1, 0]);
    const text = all.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
    expect(text).toBe("word ".repeat(10));
  });

  it("is shared by the waits of a server that loads its model", async () => {
    const { runner, clock } = runnerOver(async () => ({
      status: 503,
      headers: { "retry-after": "299" },
      body: (async function* () {
        yield Buffer.from('{"error":{"message":"Loading model"}}');
      })(),
    }));
    const { all, ms } = await overTime(clock, runner.complete(chat({ stream }), never), 1_000);
    expect(all.at(-1)).toMatchObject({ type: "turn-failed" });
    expect(ms).toBeLessThanOrEqual(ANSWER_MS + 2_000);
  });

  it("is shared by attempts that are made again", async () => {
    // Each answer is empty and takes four minutes, so the model is asked for one once more; the second is cut.
    const { runner, clock, sent } = runnerOver(async (time, _, signal) =>
      answered(
        (async function* () {
          for (let n = 0; n < 350; n += 1) {
            await time.sleep(1_000, signal).catch(() => {
              throw createAbortFailure(signal);
            });
            yield bytes({ choices: [{ index: 0, delta: { reasoning: "hm " } }] });
          }
          yield bytes({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
        })(),
      ),
    );
    const { all, ms } = await overTime(clock, runner.complete(chat({ stream }), never), 500);
    expect(all.at(-1)).toMatchObject({ type: "turn-failed", failure: UNTIL_UP });
    expect([sent(), ms <= ANSWER_MS + 2_000, clock.pending]).toEqual([2, true, 0]);
  });

  it("is not held against the server by any breaker", async () => {
    const { runner, clock, sent } = runnerOver(async (time, _, signal) => {
      await time.sleep(10 * ANSWER_MS, signal).catch(() => {
        throw createAbortFailure(signal);
      });
      throw new Error("unreachable");
    });
    for (let n = 0; n < 6; n += 1) {
      const messages = [{ role: "user" as const, content: `question ${n}` }];
      const { all } = await overTime(clock, runner.complete(chat({ stream, messages }), never), 10_000);
      expect(all.at(-1)).toMatchObject({ type: "turn-failed", failure: UNTIL_UP });
    }
    expect(sent()).toBe(6);
  });
});

describe("an agent's run", () => {
  it("whose own time is shorter ends by that, as a limit and not as a failure", async () => {
    const { runner, clock } = runnerOver(async (time, _, signal) => {
      await time.sleep(ANSWER_MS, signal).catch(() => {
        throw createAbortFailure(signal);
      });
      throw new Error("unreachable");
    });
    const { all } = await overTime(clock, runner.run({ chat: chat() }, never), 1_000);
    expect(all.at(-1)).toMatchObject({ type: "run-end", outcome: "timeout" });
  });
});

// Event streams that upstreams should not send, through the real client, the real network and a real server.
import { afterAll, afterEach, describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../../src/core/events/events.ts";
import type { Failure } from "../../../src/core/failures.ts";
import type { Egress } from "../../../src/core/ports.ts";
import { fitCall } from "../../../src/formats/validation/fitCall.ts";
import { readNativeCalls } from "../../../src/formats/validation/normalizeNativeCall.ts";
import { UpstreamClient } from "../../../src/models/clients/UpstreamClient.ts";
import { ToolCallAssembler } from "../../../src/models/response/ToolCallAssembler.ts";
import { systemClock } from "../../../src/network/system.ts";
import { createUndiciEgress } from "../../../src/network/undici/undiciEgress.ts";
import { idsOf, payload } from "../../support/adversarial/payloads.ts";
import { FAST_PATHS, LIMITS } from "../../support/defaults.ts";
import { delta, FakeUpstream, stream } from "../../support/FakeUpstream.ts";
import { drain, modelRequest, streamOf, textOfEvents } from "../../support/modelRequest.ts";

type Answer = Parameters<typeof FakeUpstream.start>[0];

/** What the client yielded, what the breaker was told, and whether the upstream saw its connection closed. */
interface Outcome {
  readonly events: readonly ModelEvent[];
  readonly reported: readonly string[];
}

const FINISH = `data: ${JSON.stringify(delta({}, "stop"))}\n\n`;
const network = createUndiciEgress({ connectMs: 2_000 });
const open: FakeUpstream[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((upstream) => upstream.close()));
});
afterAll(() => network.close());

async function ask(answer: Answer, timeouts: { firstEventMs?: number; idleMs?: number } = {}): Promise<Outcome> {
  const upstream = await FakeUpstream.start(answer);
  open.push(upstream);
  const reported: Failure[] = [];
  const egress: Egress = {
    async send(request, signal) {
      const response = await network.egress.send(request, signal);
      return { ...response, reportFailure: (failure) => reported.push(failure) };
    },
  };
  return { events: await askThrough(egress, upstream.baseUrl, timeouts), reported: reported.map(({ code }) => code) };
}

function askThrough(
  egress: Egress,
  baseUrl: string,
  timeouts: { firstEventMs?: number; idleMs?: number } = {},
): Promise<ModelEvent[]> {
  const client = new UpstreamClient({
    fastPaths: FAST_PATHS,
    upstream: { id: "up", wire: "openai", baseUrl, headers: {} },
    egress,
    timeouts: { headersMs: 5_000, firstEventMs: 5_000, idleMs: 5_000, ...timeouts },
    limits: LIMITS,
    clock: systemClock,
    redact: (text) => text,
  });
  return drain(streamOf(client, modelRequest(), new AbortController().signal));
}

/** One terminal event, and it is the last: the stream ended as the upstream said. */
function ended(outcome: Outcome, finishReason: string | null): void {
  expect(terminals(outcome)).toEqual([expect.objectContaining({ type: "end", finishReason })]);
}

/** One terminal event, and it is the last: a failure of this code. */
function failed(outcome: Outcome, code: string): void {
  expect(terminals(outcome)).toEqual([
    expect.objectContaining({ type: "failed", failure: expect.objectContaining({ code }) }),
  ]);
}

function terminals({ events }: Outcome): readonly ModelEvent[] {
  const found = events.filter((event) => event.type === "end" || event.type === "failed");
  expect(found).toEqual(events.slice(-1));
  return found;
}

const TESTS: Readonly<Record<string, readonly [says: string, run: (body: string) => Promise<void>]>> = {
  "US-003": [
    "a field without a space behind its colon is read",
    async (body) => {
      const outcome = await ask(stream(body + FINISH));
      expect(textOfEvents(outcome.events)).toBe("a");
      ended(outcome, "stop");
    },
  ],
  "US-004": [
    "data lines of one event are one text",
    async (body) => {
      const outcome = await ask(stream(body + FINISH));
      expect(textOfEvents(outcome.events)).toBe("a");
      ended(outcome, "stop");
    },
  ],
  "US-005": [
    "comments are silence: the timer of the first event goes off",
    async (body) => {
      const outcome = await ask(
        (_request, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          const pings = setInterval(() => response.write(body), 10);
          response.on("close", () => clearInterval(pings));
        },
        // Long enough for a busy machine to have the headers before: what is silent here is the body.
        { firstEventMs: 1_000 },
      );
      failed(outcome, "upstream_timeout");
      expect(outcome.reported).toEqual(["upstream_timeout"]);
    },
  ],
  "US-006": [
    "an end without a finish reason is a cut, not a stop, and what came stays",
    async (body) => {
      const outcome = await ask(stream(body));
      expect(textOfEvents(outcome.events)).toBe("a");
      failed(outcome, "upstream_truncated");
      expect(outcome.reported).toEqual(["upstream_truncated"]);
    },
  ],
  "US-008": [
    "an error inside a stream of status 200 is an error, and the breaker hears of it",
    async (body) => {
      const outcome = await ask(stream(body));
      failed(outcome, "upstream_overloaded");
      expect(outcome.reported).toEqual(["upstream_overloaded"]);
    },
  ],
  "US-010": [
    "a line without end is cut at 1 MiB and the connection closed",
    async (body) => {
      const closed = Promise.withResolvers<void>();
      const outcome = await ask((_request, response) => {
        response.on("close", closed.resolve);
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(body);
      });
      await closed.promise;
      failed(outcome, "upstream_protocol_error");
    },
  ],
  "US-012": [
    "arguments before their name and a jump of the index make no call up and no holes",
    async (body) => {
      const outcome = await ask(stream(body + FINISH));
      ended(outcome, "stop");
      const assembler = new ToolCallAssembler();
      const fragments = outcome.events.filter((event) => event.type === "call-fragment");
      expect(fragments).toHaveLength(2);
      for (const fragment of fragments) assembler.add(fragment);
      const assembled = assembler.finish();
      expect(assembled.length).toBeLessThanOrEqual(2);
      const tools = [{ name: "f", parameters: { type: "object" } }];
      const fits = assembled
        .flatMap((call) => readNativeCalls(call))
        .map((candidate) => fitCall(candidate, { tools, family: "native", raw: "" }));
      expect(fits.map((fit) => fit.type)).toEqual(fits.map(() => "issue"));
    },
  ],
  "US-013": [
    "text behind the finish reason is dropped, and there is one end",
    async (body) => {
      const outcome = await ask(stream(body));
      expect(textOfEvents(outcome.events)).toBe("a");
      ended(outcome, "stop");
    },
  ],
  "US-016": [
    "usage below zero is no usage",
    async (body) => {
      const outcome = await ask(stream(body + FINISH));
      expect(textOfEvents(outcome.events)).toBe("hi");
      ended(outcome, "stop");
      expect(outcome.events.at(-1)).not.toHaveProperty("usage");
    },
  ],
};

describe("event streams that upstreams should not send", () => {
  it("have an expectation each", () => {
    expect(Object.keys(TESTS).sort()).toEqual([...idsOf("upstream_sse")].sort());
  });

  it.each(Object.entries(TESTS).map(([id, [says, run]]) => [id, says, run] as const))("%s: %s", (id, _says, run) =>
    run(payload(id)),
  );
});

describe("characters that could be taken for line ends, or come apart", () => {
  /** The answer's bytes, one at a time. */
  const bytewise = (body: string): Egress => ({
    send: async () => ({
      status: 200,
      headers: { "content-type": "text/event-stream" },
      body: (async function* () {
        for (const byte of Buffer.from(body)) yield Uint8Array.of(byte);
      })(),
    }),
  });

  it.each(["UC-008", "UC-012"])("arrive as they were sent (%s)", async (id) => {
    const sent = payload(id);
    const events = await askThrough(
      bytewise(`data: ${JSON.stringify(delta({ content: sent }))}\n\n${FINISH}`),
      "http://127.0.0.1:1/v1",
    );
    expect(textOfEvents(events)).toBe(sent);
  });
});

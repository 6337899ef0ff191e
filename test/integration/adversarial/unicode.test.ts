// Text that is no plain ASCII on its way through: bytes that are no UTF-8, halves of a pair, and names that no header can carry.
import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { Egress } from "../../../src/core/ports.ts";
import { UpstreamClient } from "../../../src/models/clients/UpstreamClient.ts";
import { systemClock } from "../../../src/network/system.ts";
import { FAST_PATHS, LIMITS } from "../../support/defaults.ts";
import { delta, FakeUpstream, stream } from "../../support/FakeUpstream.ts";
import { drain, modelRequest, streamOf, textOfEvents } from "../../support/modelRequest.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

describe("the bytes of an upstream", () => {
  const frame = (text: Buffer) =>
    Buffer.concat([
      Buffer.from('data: {"choices":[{"delta":{"content":"'),
      text,
      Buffer.from(`"}}]}\n\ndata: ${JSON.stringify(delta({}, "stop"))}\n\ndata: [DONE]\n\n`),
    ]);

  it.each([
    ["whole characters", Buffer.from("é 東 \u{1f468}\u200d\u{1f469}"), "é 東 \u{1f468}\u200d\u{1f469}"],
    ["a byte that begins nothing", Buffer.from([0x61, 0xff, 0x62]), "a\ufffdb"],
    ["a character that is cut", Buffer.from([0x61, 0xf0, 0x9f, 0x98, 0x62]), "a\ufffdb"],
    ["half of a pair, as bytes", Buffer.from([0xed, 0xa0, 0x80]), "\ufffd\ufffd\ufffd"],
    ["a byte that is spelled too long", Buffer.from([0xc0, 0x80]), "\ufffd\ufffd"],
  ])("are the same text at every split: %s", async (_what, bytes, expected) => {
    const body = frame(bytes);
    const from = body.indexOf(bytes);
    for (let at = from; at <= from + bytes.length; at += 1)
      expect(await textOf([body.subarray(0, at), body.subarray(at)])).toBe(expected);
    expect(await textOf([...body].map((byte) => Uint8Array.of(byte)))).toBe(expected);
  });

  async function textOf(pieces: readonly Uint8Array[]): Promise<string> {
    const egress: Egress = {
      send: async () => ({
        status: 200,
        headers: { "content-type": "text/event-stream" },
        body: (async function* () {
          yield* pieces;
        })(),
      }),
    };
    const client = new UpstreamClient({
      fastPaths: FAST_PATHS,
      upstream: { id: "up", wire: "openai", baseUrl: "http://127.0.0.1:1/v1", headers: {} },
      egress,
      timeouts: { headersMs: 5_000, firstEventMs: 5_000, idleMs: 5_000 },
      limits: LIMITS,
      clock: systemClock,
      redact: (text) => text,
    });
    const events = await drain(streamOf(client, modelRequest(), new AbortController().signal));
    expect(events.at(-1)?.type).toBe("end");
    return textOfEvents(events);
  }
});

describe("through the gateway", () => {
  const MODEL = "通义千问-\u{1f30a}\u00e9\u202e";
  const ARGUMENTS = '{"id": 12345678901234567890, "rate": 1.10, "half": "\\ud800", "city": "Île"}';
  const open: { close(): Promise<void> }[] = [];
  let gateway: RunningGateway;
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });

  const weather = { type: "function", function: { name: "weather", parameters: { type: "object" } } } as const;

  async function ask(answer: string, body: object = {}): Promise<Response> {
    const upstream = await FakeUpstream.start(stream(answer));
    gateway = await startGateway({ config: configFor(upstream.baseUrl) });
    open.push(gateway, upstream);
    return await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hallo" }], tools: [weather], ...body }),
    });
  }

  const said = (...deltas: readonly JsonObject[]) =>
    [...deltas.map((one) => delta(one)), delta({}, "stop")].map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
  const LEAKED = `<tool_call>{"name": "weather", "arguments": ${ARGUMENTS}}</tool_call>`;
  const NATIVE = { index: 0, id: "a", type: "function", function: { name: "weather", arguments: ARGUMENTS } };

  it.each([false, true])("a model may have a name that no header can carry: stream %s", async (stream) => {
    const response = await ask(said({ content: "Grüße" }), { stream });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain(MODEL);
    expect(text).toContain("Grüße");
    for (const [, value] of response.headers) expect(value).toMatch(/^[ -~]*$/);
  });

  it("so may one that no upstream has, in its error and its address", async () => {
    const response = await ask("", { model: undefined });
    expect(response.status).toBe(400);
    for (const [, value] of response.headers) expect(value).toMatch(/^[ -~]*$/);
    const one = await fetch(`${gateway.url}/v1/models/${encodeURIComponent(MODEL)}`);
    expect([200, 404]).toContain(one.status);
  });

  it.each([
    ["a structured call", { tool_calls: [NATIVE] }],
    ["a call in the text", { content: LEAKED }],
  ])("the digits and the escapes of %s arrive as they were written", async (_what, message) => {
    const response = await ask(said(message));
    const { choices } = (await response.json()) as {
      readonly choices: readonly { readonly message: { readonly tool_calls?: readonly (typeof NATIVE)[] } }[];
    };
    expect(choices[0]?.message.tool_calls?.map((call) => call.function.arguments)).toEqual([ARGUMENTS]);
  });
});

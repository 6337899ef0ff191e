// Sends each request to a hot route and, with a query, through Express. Both answers have to be the same.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, expect, it } from "@jest/globals";
import type { RunEvent } from "../../../src/core/events/events.ts";
import { createFailure } from "../../../src/core/failures.ts";
import type { AppServices } from "../../../src/server/AppServices.ts";
import { SERVER } from "../../support/defaults.ts";
import { ASK, type Script, script, startApp, type TestApp, turnEnd, turnStart } from "../../support/testApp.ts";

const apps: TestApp[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const app of apps.splice(0)) await app.close();
});

/** The path of a hot route, and a spelling of it that only Express handles. */
const waysTo = (path: string) => [path, `${path}?way=other`];
const WAYS = waysTo("/v1/chat/completions");

const word: RunEvent = { type: "text-delta", text: "hé" };
const SAYS = script(turnStart, word, turnEnd);
const BODY = JSON.stringify(ASK);

interface Case {
  readonly play?: Script;
  readonly server?: Partial<AppServices["server"]>;
  readonly stopping?: AbortSignal;
  /** Milliseconds for the body. */
  readonly bodyMs?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
  /** What is written in place of a whole body behind the head. */
  readonly write?: readonly (string | Buffer)[];
  /** Another client is connected already. */
  readonly crowded?: boolean;
  /** The client leaves when all is written. */
  readonly leaves?: boolean;
}

async function dial(app: TestApp): Promise<Socket> {
  const socket = connect(Number(new URL(app.url).port), "127.0.0.1");
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

/** All that one way says to whoever asks and to whoever watches. */
async function said(way: string, { play = SAYS, server, stopping, headers, body = BODY, ...client }: Case) {
  const bounds = { ...SERVER, maxBodyBytes: 20_000, corsOrigins: ["http://good.test"], ...server };
  const overrides: Partial<AppServices> = { server: bounds, ...(stopping && { stopping }) };
  const timers = { headersMs: 60_000, bodyMs: client.bodyMs ?? 60_000, keepMs: 60_000, checkMs: 60_000 };
  const app = await startApp(play, overrides, timers);
  apps.push(app);
  const fields = {
    host: "localhost",
    "content-type": "application/json",
    connection: "close",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}\r\n`));
  if (client.crowded) await dial(app);
  const socket = await dial(app);
  let text = "";
  socket.on("data", (bytes) => {
    text += String(bytes);
  });
  const head = `POST ${way} HTTP/1.1\r\n${lines.join("")}\r\n`;
  const { write, leaves } = client;
  if (!write) socket.write(Buffer.concat([Buffer.from(head), Buffer.from(body)]));
  else {
    socket.write(head);
    for (const piece of write) {
      await sleep(5);
      socket.write(piece);
    }
  }
  if (leaves) {
    // Of a body that is not whole nothing is asked that could be waited for.
    if (write) await sleep(20);
    else while (app.requests.length === 0) await sleep(2);
    socket.resetAndDestroy();
  } else await Promise.race([once(socket, "close"), sleep(2_000, undefined, { ref: false })]);
  for (let waits = 0; waits < 500 && !app.observed.some(({ type }) => type === "request"); waits += 1) await sleep(2);
  const observed = app.observed.map((one) => {
    if (one.type === "request") return { ...one, ms: 0 };
    // Its stack is of the way that it went.
    if (one.type === "failure") return { ...one, failure: { ...one.failure, message: firstLine(one.failure.message) } };
    return one;
  });
  const aborted = app.signals.map((signal) => signal.aborted);
  return { text: text.replace(/^date: .*\r\n/im, ""), observed, requests: JSON.stringify(app.requests), aborted };
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}

const KEY = "k".repeat(20);
const digest = "d6d8a8e0b3dd3f6d8a3bfbbf2bb41d8c38fd2c7b20ba8d3ac2a5cc01a0f5a0f0";
const apiKeys = [{ name: "deci", can: ["decide" as const], digest }];
const gone = AbortSignal.abort();
const chunked = { "content-length": undefined, "transfer-encoding": "chunked" };
const zipped = (text: string) => gzipSync(text);
const chunk = (bytes: string | Buffer) =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from("\r\n")]);

const CASES: Readonly<Record<string, Case>> = {
  "a question": {},
  "a question that is to be streamed": { body: JSON.stringify({ ...ASK, stream: true }) },
  "a question for two answers": { body: JSON.stringify({ ...ASK, n: 2 }) },
  "an id of the caller's": { headers: { "x-request-id": "mine" } },
  "an id that is none": { headers: { "x-request-id": "mine and yours" } },
  "a header of the gateway's own": { headers: { "x-postel-tool-mode": "text", "x-postel-on-invalid": "text" } },
  "a header that may not say that": { headers: { "x-postel-tool-mode": "loud" } },
  "an origin that is let in": { headers: { origin: "http://good.test" } },
  "an origin that is not": { headers: { origin: "http://bad.test" } },
  "a name that is not the gateway's": { headers: { host: "rebound.test" } },
  "no host": { headers: { host: undefined } },
  "an expectation that is kept": { headers: { expect: "100-continue" }, write: [BODY] },
  "an expectation that nobody keeps": { headers: { expect: "wonders" } },
  "no key": { server: { apiKeys } },
  "a wrong key": { server: { apiKeys }, headers: { authorization: `Bearer ${KEY}` } },
  "no content type": { headers: { "content-type": undefined } },
  "a content type with its charset": { headers: { "content-type": 'Application/JSON; charset="UTF-8"' } },
  "another charset": { headers: { "content-type": "application/json; charset=latin1" } },
  "no body": { body: "" },
  "a body of blanks": { body: " \n " },
  "no JSON": { body: '{"model": "test-model", messages: []}' },
  "JSON of no object": { body: "[1, 2]" },
  "a field that is wrong": { body: JSON.stringify({ ...ASK, temperature: "hot" }) },
  "bytes that are no UTF-8": { body: Buffer.from([0x7b, 0xff, 0x7d]) },
  "a byte order mark": { body: `\u{feff}${BODY}` },
  "levels beyond the bound": { body: `{"a":${"[".repeat(70)}${"]".repeat(70)}}` },
  "a body in pieces": { write: [BODY.slice(0, 10), BODY.slice(10, 30), BODY.slice(30)] },
  "a body in chunks": { headers: chunked, write: [chunk(BODY.slice(0, 10)), chunk(BODY.slice(10)), "0\r\n\r\n"] },
  "a body that is compressed": {
    headers: { ...chunked, "content-encoding": "gzip" },
    write: [chunk(zipped(BODY)), "0\r\n\r\n"],
  },
  "one that is not compressed as it says": {
    headers: { ...chunked, "content-encoding": "gzip" },
    write: [chunk(BODY), "0\r\n\r\n"],
  },
  "one that is compressed in a way that nobody knows": { headers: { "content-encoding": "shrunk" } },
  "one that is too large when it is decompressed": {
    headers: { ...chunked, "content-encoding": "gzip" },
    write: [chunk(zipped("x".repeat(100_000))), "0\r\n\r\n"],
  },
  "a body that is too large": { body: "x".repeat(30_000) },
  "chunks that are too large": { headers: chunked, write: [chunk("x".repeat(30_000)), "0\r\n\r\n"] },
  "a body that does not come": { bodyMs: 20, write: [BODY.slice(0, 10)] },
  "a body that cannot be read": { headers: chunked, write: ["zz\r\n"] },
  "a client that leaves before its body is whole": { write: [BODY.slice(0, 10)], leaves: true },
  "a client that leaves before its answer": {
    async *play(signal) {
      await once(signal, "abort");
      yield turnStart;
    },
    leaves: true,
  },
  "a gateway that stops": { stopping: gone },
  "too many connections": { server: { maxConnections: 1 }, crowded: true },
  "a turn that fails": {
    play: script(turnStart, { type: "turn-failed", failure: createFailure("upstream_error", "It broke.") }),
  },
  "a turn that fails in a stream": {
    play: script(turnStart, word, { type: "turn-failed", failure: createFailure("upstream_error", "It broke.") }),
    body: JSON.stringify({ ...ASK, stream: true }),
  },
  "what nobody foresaw": {
    // biome-ignore lint/correctness/useYield: it fails before it has anything to say.
    async *play() {
      throw new Error("The roof is gone.");
    },
  },
};

it.each(Object.entries(CASES))("%s has the same answer and the same lines by both ways in", async (_name, one) => {
  const [own, express] = await Promise.all(WAYS.map((way) => said(way, one)));
  expect(own).toEqual(express);
  expect(own?.observed.filter(({ type }) => type === "request")).toHaveLength(1);
});

it.each<[string, Case]>([
  ["a task", { body: JSON.stringify({ ...ASK, model: "helper-agent" }) }],
  ["a task whose run is shown as it goes", { body: JSON.stringify({ ...ASK, model: "helper-agent", stream: true }) }],
  ["a field that is wrong", { body: JSON.stringify({ ...ASK, session_id: "." }) }],
  ["a task that nobody foresaw", { body: JSON.stringify({ ...ASK, background: true }) }],
])("%s has the same answer by both ways to the runs of agents", async (_name, one) => {
  for (const path of ["/v1/agent", "/v1/agent/chat/completions"]) {
    const [own, express] = await Promise.all(waysTo(path).map((way) => said(way, one)));
    expect(own).toEqual(express);
    expect(own?.text).toMatch(/^HTTP\/1\.1 \d/);
  }
});

it.each(WAYS)("whoever finds no place waits for one, and is sent away where too many do: %s", async (way) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const play: Script = async function* () {
    yield turnStart;
    await promise;
    yield turnEnd;
  };
  const app = await startApp(play, { server: { ...SERVER, maxInFlight: 1, maxQueued: 1 } });
  apps.push(app);
  const ask = () =>
    fetch(`${app.url}${way}`, { method: "POST", headers: { "content-type": "application/json" }, body: BODY });
  const first = ask();
  while (app.requests.length === 0) await sleep(2);
  const others = [ask(), ask()];
  const sent = await Promise.race(others);
  expect([sent.status, sent.headers.get("retry-after"), app.requests.length]).toEqual([503, "2", 1]);
  resolve();
  expect((await first).status).toBe(200);
  expect((await Promise.all(others)).map(({ status }) => status).toSorted()).toEqual([200, 503]);
});

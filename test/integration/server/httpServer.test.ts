import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { ReceivingTimers } from "../../../src/server/httpServer.ts";
import { SERVER } from "../../support/defaults.ts";
import { ASK, type ErrorBody, script, startApp, type TestApp, turnEnd, turnStart } from "../../support/testApp.ts";

let app: TestApp | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app?.close();
  app = undefined;
});

const PATIENT: ReceivingTimers = { headersMs: 60_000, bodyMs: 60_000, keepMs: 60_000, checkMs: 60_000 };
const start = async (timers: Partial<ReceivingTimers> = {}, server = {}): Promise<TestApp> => {
  const bounds = { ...SERVER, maxBodyBytes: 100_000, ...server };
  app = await startApp(script(turnStart, turnEnd), { server: bounds }, { ...PATIENT, ...timers });
  return app;
};

async function dial(): Promise<Socket> {
  const socket = connect({ port: Number(new URL(app?.url ?? "").port), host: "127.0.0.1" });
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

/** All that the gateway says until it closes the connection; rejects where that is reset. */
async function read(socket: Socket): Promise<string> {
  let text = "";
  for await (const bytes of socket) text += String(bytes);
  return text;
}

async function exchange(request: string): Promise<string> {
  const socket = await dial();
  socket.write(request);
  return await read(socket);
}

const POST = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
const BODY = JSON.stringify(ASK);
/** Of a request that is answered, and after which the gateway closes. */
const WHOLE = `${POST}connection: close\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

/** Status, code and connection of an error in the form that all errors have. */
function refusal(text: string): readonly [number, string] {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1];
  expect(field("connection")).toBe("close");
  expect(field("content-type")).toBe("application/json; charset=utf-8");
  expect(field("x-request-id")).toMatch(/^[\w-]+$/);
  expect(Number(field("content-length"))).toBe(Buffer.byteLength(body));
  const { error } = JSON.parse(body) as ErrorBody;
  expect(error).toMatchObject({ type: "invalid_request_error", message: expect.any(String) });
  return [Number(head.split(" ")[1]), error.code];
}

/** What the log says of requests. */
const logged = () => app?.observed.flatMap((one) => (one.type === "request" ? [one.status] : []));

it("keeps a connection for longer than balancers keep theirs, and says so", async () => {
  app = await startApp(script(turnStart, turnEnd), { server: SERVER });
  const { headers } = await fetch(`${app.url}/health`);
  expect(headers.get("keep-alive")).toBe("timeout=65");
});

describe("what cannot be read as a request", () => {
  it.each([
    ["two lengths of one body", `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["no HTTP", "\u0016\u0003\u0001 hello\r\n\r\n"],
    ["a chunk without a size", `${POST}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    ["a header name with a space", "GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx y: z\r\n\r\n"],
    ["no host", "GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n"],
  ])("%s is a 400 in the form of every other error, logged once", async (_name, request) => {
    await start();
    expect(refusal(await exchange(request))).toEqual([400, "invalid_request"]);
    expect(logged()).toEqual([400]);
  });

  it("too many headers are a 431, and what the client goes on sending does not reset the answer", async () => {
    await start();
    const many = `GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx: ${"a".repeat(2_000_000)}\r\n\r\n`;
    expect(refusal(await exchange(many))).toEqual([431, "headers_too_large"]);
    expect(logged()).toEqual([431]);
  });

  it("an expectation that nobody keeps is a 417", async () => {
    await start();
    expect(refusal(await exchange(`${POST}expect: wonders\r\ncontent-length: 2\r\n\r\n{}`))).toEqual([
      417,
      "expectation_failed",
    ]);
    expect(logged()).toEqual([417]);
  });

  it("a CONNECT is a 405, for this is no proxy", async () => {
    await start();
    expect(refusal(await exchange("CONNECT other:80 HTTP/1.1\r\nhost: other\r\n\r\n"))).toEqual([
      405,
      "method_not_allowed",
    ]);
  });

  it("behind a request that can be read does not take that one's answer away", async () => {
    await start();
    const request = WHOLE.replace("connection: close\r\n", "");
    const text = await exchange(`${request}\u0000 nonsense\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*"finish_reason":"stop"/);
    expect(logged()).toEqual([200]);
  });
});

describe("a request that does not arrive", () => {
  it("in its headers is a 408", async () => {
    await start({ headersMs: 20, checkMs: 5 });
    expect(refusal(await exchange("POST /v1/chat"))).toEqual([408, "request_timeout"]);
  });

  it("in its body is a 408 under its own id, logged once", async () => {
    await start({ bodyMs: 20 });
    const text = await exchange(`${POST}x-request-id: mine\r\ncontent-length: 10\r\n\r\n{"a":`);
    expect(refusal(text)).toEqual([408, "request_timeout"]);
    expect(text).toContain("x-request-id: mine");
    expect(app?.observed.filter(({ type }) => type === "failure")).toHaveLength(1);
    expect(logged()).toEqual([408]);
  });

  it("at all is closed without a word", async () => {
    await start({ headersMs: 20, checkMs: 5 });
    expect(await read(await dial())).toBe("");
    expect(app?.observed).toEqual([]);
  });
});

describe("a body", () => {
  it("that the client offers is refused before it is asked for where it is too large", async () => {
    await start();
    const text = await exchange(`${POST}expect: 100-continue\r\ncontent-length: 1000000000\r\n\r\n`);
    expect(refusal(text)).toEqual([413, "request_too_large"]);
  });

  it("that the client offers is asked for where it is wanted", async () => {
    await start();
    const socket = await dial();
    socket.write(`${POST}expect: 100-continue\r\nconnection: close\r\ncontent-length: ${BODY.length}\r\n\r\n`);
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(String(first)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(BODY);
    expect(await read(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it("that comes in many pieces is put together", async () => {
    await start();
    const socket = await dial();
    const body = JSON.stringify({ ...ASK, user: "\u{1f600}".repeat(400) });
    socket.write(`${POST}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`);
    const bytes = Buffer.from(body);
    for (let at = 0; at < bytes.length; at += 301) {
      socket.write(bytes.subarray(at, at + 301));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await read(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(app?.requests.at(-1)?.passthrough).toEqual({ user: "\u{1f600}".repeat(400) });
  });

  it("that its client leaves in the middle of is nobody's to answer, and logged once", async () => {
    await start();
    const socket = await dial();
    socket.write(`${POST}content-length: 100\r\n\r\n{"model":`);
    await fetch(`${app?.url}/health`);
    socket.resetAndDestroy();
    while (logged()?.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    const failures = app?.observed.flatMap((one) => (one.type === "failure" ? [one.failure.code] : []));
    expect([logged()?.length, failures, app?.requests]).toEqual([1, ["cancelled"], []]);
  });

  it("that is too large is read off behind the answer, which is not reset", async () => {
    await start();
    const length = 8_000_000;
    const request = `${POST}connection: close\r\ncontent-length: ${length}\r\n\r\n${"x".repeat(length)}`;
    expect(refusal(await exchange(request))).toEqual([413, "request_too_large"]);
  });
});

describe("connections beyond those that the gateway keeps", () => {
  it("are told so, are answered on health, and do no harm to those before them", async () => {
    const { url } = await start({}, { maxConnections: 1 });
    const kept = await dial();
    const surplus = await exchange(WHOLE);
    expect(surplus).toMatch(/^HTTP\/1\.1 503 .*[\s\S]*retry-after: 1\r\n[\s\S]*"code":"gateway_overloaded"/i);
    kept.write(WHOLE);
    expect(await read(kept)).toMatch(/^HTTP\/1\.1 200 OK/);
    // A place came free with the connection that was kept.
    expect(await exchange(WHOLE)).toMatch(/^HTTP\/1\.1 200 OK/);
    const another = await dial();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    another.destroy();
  });
});

describe("a request whose host is not one and the gateway's", () => {
  const ask = async (
    target: string,
    ...hosts: readonly string[]
  ): Promise<readonly [status: string, error: unknown]> => {
    const fields = hosts.map((host) => `${host}\r\n`).join("");
    const text = await exchange(`GET ${target} HTTP/1.1\r\n${fields}connection: close\r\n\r\n`);
    const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n"))) as Partial<ErrorBody>;
    return [text.split(" ")[1] ?? "", body.error?.param];
  };

  it.each(["/health", "/v1/models", "/nowhere"])("is refused where two `Host` headers stand: %s", async (path) => {
    await start();
    expect(await ask(path, "Host: localhost", "Host: evil.example")).toEqual(["400", "host"]);
    expect(await ask(path, "host: localhost", "HOST: localhost")).toEqual(["400", "host"]);
  });

  it("is refused on a route that is asked often, before its body is read", async () => {
    await start();
    const text = await exchange(
      `${POST}host: evil.example\r\nconnection: close\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*"param":"host"/);
    expect(app?.requests).toEqual([]);
  });

  it("is refused where its target is in absolute form and of another host or another scheme", async () => {
    const { host } = new URL((await start()).url);
    expect(await ask("http://evil.example/health", `host: ${host}`)).toEqual(["400", "host"]);
    expect(await ask("http://evil.example/health", "host: evil.example")).toEqual(["400", "host"]);
    expect(await ask(`http://${host}/health`, "host: evil.example")).toEqual(["400", "host"]);
    expect(await ask(`https://${host}/health`, `host: ${host}`)).toEqual(["400", "host"]);
    expect(await ask(`http://evil@${host}:1/health`, `host: ${host}`)).toEqual(["400", "host"]);
    expect(await ask("nonsense", `host: ${host}`)).toEqual(["400", null]);
  });

  it("is answered where its target is the gateway's own in absolute form", async () => {
    const { host, port } = new URL((await start()).url);
    expect(await ask(`http://${host}/health`, `host: ${host}`)).toEqual(["200", undefined]);
    expect(await ask(`http://localhost:${port}/health`, `host: localhost:${port}`)).toEqual(["200", undefined]);
  });
});

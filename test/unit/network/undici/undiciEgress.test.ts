import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import {
  brotliCompressSync,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import { createCheckedLookup } from "../../../../src/network/policy/checkedLookup.ts";
import { createHostPolicy } from "../../../../src/network/policy/hostPolicy.ts";
import { createUndiciEgress, type UndiciEgress } from "../../../../src/network/undici/undiciEgress.ts";
import { exchange, type FakeServer, readAll, startServer } from "../../../support/network/fakeServer.ts";

const never = new AbortController().signal;
let network: UndiciEgress;
let server: FakeServer | undefined;

beforeEach(() => {
  network = createUndiciEgress({ connectMs: 2_000 });
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  await network.close();
});

function failing(code: unknown): unknown {
  return expect.objectContaining({ failure: expect.objectContaining({ code }) });
}

describe("undiciEgress", () => {
  it("sends method, headers and body and gives back status, headers and body", async () => {
    let received = "";
    server = await startServer(async (request, response) => {
      for await (const chunk of request) received += chunk;
      response.writeHead(201, { "X-Kind": "test" }).end("pong");
    });
    const response = await network.egress.send(
      exchange(`${server.url}/v1/x?q=1`, {}, { body: '{"ping":true}' }),
      never,
    );
    expect(response.status).toBe(201);
    expect(response.headers["x-kind"]).toBe("test");
    expect(await readAll(response.body)).toBe("pong");
    expect(received).toBe('{"ping":true}');
    expect(server.requests[0]?.url).toBe("/v1/x?q=1");
    expect(server.requests[0]?.headers["accept-encoding"]).toMatch(/^identity, gzip;q=/);
  });

  it("gives an empty body's end at once", async () => {
    server = await startServer((_, response) => response.writeHead(204).end());
    const response = await network.egress.send(exchange(server.url), never);
    expect(await readAll(response.body)).toBe("");
  });

  it("does not resolve before the first body byte, and then streams without waiting for the end", async () => {
    let finish = (): void => {};
    server = await startServer((_, response) => {
      response.writeHead(200).write("first");
      finish = () => response.end("last");
    });
    const response = await network.egress.send(exchange(server.url), never);
    const chunks = response.body[Symbol.asyncIterator]();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe("first");
    finish();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe("last");
    expect((await chunks.next()).done).toBe(true);
  });

  it("says that a refused connection is an unavailable upstream, without path, query or credentials", async () => {
    const gone = await startServer();
    await gone.close();
    const sent = network.egress.send(exchange(`${gone.url}/secret-path?key=sk-12345678`), never);
    await expect(sent).rejects.toEqual(failing("upstream_unavailable"));
    const error = await sent.catch((caught: unknown) => caught);
    expect(String(error)).toContain(`${gone.url} could not be reached (ECONNREFUSED)`);
    expect(String(error)).not.toMatch(/secret-path|sk-1234/);
  });

  it("gives up when the headers never come", async () => {
    server = await startServer(() => {});
    const sent = network.egress.send(exchange(server.url, { timers: { headersMs: 100 } }), never);
    await expect(sent).rejects.toEqual(failing("upstream_timeout"));
  });

  it("says unavailable, which may be repeated, when the connection dies between headers and first byte", async () => {
    server = await startServer((_, response) => {
      response.writeHead(200);
      response.flushHeaders();
      setImmediate(() => response.destroy());
    });
    await expect(network.egress.send(exchange(server.url), never)).rejects.toEqual(failing("upstream_unavailable"));
  });

  it.each([
    ["a length that is no number", "HTTP/1.1 200 OK\r\ncontent-length: five\r\n\r\nhello"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello"],
    ["headers over every bound", `HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(100_000)}\r\n\r\n`],
    ["no HTTP at all", "SSH-2.0-OpenSSH_9.9\r\n"],
    ["a chunk whose size is none", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
  ])(
    "says that a server does not speak the wire that sends %s: asking again would change nothing",
    async (_, bytes) => {
      const raw = createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.write(bytes));
      });
      await once(raw.listen(0, "127.0.0.1"), "listening");
      const { port } = raw.address() as AddressInfo;
      const sent = network.egress.send(exchange(`http://127.0.0.1:${port}/`), never);
      await expect(sent).rejects.toEqual(failing("upstream_protocol_error"));
      raw.close();
    },
  );

  it("says that a server could not be trusted where no TLS is spoken, which no retry mends", async () => {
    server = await startServer((_, response) => response.end("plain"));
    const sent = network.egress.send(exchange(server.url.replace("http:", "https:")), never);
    await expect(sent).rejects.toMatchObject({
      failure: { code: "upstream_unavailable", details: { phase: "certificate" } },
    });
  });

  it("breaks the body with upstream_truncated when the connection is reset in the middle", async () => {
    server = await startServer((_, response) => {
      response.writeHead(200).write("some");
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
    });
    const response = await network.egress.send(exchange(server.url), never);
    await expect(readAll(response.body)).rejects.toEqual(failing("upstream_truncated"));
  });

  it("closes the server's connection at once when the caller aborts while waiting", async () => {
    const seen = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    server = await startServer((_, response) => {
      response.on("close", () => closed.resolve());
      seen.resolve();
    });
    const abort = new AbortController();
    const sent = network.egress.send(exchange(server.url), abort.signal);
    await seen.promise;
    abort.abort();
    await expect(sent).rejects.toEqual(failing("cancelled"));
    await closed.promise;
  });

  it("closes the server's connection when the caller aborts in the middle of the body", async () => {
    const closed = Promise.withResolvers<void>();
    server = await startServer((_, response) => {
      response.on("close", () => closed.resolve());
      response.writeHead(200).write("some");
    });
    const abort = new AbortController();
    const response = await network.egress.send(exchange(server.url), abort.signal);
    const reading = readAll(response.body);
    abort.abort(new PostelError(createFailure("upstream_timeout", "no event came")));
    await expect(reading).rejects.toEqual(failing("upstream_timeout"));
    await closed.promise;
  });

  it("closes the server's connection when the reader leaves the loop, or never begins it", async () => {
    const closes = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let next = 0;
    server = await startServer((_, response) => {
      const closed = closes[next++];
      response.on("close", () => closed?.resolve());
      response.writeHead(200).write("some");
    });
    const left = await network.egress.send(exchange(server.url), never);
    for await (const _ of left.body) break;
    const unread = await network.egress.send(exchange(server.url), never);
    await unread.body[Symbol.asyncIterator]().return?.();
    await Promise.all(closes.map(({ promise }) => promise));
  });

  it("stops reading while its own reader does, so that a fast server is held back", async () => {
    let written = 0;
    const stalled = Promise.withResolvers<void>();
    server = await startServer((_, response) => {
      const piece = "x".repeat(256 * 1024);
      response.writeHead(200);
      const pump = async (): Promise<void> => {
        while (written < 200 && !response.destroyed) {
          written += 1;
          if (response.write(piece)) continue;
          const drained = await Promise.race([
            once(response, "drain").then(() => true),
            new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200)),
          ]);
          if (!drained) return stalled.resolve();
        }
        stalled.resolve();
      };
      void pump();
    });
    const response = await network.egress.send(exchange(server.url), never);
    await stalled.promise;
    expect(written).toBeLessThan(200);
    await response.body[Symbol.asyncIterator]().return?.();
  });

  it("dials the address that was checked, whatever the name leads to a moment later (SD-003)", async () => {
    server = await startServer((_, response) => response.end("canary"));
    const { port } = new URL(server.url);
    // An address where nobody listens stands for the public one, so that the test leaves the machine alone.
    const answers = ["127.0.0.2", "127.0.0.1"];
    let asked = 0;
    const dialling = createUndiciEgress({
      connectMs: 2_000,
      hosts: createHostPolicy(["127.0.0.2"]),
      resolve: (_, __, found) => found(null, [{ address: answers[asked++] ?? "127.0.0.1", family: 4 }]),
    });
    const sent = () => dialling.egress.send(exchange(`http://rebind.evil.test:${port}/`), never);
    await expect(sent()).rejects.toEqual(failing("upstream_unavailable"));
    expect(asked).toBe(1);
    await expect(sent()).rejects.toEqual(failing("egress_refused"));
    expect(server.requests).toHaveLength(0);
    await dialling.close();
  });

  it.each([true, false])(
    "refuses a name of which one address is not public, however many are asked for: all %s",
    async (all) => {
      server = await startServer((_, response) => response.end("canary"));
      const { port } = new URL(server.url);
      const found: LookupAddress[] = [
        { address: "93.184.216.34", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ];
      const lookup = createCheckedLookup(createHostPolicy([]), (_, __, tell) => tell(null, found));
      const error = await new Promise((resolve) => lookup("multi.evil.test", { all }, resolve));
      expect(error).toEqual(failing("egress_refused"));
      const dialling = createUndiciEgress({ connectMs: 2_000, resolve: (_, __, tell) => tell(null, found) });
      const sent = dialling.egress.send(exchange(`http://multi.evil.test:${port}/`), never);
      await expect(sent).rejects.toEqual(failing("egress_refused"));
      expect(server.requests).toHaveLength(0);
      await dialling.close();
    },
  );

  it("dials a private address under a name that egress.allow has, and says what the system says of one that is unknown", async () => {
    server = await startServer((_, response) => response.end("here"));
    const { port } = new URL(server.url);
    const dialling = createUndiciEgress({
      connectMs: 2_000,
      hosts: createHostPolicy(["models.example.test"]),
      resolve: (name, _, tell) =>
        name === "models.example.test"
          ? tell(null, [{ address: "127.0.0.1", family: 4 }])
          : tell(Object.assign(new Error("no such name"), { code: "ENOTFOUND", syscall: "getaddrinfo" }), []),
    });
    const response = await dialling.egress.send(exchange(`http://models.example.test:${port}/`), never);
    expect(await readAll(response.body)).toBe("here");
    const unknown = dialling.egress.send(exchange(`http://unknown.example.test:${port}/`), never);
    await expect(unknown).rejects.toMatchObject({
      failure: { code: "upstream_unavailable", details: { reason: "ENOTFOUND", phase: "connect" } },
    });
    await dialling.close();
  });

  it("does not follow a redirect", async () => {
    server = await startServer((_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
    expect((await network.egress.send(exchange(server.url), never)).status).toBe(302);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["identity", (bytes: Buffer) => bytes],
  ])("reads an answer in the coding %s, and hands on no header of the coded bytes", async (encoding, encode) => {
    const text = "hello ".repeat(20_000);
    server = await startServer((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(encode(Buffer.from(text))),
    );
    const response = await network.egress.send(exchange(server.url), never);
    expect(await readAll(response.body)).toBe(text);
    expect(response.headers).not.toHaveProperty("content-encoding");
    expect(response.headers).not.toHaveProperty("content-length");
  });

  it.each(["gzip", "br", "deflate"])("reads an empty answer in the coding %s", async (encoding) => {
    server = await startServer((_, response) => response.writeHead(200, { "content-encoding": encoding }).end());
    expect(await readAll((await network.egress.send(exchange(server.url), never)).body)).toBe("");
  });

  it.each([
    ["gzip", createGzip],
    ["br", createBrotliCompress],
    ["deflate", createDeflate],
  ])("hands on what was flushed in %s without waiting for more", async (encoding, encoder) => {
    let finish = (): void => {};
    server = await startServer((_, response) => {
      const coded = encoder();
      response.writeHead(200, { "content-encoding": encoding });
      coded.pipe(response);
      coded.write("first");
      coded.flush();
      finish = () => coded.end("last");
    });
    const response = await network.egress.send(exchange(server.url), never);
    const chunks = response.body[Symbol.asyncIterator]();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe("first");
    finish();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe("last");
    expect((await chunks.next()).done).toBe(true);
  });

  it.each(["zstd", "gzip, compress", "gzip, br", Array(2_001).fill("gzip").join(", ")])(
    "says that it cannot read the coding %s",
    async (encoding) => {
      server = await startServer((_, response) => response.writeHead(200, { "content-encoding": encoding }).end("x"));
      const sent = network.egress.send(exchange(server.url), never);
      await expect(sent).rejects.toEqual(failing("upstream_protocol_error"));
      await expect(sent).rejects.toThrow(JSON.stringify(encoding.slice(0, 100)));
    },
  );

  it.each(["gzip", "br", "deflate"])("says that bytes which are no %s are none", async (encoding) => {
    server = await startServer((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end("\u0078plain text and nothing else"),
    );
    const read = network.egress.send(exchange(server.url), never).then(({ body }) => readAll(body));
    await expect(read).rejects.toEqual(failing("upstream_protocol_error"));
  });

  it("expands no more of a bomb than its reader takes, and closes the connection when that leaves", async () => {
    const closed = Promise.withResolvers<void>();
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 1 });
    server = await startServer((_, response) => {
      response.on("close", () => closed.resolve());
      response.writeHead(200, { "content-encoding": "gzip" }).write(bomb);
    });
    const before = process.memoryUsage().arrayBuffers;
    const response = await network.egress.send(exchange(server.url), never);
    let taken = 0;
    for await (const chunk of response.body) {
      taken += chunk.length;
      if (taken > 1_000_000) break;
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    await closed.promise;
  });

  it("breaks a coded body like a plain one when the connection is reset in the middle", async () => {
    const answering = Promise.withResolvers<ServerResponse>();
    server = await startServer((_, response) => {
      const coded = createGzip();
      coded.pipe(response.writeHead(200, { "content-encoding": "gzip" }));
      coded.write("some");
      coded.flush();
      answering.resolve(response);
    });
    const response = await network.egress.send(exchange(server.url), never);
    (await answering.promise).socket?.resetAndDestroy();
    await expect(readAll(response.body)).rejects.toEqual(failing("upstream_truncated"));
  });
});

import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { ResponseWriter } from "../../../../src/server/http/ResponseWriter.ts";
import { SseStream } from "../../../../src/server/http/SseStream.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Serves one stream with `write` and gives what the client sees. */
async function open(write: (response: ServerResponse) => void): Promise<IncomingMessage> {
  server = createServer((_request, response) => write(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const request = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

const paced = (target: ServerResponse) =>
  new ResponseWriter(target, { clientStallMs: 60_000, onStall: () => {} }, true);

describe("SseStream", () => {
  it("opens by itself after the wait, with a comment and the headers of that moment, and goes on with comments", async () => {
    let stream: SseStream | undefined;
    const response = await open((target) => {
      stream = new SseStream(paced(target), () => target.setHeader("x-late", "yes"), {
        openAfterMs: 5,
        heartbeatMs: 5,
      });
    });
    expect(response.headers["x-late"]).toBe("yes");
    response.setEncoding("utf8");
    let seen = "";
    for await (const piece of response) {
      seen += String(piece);
      if (seen.split(": waiting\n\n").length > 3) break;
    }
    expect(seen.replaceAll(": waiting\n\n", "")).toBe("");
    stream?.abandon();
  });

  it("puts no heartbeat into an event that is written in turns", async () => {
    const response = await open((target) => {
      const stream = new SseStream(paced(target), () => {}, { openAfterMs: 60_000, heartbeatMs: 1 });
      const sent = stream.send(`data: {"text":"${"x".repeat(8_000_000)}"}\n\n`);
      void sent?.then(() => stream.end("data: over\n\n"));
    });
    response.setEncoding("utf8");
    let seen = "";
    for await (const piece of response) seen += String(piece);
    const [event = ""] = seen.split("\n\n").filter((one) => one.startsWith("data: {"));
    expect(event.length).toBeGreaterThan(8_000_000);
    expect(event).not.toContain("waiting");
    expect(seen).toMatch(/\n\ndata: over\n\n$/);
  });

  it("opens for no empty text, so that a status may still be chosen", async () => {
    const response = await open((target) => {
      const stream = new SseStream(paced(target), () => {}, { openAfterMs: 60_000, heartbeatMs: 60_000 });
      void stream.send("");
      stream.abandon();
      target.writeHead(stream.opened ? 200 : 401).end();
    });
    expect(response.statusCode).toBe(401);
  });

  it("asks nobody to wait for what the client can take, and its headers leave with its first events", async () => {
    const said: unknown[] = [];
    server = createServer((_request, target) => {
      const stream = new SseStream(paced(target), () => {}, { openAfterMs: 60_000, heartbeatMs: 60_000 });
      said.push(stream.send("data: one\n\n"), stream.send("data: two\n\n"));
      setImmediate(() => stream.end("data: over\n\n"));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*data: one[\s\S]*data: two\n\n/);
    expect(said).toEqual([undefined, undefined]);
    socket.destroy();
  });

  it("waits for a client that does not read, and is released when that client leaves", async () => {
    let sent: Promise<void> | undefined;
    const response = await open((target) => {
      const stream = new SseStream(paced(target), () => {}, { openAfterMs: 60_000, heartbeatMs: 60_000 });
      sent = stream.send(`data: ${"x".repeat(20_000_000)}\n\n`);
    });
    response.pause();
    const first = await Promise.race([
      sent?.then(() => "sent"),
      new Promise((resolve) => setTimeout(() => resolve("held"), 50)),
    ]);
    expect(first).toBe("held");
    response.destroy();
    await sent;
  });
});

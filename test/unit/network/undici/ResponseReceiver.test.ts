// The bytes of one answer between undici and its reader: in order, bounded, and a read of the socket at a time.
import { getEventListeners, once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Dispatcher } from "undici";
import { ResponseReceiver } from "../../../../src/network/undici/ResponseReceiver.ts";
import { createUndiciEgress, type UndiciEgress } from "../../../../src/network/undici/undiciEgress.ts";
import { exchange, readAll } from "../../../support/network/fakeServer.ts";

const never = new AbortController().signal;
let network: UndiciEgress;
let server: Server | undefined;

beforeEach(() => {
  network = createUndiciEgress({ connectMs: 2_000 });
});

afterEach(async () => {
  server?.close();
  server = undefined;
  await network.close();
});

/** A server of raw bytes: what it does with the first word of each connection. */
async function serve(answer: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

function chunkOf(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

async function readsOf(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const reads: string[] = [];
  for await (const bytes of body) reads.push(Buffer.from(bytes).toString());
  return reads;
}

/** A connection as undici's parser drives it: it gives one chunk after the other, and rests as soon as it is paused. */
class Source implements Dispatcher.DispatchController {
  readonly #reception: ResponseReceiver;
  readonly #left: Buffer[];
  paused = false;
  aborted = false;
  reason = null;
  #given = 0;
  /** Bytes of which it is known that they are held no longer. */
  taken = 0;
  mostHeld = 0;

  constructor(reception: ResponseReceiver, chunks: readonly Buffer[]) {
    this.#reception = reception;
    this.#left = [...chunks];
    reception.onRequestStart(this);
    reception.onResponseStart(this, 200, {});
  }

  give(most: number): void {
    for (let given = 0; given < most && !this.paused; given += 1) {
      const chunk = this.#left.shift();
      if (!chunk) {
        this.#reception.onResponseEnd();
        return;
      }
      this.#given += chunk.length;
      this.mostHeld = Math.max(this.mostHeld, this.#given - this.taken);
      this.#reception.onResponseData(this, chunk);
    }
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    if (!this.paused) throw new Error("resumed without having been paused");
    this.paused = false;
    // Nobody resumes before all that was given has been taken.
    this.takeAll();
    this.give(3);
  }

  /** A read takes all that there is. */
  takeAll(): void {
    this.taken = this.#given;
  }

  abort(): void {
    this.aborted = true;
  }
}

describe("Reception", () => {
  it("gives every byte once and in order, and holds 64 KiB and a chunk at most, however it is fed and read", async () => {
    const chunk = fc.integer({ min: 1, max: 40_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 30 }), fc.array(fc.nat({ max: 6 })), async (sizes, turns) => {
        const chunks = sizes.map((size, n) => Buffer.alloc(size, n));
        const reception = new ResponseReceiver(never);
        const source = new Source(reception, chunks);
        const read: Uint8Array[] = [];
        let bytes = 0;
        let over = false;
        for (let turn = 0; !over; turn += 1) {
          const pending = reception.next();
          source.takeAll();
          source.give(1 + (turns[turn] ?? 2));
          const { done, value } = await pending;
          over = done === true;
          if (!value) continue;
          read.push(value);
          bytes += value.length;
          source.taken = Math.max(source.taken, bytes);
          source.give(turns[turn + 1] ?? 1);
        }
        expect(Buffer.concat(read).equals(Buffer.concat(chunks))).toBe(true);
        expect(source.mostHeld).toBeLessThanOrEqual(65_536 + 40_000);
      }),
    );
  });

  it("shows what comes first to whoever reads ahead, in the call in which a read ends, and the reader what that one leaves", async () => {
    const reception = new ResponseReceiver(never);
    const ahead: string[] = [];
    reception.readAhead = (bytes) => {
      ahead.push(Buffer.from(bytes).toString());
      return !ahead.at(-1)?.includes("left");
    };
    const read = Buffer.from(new Uint8Array(Buffer.from("one two!\r\n")).buffer);
    const source = new Source(reception, [read.subarray(0, 3), read.subarray(3, 8), read.subarray(3, 8)]);
    const pending = reception.next();
    source.give(1);
    expect(ahead).toEqual([]);
    await Promise.resolve();
    expect(ahead).toEqual(["one"]);
    source.give(1);
    expect(ahead).toEqual(["one", " two!"]);
    reception.onResponseData(source, Buffer.from(new Uint8Array(Buffer.from("left")).buffer));
    expect(ahead).toEqual(["one", " two!", "left"]);
    expect(Buffer.from((await pending).value ?? []).toString()).toBe("left");
    source.give(1);
    expect(ahead).toHaveLength(3);
    expect(Buffer.from((await reception.next()).value ?? []).toString()).toBe(" two!");
  });

  it("gives what came in one read of the socket as one chunk", async () => {
    const words = Array.from({ length: 50 }, (_, n) => `word ${n} `);
    const host = await serve((socket) => void socket.end(`${CHUNKED}${words.map(chunkOf).join("")}0\r\n\r\n`));
    const response = await network.egress.send(exchange(`http://${host}/`), never);
    expect(await readsOf(response.body)).toEqual([words.join("")]);
  });

  it("gives what came before the connection broke, though nobody had read it by then", async () => {
    const host = await serve((socket) => void socket.end(`${CHUNKED}${chunkOf("half of")}`));
    const { body } = await network.egress.send(exchange(`http://${host}/`), never);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const chunks = body[Symbol.asyncIterator]();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe("half of");
    await expect(chunks.next()).rejects.toMatchObject({ failure: { code: "upstream_truncated" } });
  });

  it("passes over interim answers", async () => {
    const hints = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    const host = await serve((socket) => void socket.end(`${hints}${CHUNKED}${chunkOf("pong")}0\r\n\r\n`));
    const response = await network.egress.send(exchange(`http://${host}/`), never);
    expect([response.status, response.headers.link]).toEqual([200, undefined]);
    expect(await readAll(response.body)).toBe("pong");
  });

  it("leaves at once when the caller does while no connection stands yet", async () => {
    const sockets: Socket[] = [];
    const host = await serve((socket) => void sockets.push(socket));
    const abort = new AbortController();
    const sent = network.egress.send(exchange(`https://${host}/`), abort.signal);
    setTimeout(() => abort.abort(), 50);
    await expect(sent).rejects.toMatchObject({ failure: { code: "cancelled" } });
    for (const socket of sockets) socket.destroy();
  });

  it("says that it was cancelled to a reader who waits, and drops what was held for one who does not", async () => {
    const host = await serve((socket) => void socket.write(`${CHUNKED}${chunkOf("first")}`));
    for (const alreadyRead of [true, false]) {
      const abort = new AbortController();
      const { body } = await network.egress.send(exchange(`http://${host}/`), abort.signal);
      const chunks = body[Symbol.asyncIterator]();
      if (alreadyRead) await chunks.next();
      const waiting = alreadyRead ? chunks.next() : undefined;
      abort.abort();
      await expect(waiting ?? chunks.next()).rejects.toMatchObject({ failure: { code: "cancelled" } });
    }
  });

  it.each(["whole", "left", "broken"])(
    "leaves no listener behind on the caller's signal when it is %s",
    async (how) => {
      const end = how === "whole" ? "0\r\n\r\n" : how === "broken" ? "zz\r\n" : "";
      const host = await serve((socket) => void socket.write(`${CHUNKED}${chunkOf("x")}${end}`));
      const { signal } = new AbortController();
      const { body } = await network.egress.send(exchange(`http://${host}/`), signal);
      if (how === "left") await body[Symbol.asyncIterator]().return?.();
      else await readAll(body).catch(() => {});
      expect(getEventListeners(signal, "abort")).toEqual([]);
    },
  );
});

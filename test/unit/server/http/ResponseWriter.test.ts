import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import type { Failure } from "../../../../src/core/failures.ts";
import { ResponseWriter } from "../../../../src/server/http/ResponseWriter.ts";

afterEach(() => {
  jest.useRealTimers();
});

/** A response whose client takes one piece whenever the test says so. */
class OnDemand extends EventEmitter {
  destroyed = false;
  readonly req = { headers: {}, complete: true };
  readonly pieces: string[] = [];
  readonly headers = new Map<string, unknown>();

  setHeader(name: string, value: unknown): void {
    this.headers.set(name, value);
  }

  write(piece: string | Buffer): boolean {
    this.pieces.push(piece.toString());
    return false;
  }

  end(text?: string): void {
    if (text !== undefined) this.pieces.push(text);
    this.emit("ended");
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function open() {
  jest.useFakeTimers();
  const client = new OnDemand();
  const stalls: string[] = [];
  const patience = { clientStallMs: 1_000, onStall: ({ code }: Failure) => stalls.push(code) };
  const paced = new ResponseWriter(client as unknown as ServerResponse, patience, true);
  return { client, stalls, paced };
}

describe("an answer to a client that reads slowly", () => {
  it("is never cut while the client takes a piece in time, however long the whole takes", async () => {
    const { client, stalls, paced } = open();
    const text = "\u{1f600}x".repeat(200_000);
    const written = paced.json({ text });
    for (let waiting = true; waiting; ) {
      await jest.advanceTimersByTimeAsync(900);
      waiting = client.emit("drain");
    }
    await written;
    client.emit("close");
    await jest.advanceTimersByTimeAsync(10_000);
    expect(stalls).toEqual([]);
    expect(client.pieces.length).toBeGreaterThan(15);
    expect(client.headers.get("content-length")).toBe(Buffer.byteLength(JSON.stringify({ text })));
  });

  it("is cut where a piece is not taken in time, and no further piece is made", async () => {
    const { client, stalls, paced } = open();
    const written = paced.write("x".repeat(1_000_000));
    await jest.advanceTimersByTimeAsync(1_000);
    await written;
    expect([stalls, client.destroyed, client.pieces.length]).toEqual([["client_stalled"], true, 1]);
  });

  it("is cut where only its end is not taken", async () => {
    const { client, stalls, paced } = open();
    paced.end("the last words");
    await jest.advanceTimersByTimeAsync(1_000);
    expect([stalls, client.destroyed]).toEqual([["client_stalled"], true]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as round } from "node:timers/promises";
import { afterEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { writePiece } from "../../../../src/server/fastpath/writeChunk.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** What comes over a connection to `answer` until it is closed, for the requests as they are written here. */
async function exchange(answer: (response: ServerResponse) => unknown, requests: string): Promise<Buffer> {
  server = createServer((_request, response) => void answer(response.setHeader("date", "now"))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(requests);
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  server.close();
  return Buffer.concat(pieces);
}

const LAST = "GET /last HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
const FIRST = "GET /first HTTP/1.1\r\nhost: localhost\r\n\r\n";
const OLD = "GET / HTTP/1.0\r\n\r\n";

type Write = (response: ServerResponse, piece: string | Buffer, begun: boolean) => unknown;

/** Some pieces in one round of the event loop, the others in the next ones. */
const answering = (pieces: readonly (string | Buffer)[], write: Write) => async (response: ServerResponse) => {
  for (const [at, piece] of pieces.entries()) {
    write(response, piece, at > 0);
    if (at % 3 === 2) await round();
  }
  response.end();
};

describe("the pieces of an answer", () => {
  it("are the same bytes that node's own writing makes of them, in their order, for clients old and new", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("", "x", "\ud800", "\u00e9\u2028\u{1f600}", "z".repeat(70_000)),
    );
    const piece = fc.oneof({ weight: 5, arbitrary: text }, text.map(Buffer.from));
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 8 }),
        fc.constantFrom(LAST, FIRST + LAST, OLD),
        async (pieces, asked) => {
          const said = await exchange(answering(pieces, writePiece), asked);
          const meant = await exchange(
            answering(pieces, (response, one) => response.write(one)),
            asked,
          );
          expect(said.equals(meant)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("say who is full where the client reads nothing, and that one says when there is room", async () => {
    const drained: unknown[] = [];
    const said = await exchange(async (response) => {
      writePiece(response, "headers", false);
      await round();
      let full = writePiece(response, "y".repeat(60_000), true);
      while (!full) full = writePiece(response, "y".repeat(60_000), true);
      drained.push(full === response.socket, ...(await once(full, "drain")));
      response.end();
    }, LAST);
    expect(drained).toEqual([true]);
    expect(said.length).toBeGreaterThan(60_000);
    expect(String(said.subarray(-7))).toBe("\r\n0\r\n\r\n");
  });
});

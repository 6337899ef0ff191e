import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as round } from "node:timers/promises";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { createFailure } from "../../../../src/core/failures.ts";
import { scheduleWrite } from "../../../../src/server/fastpath/writeBatch.ts";
import { writePiece } from "../../../../src/server/fastpath/writeChunk.ts";
import { sendFailure } from "../../../../src/server/http/errorHandler.ts";
import { ResponseWriter } from "../../../../src/server/http/ResponseWriter.ts";
import { COMMON_WIRE } from "../../../../src/server/routes.ts";

let server: Server | undefined;
afterEach(() => {
  jest.useRealTimers();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** What comes over a connection of its own to each of `callers` requests, once all are there and `answer` has answered them in one go. */
async function answersTo(
  callers: number,
  answer: (responses: readonly ServerResponse[]) => unknown,
): Promise<string[]> {
  const responses: ServerResponse[] = [];
  server = createServer((_request, response) => {
    // A round later, when the last request is known to be whole too.
    if (responses.push(response) === callers) setImmediate(answer, responses);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Promise.all(
    Array.from({ length: callers }, async () => {
      const socket = connect(port, "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
      let said = "";
      for await (const piece of socket) said += String(piece);
      return said;
    }),
  );
}

const paced = (response: ServerResponse) =>
  new ResponseWriter(response, { clientStallMs: 1_000, onStall: () => undefined }, true);
const breakOff = (response: ServerResponse) =>
  sendFailure(response, createFailure("internal_error", "broken"), { wire: COMMON_WIRE });

describe("the end of a round of the event loop", () => {
  it("finds all whole answers of the round, of which none has left before", async () => {
    const seen: boolean[][] = [];
    const said = await answersTo(3, async (responses) => {
      const sockets = responses.map(({ socket }) => socket);
      const sent = () => seen.push(sockets.map((socket) => socket !== null && socket.bytesWritten > 0));
      for (const [at, response] of responses.entries()) paced(response).json({ at });
      sent();
      await round();
      sent();
    });
    expect(seen).toEqual([
      [false, false, false],
      [true, true, true],
    ]);
    expect(said.map((text) => text.split("\r\n\r\n")[1])).toEqual(['{"at":0}', '{"at":1}', '{"at":2}']);
  });

  it("finds the pieces of all streams, as one write of each", async () => {
    const held: number[][] = [];
    const holding = (responses: readonly ServerResponse[]) =>
      held.push(responses.map(({ socket }) => socket?.writableLength ?? -1));
    const said = await answersTo(2, async (responses) => {
      for (const response of responses) writePiece(response, "first,", false);
      await round();
      for (const piece of ["second,", "third"]) for (const response of responses) writePiece(response, piece, true);
      holding(responses);
      await round();
      holding(responses);
      for (const response of responses) response.end();
    });
    const two = "7\r\nsecond,\r\n5\r\nthird\r\n".length;
    expect(held).toEqual([
      [two, two],
      [0, 0],
    ]);
    for (const text of said) expect(text).toMatch(/first,\r\n7\r\nsecond,\r\n5\r\nthird\r\n0\r\n\r\n$/);
  });

  it("comes after the last piece of a stream that is broken off, which its client has", async () => {
    const [said] = await answersTo(1, async ([response]) => {
      if (!response) return;
      writePiece(response, "first,", false);
      await round();
      writePiece(response, "last", true);
      await breakOff(response);
    });
    expect(said).toMatch(/first,\r\n4\r\nlast\r\n$/);
  });

  it("takes nothing of an answer that was whole when something failed behind it", async () => {
    let whole = false;
    const [said] = await answersTo(1, async ([response]) => {
      if (!response) return;
      response.on("close", () => (whole = response.writableFinished));
      paced(response).json({ text: "x".repeat(60_000) });
      await breakOff(response);
    });
    expect(said?.length).toBeGreaterThan(60_000);
    expect(whole).toBe(true);
  });

  it("lets a client go that left meanwhile, and answers the others", async () => {
    const said = await answersTo(2, ([gone, there]) => {
      if (!gone || !there) return;
      for (const response of [gone, there]) paced(response).json({ text: "answer" });
      gone.destroy();
    });
    expect(said.map((text) => text.includes("answer")).sort()).toEqual([false, true]);
  });

  it("is told to all in their order, whichever of them fails, and in its own round to who asks meanwhile", () => {
    jest.useFakeTimers();
    const called: string[] = [];
    scheduleWrite(() => {
      called.push("first");
      scheduleWrite(() => void called.push("asked meanwhile"));
    });
    scheduleWrite(() => {
      throw new Error("one that fails");
    });
    scheduleWrite(() => void called.push("third"));
    expect(called).toEqual([]);
    expect(() => jest.runAllTimers()).toThrow("one that fails");
    expect(called).toEqual(["first"]);
    jest.runAllTimers();
    expect(called.sort()).toEqual(["asked meanwhile", "first", "third"]);
  });
});

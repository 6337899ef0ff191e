// Writes one piece of an answer as one write to its connection, where node would make five.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { corkUntilFlush } from "./writeBatch.ts";

/**
 * Returns the stream whose `drain` to wait for; undefined if it can take more. @param hasStarted true if the headers are written:
 * by the response itself, with its first piece.
 */
export function writePiece(
  response: ServerResponse,
  piece: string | Buffer,
  hasStarted: boolean,
): ServerResponse | Socket | undefined {
  const { chunkedEncoding, socket } = response;
  // A response that waits for the one before it has no connection yet.
  if (!hasStarted || typeof piece !== "string" || !chunkedEncoding || !socket?.writable) {
    return response.write(piece) ? undefined : response;
  }
  // An empty chunk would be the last one.
  if (piece === "") return undefined;
  const length = Buffer.byteLength(piece);
  corkUntilFlush(socket);
  return socket.write(`${length.toString(16)}\r\n${piece}\r\n`, selectEncoding(piece, length)) ? undefined : socket;
}

/** The cheaper of two that are the same for ASCII. */
export function selectEncoding(text: string, bytes: number): "latin1" | "utf8" {
  return bytes === text.length ? "latin1" : "utf8";
}

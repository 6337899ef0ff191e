// Writes an answer at the pace of its client, and closes the connection of a client that stopped reading.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  encodeJsonCooperatively,
  encodeTextCooperatively,
  stringifyIfSmall,
} from "../../core/async/stringifyCooperatively.ts";
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import { createFailure, type Failure } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import { scheduleWrite } from "../fastpath/writeBatch.ts";
import { selectEncoding, writePiece } from "../fastpath/writeChunk.ts";

/**
 * Bytes that are written at once. A client that can take the next piece has read the last one. This progress is checked, so a
 * slow client of a large answer does not count as stalled.
 */
export const PIECE_BYTES = 65_536;

/** If an answer was sent before its request was read: the longest wait for the rest in total, and for each further piece. */
const LINGER_MS = 10_000;
const PAUSE_MS = 500;

const JSON_TYPE = "application/json; charset=utf-8";

export interface StallTimeout {
  /** Milliseconds for which a client may leave sent bytes unread. */
  readonly clientStallMs: number;
  /** Called before the connection of a stalled client is closed. */
  onStall(stalled: Failure): void;
}

export class ResponseWriter {
  readonly response: ServerResponse;
  readonly #patience: StallTimeout;
  readonly #batches: boolean;
  /** True while the client waits for `100 Continue` before it sends its body. */
  #awaited: boolean;
  /** True once a piece was written, and the headers with it. */
  #begun = false;
  /** Buffered until they are sent: node validates headers one by one if they are set one by one. */
  readonly #headers: Record<string, string> = {};

  /** @param batches true if what is written in one event-loop tick is sent at its end (fast path). */
  constructor(response: ServerResponse, patience: StallTimeout, batches: boolean) {
    this.response = response;
    this.#batches = batches;
    this.#patience = patience;
    this.#awaited = response.req.headers.expect !== undefined;
    // A final answer instead of `100 Continue` leaves open if the body will come, so the connection cannot be reused.
    if (this.#awaited) response.setHeader("connection", "close");
  }

  /** Sends `100 Continue` to a client that waits for it. */
  askForBody(): void {
    if (!this.#awaited) return;
    this.#awaited = false;
    this.response.removeHeader("connection");
    this.response.writeContinue();
  }

  /** Returns a promise only under back-pressure; it resolves when the client can take more or has disconnected. */
  write(text: string): Promise<void> | undefined {
    return text.length <= PIECE_BYTES ? this.#piece(text) : this.#inTurns(text);
  }

  /** Writes a further piece if the client can take it at once; otherwise returns false and writes nothing. */
  writeNow(text: string): boolean {
    const { response } = this;
    const isFull = response.writableNeedDrain || response.socket?.writableNeedDrain;
    if (!this.#begun || isFull || response.destroyed || text.length > PIECE_BYTES) return false;
    // Under back-pressure after this write, the next piece waits.
    this.#send(text);
    return true;
  }

  /** Writes raw bytes; resolves when the client can take more or has disconnected. */
  writeBytes(bytes: Uint8Array): Promise<void> {
    return this.#pieces(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }

  /** Sets a header for `json` or `writeHead`, whichever comes first. */
  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  /** The head is sent with the next write. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.response.writeHead(status, { ...this.#headers, ...headers });
  }

  /** The last write has a stall timer too; the caller need not wait for it. `text` is sent together with the end. */
  end(text = "", length = Buffer.byteLength(text)): void {
    const { response } = this;
    if (response.destroyed) return;
    response.end(text, selectEncoding(text, length));
    // The kernel has taken everything, so no timer is needed.
    if (response.writableLength === 0 || response.destroyed) return;
    const timer = this.#watch();
    response.on("close", () => clearTimeout(timer));
  }

  /** Writes a complete JSON answer with the status that the caller set. Returns a promise only under back-pressure. */
  json(body: JsonObject): Promise<void> | undefined {
    const { response } = this;
    if (response.destroyed) return undefined;
    const text = stringifyIfSmall(body);
    if (text === undefined || !response.req.complete) return this.#longJson(text, body);
    const length = Buffer.byteLength(text);
    if (length > PIECE_BYTES) return this.#longJson(text, body);
    // A short text is sent in one piece with the headers.
    const headers = { ...this.#headers, "content-type": JSON_TYPE, "content-length": length };
    response.writeHead(response.statusCode, headers);
    if (this.#batches) scheduleWrite(() => this.end(text, length));
    else this.end(text, length);
    return undefined;
  }

  async #longJson(text: string | undefined, body: JsonObject): Promise<void> {
    const { response } = this;
    const slices = text === undefined ? await encodeJsonCooperatively(body) : [Buffer.from(text)];
    if (response.destroyed) return;
    for (const [name, value] of Object.entries(this.#headers)) response.setHeader(name, value);
    const length = slices.reduce((sum, bytes) => sum + bytes.length, 0);
    response.setHeader("content-type", JSON_TYPE);
    response.setHeader("content-length", length);
    for (const bytes of slices) {
      await this.#pieces(bytes);
      // Without this yield a client that reads as fast as this loop writes would block the event loop.
      await yieldToEventLoop();
    }
    if (!response.req.complete && !this.#awaited) await this.#readOff();
    this.end();
  }

  /** Reads the rest of the request: closing a connection with unread bytes resets it and discards the answer. */
  #readOff(): Promise<void> {
    const { req } = this.response;
    return new Promise((resolve) => {
      const over = (): void => {
        clearTimeout(pause);
        clearTimeout(linger);
        resolve();
      };
      const pause = setTimeout(over, PAUSE_MS);
      const linger = setTimeout(over, LINGER_MS);
      req.on("data", () => pause.refresh());
      req.once("end", over).once("close", over);
    });
  }

  async #inTurns(text: string): Promise<void> {
    for await (const bytes of encodeTextCooperatively(text)) {
      await this.#pieces(bytes);
      if (this.response.destroyed) return;
    }
  }

  async #pieces(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) await this.#piece(bytes.subarray(at, at + PIECE_BYTES));
  }

  #piece(piece: string | Buffer): Promise<void> | undefined {
    const { response } = this;
    if (response.destroyed) return undefined;
    const full = this.#send(piece);
    this.#begun = true;
    return full && !response.destroyed ? this.#drained(full) : undefined;
  }

  /** Returns the stream whose `drain` to wait for; undefined if it can take more. */
  #send(piece: string | Buffer): ServerResponse | Socket | undefined {
    const { response } = this;
    if (this.#batches) return writePiece(response, piece, this.#begun);
    return response.write(piece) ? undefined : response;
  }

  /** Waits until the client has read what it was sent, or has disconnected. */
  #drained(full: ServerResponse | Socket): Promise<void> {
    const { response } = this;
    return new Promise((resolve) => {
      const timer = this.#watch();
      const over = (): void => {
        clearTimeout(timer);
        full.off("drain", over);
        response.off("close", over);
        resolve();
      };
      full.on("drain", over);
      response.on("close", over);
    });
  }

  #watch(): NodeJS.Timeout {
    const { clientStallMs } = this.#patience;
    return setTimeout(() => {
      if (this.response.destroyed) return;
      const message = `The client has read nothing for ${clientStallMs} ms (\`timeouts.client_stall_ms\`), so its connection was closed.`;
      this.#patience.onStall(createFailure("client_stalled", message));
      this.response.destroy();
    }, clientStallMs);
  }
}

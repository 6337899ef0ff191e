// Writes an answer no faster than its client reads, and closes the connection of one that reads nothing. Knows no form of an answer.
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
 * Bytes that are handed over at once. The client has read one such piece when it can take the next: that is the progress that it
 * is held to, so a slow reader of a large answer is not taken for one that has stopped.
 */
export const PIECE_BYTES = 65_536;

/** For an answer that came before its request was read: how long it waits for the rest in all, and for each further piece. */
const LINGER_MS = 10_000;
const PAUSE_MS = 500;

const JSON_TYPE = "application/json; charset=utf-8";

export interface StallTimeout {
  /** Milliseconds for which a client may leave what it was sent unread. */
  readonly clientStallMs: number;
  /** Told before the connection of a client that did is closed. */
  onStall(stalled: Failure): void;
}

export class ResponseWriter {
  readonly response: ServerResponse;
  readonly #patience: StallTimeout;
  /** True while the client waits for a word before it sends its body. */
  #awaited: boolean;
  /** True once a piece was written, and the headers with it. */
  #begun = false;
  /** Together until they leave: node looks at each by itself where they are set one by one. */
  readonly #headers: Record<string, string> = {};

  constructor(response: ServerResponse, patience: StallTimeout) {
    this.response = response;
    this.#patience = patience;
    this.#awaited = response.req.headers.expect !== undefined;
    // An answer in place of that word leaves open whether the body will come, so nothing can come after it.
    if (this.#awaited) response.setHeader("connection", "close");
  }

  /** Tells a client that waits for it that its body is wanted. */
  askForBody(): void {
    if (!this.#awaited) return;
    this.#awaited = false;
    this.response.removeHeader("connection");
    this.response.writeContinue();
  }

  /** A promise only where something has to be waited for: it is kept when the client can take more, or is gone. */
  write(text: string): Promise<void> | undefined {
    return text.length <= PIECE_BYTES ? this.#piece(text) : this.#inTurns(text);
  }

  /** Writes what follows a piece, where the client can take it at once; false, and nothing is written, where it cannot. */
  writeNow(text: string): boolean {
    const { response } = this;
    const isFull = response.writableNeedDrain || response.socket?.writableNeedDrain;
    if (!this.#begun || isFull || response.destroyed || text.length > PIECE_BYTES) return false;
    // Where this was as much as it can take, the next piece waits.
    writePiece(response, text, true);
    return true;
  }

  /** Bytes as they are; kept when the client can take more, or is gone. */
  writeBytes(bytes: Uint8Array): Promise<void> {
    return this.#pieces(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }

  /** Of the answer, whichever of `json` and `writeHead` it begins with. */
  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  /** Leaves with what is written next. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.response.writeHead(status, { ...this.#headers, ...headers });
  }

  /** What was written last is timed as well; nobody needs to wait for it. A text that is given here leaves with the end itself. */
  end(text = "", length = Buffer.byteLength(text)): void {
    const { response } = this;
    if (response.destroyed) return;
    response.end(text, selectEncoding(text, length));
    // What the kernel has taken already waits for nobody here.
    if (response.writableLength === 0 || response.destroyed) return;
    const timer = this.#watch();
    response.on("close", () => clearTimeout(timer));
  }

  /** A whole answer; its status is the caller's. A promise only where something has to be waited for. */
  json(body: JsonObject): Promise<void> | undefined {
    const { response } = this;
    if (response.destroyed) return undefined;
    const text = stringifyIfSmall(body);
    if (text === undefined || !response.req.complete) return this.#longJson(text, body);
    const length = Buffer.byteLength(text);
    if (length > PIECE_BYTES) return this.#longJson(text, body);
    // One text leaves in one piece with the headers, which node sends with the end.
    const headers = { ...this.#headers, "content-type": JSON_TYPE, "content-length": length };
    response.writeHead(response.statusCode, headers);
    scheduleWrite(() => this.end(text, length));
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
      // A client that reads as fast as is written would get all of it in one go.
      await yieldToEventLoop();
    }
    if (!response.req.complete && !this.#awaited) await this.#readOff();
    this.end();
  }

  /** A connection that is closed on unread bytes is reset, and the answer with it. */
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
    const full = writePiece(response, piece, this.#begun);
    this.#begun = true;
    return full && !response.destroyed ? this.#drained(full) : undefined;
  }

  /** Waits until the client has read what it was sent, or is gone. */
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

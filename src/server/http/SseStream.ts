// Writes server-sent events: opening, heartbeats, end.
import type { ServerResponse } from "node:http";
import { PIECE_BYTES, type ResponseWriter } from "./ResponseWriter.ts";

/** Milliseconds. */
export interface SseTimings {
  /** Milliseconds without an event after which the headers are sent, so that no proxy or client gives up. */
  readonly openAfterMs: number;
  /** Milliseconds between two comment lines of an open stream; events do not shift them. */
  readonly heartbeatMs: number;
}

/** Headers of every event stream. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Turns off Nginx's buffering of event streams.
  "x-accel-buffering": "no",
};

const SSE_TIMINGS: SseTimings = { openAfterMs: 10_000, heartbeatMs: 15_000 };

/**
 * Nothing is sent before the first `send` or `openAfterMs`, whichever is first; until then the caller may still answer with a
 * status. Every path must end in `end` or `abandon`, which stop the timer.
 */
export class SseStream {
  readonly #paced: ResponseWriter;
  readonly #response: ServerResponse;
  readonly #beforeOpen: () => void;
  readonly #heartbeatMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** True while events are written; long ones are written in pieces. */
  #writing = false;

  /** `beforeOpen` sets the headers that are known only when they are sent. */
  constructor(paced: ResponseWriter, beforeOpen: () => void, timings: SseTimings = SSE_TIMINGS) {
    this.#paced = paced;
    this.#response = paced.response;
    this.#beforeOpen = beforeOpen;
    this.#heartbeatMs = timings.heartbeatMs;
    this.#timer = setTimeout(() => {
      this.#open();
      this.#beat();
    }, timings.openAfterMs);
    this.#response.once("close", () => this.abandon());
  }

  /** True once a status can no longer be chosen. */
  get opened(): boolean {
    return this.#response.headersSent;
  }

  /**
   * Writes complete events. Returns a promise only under back-pressure; it resolves when the client can take more or has
   * disconnected. An empty text does not open the stream.
   */
  send(events: string): Promise<void> | undefined {
    if (events === "" || this.#response.destroyed) return undefined;
    this.#open();
    const written = this.#paced.write(events);
    return written && this.#waitForWrite(written);
  }

  /** Same as `send`, for a stream that is open. Returns false and writes nothing if it would have to wait. */
  sendNow(events: string): boolean {
    return !this.#writing && this.#paced.writeNow(events);
  }

  async #waitForWrite(written: Promise<void>): Promise<void> {
    this.#writing = true;
    await written;
    this.#writing = false;
  }

  /** Writes the last events and ends the stream, after success or failure. */
  async end(events: string): Promise<void> {
    const isLong = events.length > PIECE_BYTES;
    if (isLong) await this.send(events);
    else if (events !== "") this.#open();
    this.abandon();
    this.#paced.end(isLong ? "" : events);
  }

  /** Stops the heartbeat and leaves the response to the caller. */
  abandon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #open(): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    this.abandon();
    this.#beforeOpen();
    // The head is sent with the next write, which follows at once.
    this.#paced.writeHead(200, SSE_HEADERS);
    this.#timer = setInterval(() => this.#beat(), this.#heartbeatMs);
  }

  #beat(): void {
    const { writableNeedDrain, destroyed, socket } = this.#response;
    if (this.#writing || writableNeedDrain || socket?.writableNeedDrain || destroyed) return;
    this.#response.write(": waiting\n\n");
  }
}

// The one writer of server-sent events: opening, JSON data, heartbeats, end. Knows no OpenAI shape.
import type { ServerResponse } from "node:http";
import { jsonInTurns } from "../core/jsonInTurns.ts";
import type { JsonObject } from "../core/messages.ts";
import type { PacedResponse } from "./PacedResponse.ts";

/** Milliseconds. */
export interface SseTimings {
  /** After this long without an event the headers leave, so that no proxy or client gives up. */
  readonly openAfterMs: number;
  /** Between two comment lines once the stream is open; an event in between does not move them. */
  readonly heartbeatMs: number;
}

const SSE_TIMINGS: SseTimings = { openAfterMs: 10_000, heartbeatMs: 15_000 };

/**
 * Nothing leaves before the first `send` or `openAfterMs`, whichever is first; until then the caller may still answer with a status.
 * Every path must end in `end` or `abandon`, which stop the timer.
 */
export class SseStream {
  readonly #paced: PacedResponse;
  readonly #response: ServerResponse;
  readonly #beforeOpen: () => void;
  readonly #heartbeatMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** True while an event is written, which a long one is in pieces. */
  #writing = false;

  /** `beforeOpen` sets the headers that are known only when they leave. */
  constructor(paced: PacedResponse, beforeOpen: () => void, timings: SseTimings = SSE_TIMINGS) {
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

  /** Writes one event; resolves when the client can take more, or has left. */
  async send(data: JsonObject): Promise<void> {
    // JSON text holds no raw CR or LF, so no value can forge a second field or event.
    await this.#write(`data: ${await jsonInTurns(data)}\n\n`);
  }

  /** Ends a stream that went well. */
  async end(): Promise<void> {
    await this.#write("data: [DONE]\n\n");
    this.#close();
  }

  /** Ends a stream after an error object: without `[DONE]`, which would say that the answer is whole. */
  async endWithError(error: JsonObject): Promise<void> {
    await this.send(error);
    this.#close();
  }

  /** Stops the heartbeat and leaves the response to its owner. */
  abandon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #write(text: string): Promise<void> {
    if (this.#response.destroyed) return;
    this.#open();
    this.#writing = true;
    await this.#paced.write(text);
    this.#writing = false;
  }

  #open(): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    this.abandon();
    this.#beforeOpen();
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      // Nginx buffers event streams unless it is told not to.
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
    this.#timer = setInterval(() => this.#beat(), this.#heartbeatMs);
  }

  #beat(): void {
    const { writableNeedDrain, destroyed } = this.#response;
    if (!this.#writing && !writableNeedDrain && !destroyed) this.#response.write(": waiting\n\n");
  }

  #close(): void {
    this.abandon();
    this.#paced.end();
  }
}

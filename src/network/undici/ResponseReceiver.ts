// Receives one response from undici and buffers it, within a bound, until it is read.
import { type Dispatcher, errors } from "undici";
import type { EarlyReader } from "../../core/ports.ts";

/** Bytes that are buffered before the server is paused: 64 KiB, plus the rest of one socket read. */
const MOST_HELD = 65_536;

type Read = IteratorResult<Uint8Array>;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/**
 * The handler of one dispatch, and its body. One consumer reads it and waits for each result. Bytes of one socket read form one chunk.
 * Errors are undici's own and follow the data before them. An abort of the signal closes the connection and drops buffered data.
 */
export class ResponseReceiver implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  /** 0 until the headers are there. */
  status = 0;
  headers: Headers = {};
  /** Receives data that arrives while a consumer waits, before the consumer does. */
  readAhead: EarlyReader | undefined;
  readonly #signal: AbortSignal;
  readonly #opening = Promise.withResolvers<void>();
  #isOpen = false;
  #controller: Dispatcher.DispatchController | undefined;
  /** Most reads of a socket bring one chunk. */
  #held: Buffer | undefined;
  #heldBehind: Buffer[] | undefined;
  #heldBytes = 0;
  #end: { readonly error?: unknown } | undefined;
  #reader: PromiseWithResolvers<Read> | undefined;
  #isDue = false;

  /** @param signal one that is not aborted yet. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#leave);
  }

  /**
   * Resolves with the first byte, or an empty body's end, or with the headers of an encoded body, whose first bytes may
   * decode to nothing yet. Rejects with an earlier error.
   */
  get opened(): Promise<void> {
    return this.#opening.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#end) controller.abort(new errors.RequestAbortedError());
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    if (headers["content-encoding"] !== undefined) this.#open();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#end) return;
    if (this.readAhead && this.#reader && this.#heldBytes === 0 && endsRead(chunk)) {
      if (!this.readAhead(chunk)) this.#give(chunk);
      return;
    }
    if (!this.#held) this.#held = chunk;
    else if (this.#heldBehind) this.#heldBehind.push(chunk);
    else this.#heldBehind = [chunk];
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > MOST_HELD) controller.pause();
    this.#stir();
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#finish({ error });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Read> {
    if (this.#held) return Promise.resolve({ done: false, value: this.#take(this.#held) });
    if (this.#end) return "error" in this.#end ? Promise.reject(this.#end.error) : Promise.resolve(DONE);
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  return(): Promise<Read> {
    this.close();
    return Promise.resolve(DONE);
  }

  /** Closes the connection, unless the response was complete. */
  close(): void {
    this.#leave();
  }

  /** Takes all buffered data as one chunk and resumes the server. */
  #take(first: Buffer): Uint8Array {
    const value = this.#heldBehind ? Buffer.concat([first, ...this.#heldBehind], this.#heldBytes) : first;
    const wasPaused = this.#heldBytes > MOST_HELD;
    this.#drop();
    if (wasPaused && !this.#end) this.#controller?.resume();
    return value;
  }

  #drop(): void {
    this.#held = undefined;
    this.#heldBehind = undefined;
    this.#heldBytes = 0;
  }

  readonly #leave = (): void => {
    if (this.#end) return;
    this.#drop();
    const error = new errors.RequestAbortedError();
    this.#finish({ error });
    this.#controller?.abort(error);
  };

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end) return;
    this.#end = end;
    this.#signal.removeEventListener("abort", this.#leave);
    this.#stir();
  }

  /** Resolves a waiting read after the socket's read was processed completely: its further chunks belong to the same result. */
  #stir(): void {
    if (this.#isDue || (this.#isOpen && !this.#reader)) return;
    this.#isDue = true;
    void SETTLED.then(this.#answer);
  }

  #give(value: Uint8Array): void {
    this.#reader?.resolve({ done: false, value });
    this.#reader = undefined;
  }

  readonly #answer = (): void => {
    this.#isDue = false;
    if (!this.#isOpen) this.#open();
    const reader = this.#reader;
    if (!reader) return;
    const value = this.#held && this.#take(this.#held);
    if (value && !this.#end && this.readAhead?.(value)) return;
    this.#reader = undefined;
    if (value) reader.resolve({ done: false, value });
    else if (this.#end && "error" in this.#end) reader.reject(this.#end.error);
    else reader.resolve(DONE);
  };

  #open(): void {
    this.#isOpen = true;
    const brokeFirst = !this.#held && this.#end && "error" in this.#end;
    if (brokeFirst) this.#opening.reject(this.#end?.error);
    else this.#opening.resolve();
  }
}

/** Bytes after a chunk in its read if no further chunk follows: a line end. */
const CHUNK_END = 2;

/** Returns true if the chunk is the last of its read, judged by its offset in the buffer of the read. */
function endsRead({ buffer, byteOffset, length }: Buffer): boolean {
  return byteOffset + length + CHUNK_END >= buffer.byteLength;
}

const SETTLED = Promise.resolve();
const DONE: Read = { done: true, value: undefined };

// Implements one keep-alive HTTP/1.1 client on a raw socket. It repeats one request and counts answers, events and faults.
import { connect, type Socket } from "node:net";

/** Totals of all clients of a job. Times are in microseconds. */
export interface LoadCounts {
  answers: number;
  events: number;
  /** Answers with a status other than 200, and connections that broke. */
  faults: number;
  /** Time from each request to the end of its answer. */
  answerUs: number[];
  /** Time from each request to its first event. */
  firstEventUs: number[];
}

/** The read buffer of all clients. Each read is processed before the next one arrives. */
const readBuffer = Buffer.allocUnsafeSlow(262_144);

/** The first character of each event's text. It occurs nowhere else in an answer. */
const EVENT_MARKER = "<".charCodeAt(0);
/** The end of a chunked body. No event ends with these characters. */
const LAST_CHUNK = "0\r\n\r\n";

/** A client that connects at once, sends its request, reads the answer to its end and sends the request again. */
export class LoadClient {
  readonly #port: number;
  readonly #request: Buffer;
  readonly #counts: LoadCounts;
  #socket: Socket;
  #closed = false;
  /** When the current request was sent, as `performance.now()`. */
  #sentAt = 0;
  #sawEvent = false;
  /** The part of the response head that has arrived; undefined once the head is complete. */
  #head: string | undefined;
  /** Bytes of the body that are still missing; negative for a chunked body. */
  #missingBytes = 0;
  /** The last characters of a chunked body. */
  #bodyEnd = "";

  constructor(port: number, request: Buffer, counts: LoadCounts) {
    this.#port = port;
    this.#request = request;
    this.#counts = counts;
    this.#socket = this.#connect();
  }

  /** Closes the connection and stops sending requests. */
  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #connect(): Socket {
    const onread = {
      buffer: readBuffer,
      callback: (length: number) => {
        this.#readBytes(readBuffer.subarray(0, length));
        return true;
      },
    };
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true, onread });
    socket.once("connect", () => this.#sendRequest());
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      if (this.#closed) return;
      this.#counts.faults += 1;
      setTimeout(() => {
        if (!this.#closed) this.#socket = this.#connect();
      }, 5);
    });
    return socket;
  }

  #sendRequest(): void {
    this.#head = "";
    this.#sawEvent = false;
    this.#sentAt = performance.now();
    this.#socket.write(this.#request);
  }

  #readBytes(bytes: Buffer): void {
    let body = bytes;
    if (this.#head !== undefined) {
      const lengthBefore = this.#head.length;
      this.#head += bytes.toString("latin1");
      const headEnd = this.#head.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      body = bytes.subarray(headEnd + 4 - lengthBefore);
      this.#readHead(this.#head.slice(0, headEnd));
    }
    this.#countEvents(body);
    if (this.#isBodyComplete(body)) this.#finishAnswer();
  }

  #readHead(head: string): void {
    this.#head = undefined;
    this.#bodyEnd = "";
    this.#missingBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? -1);
    if (!head.startsWith("HTTP/1.1 200")) this.#counts.faults += 1;
  }

  #countEvents(body: Buffer): void {
    for (let index = body.indexOf(EVENT_MARKER); index >= 0; index = body.indexOf(EVENT_MARKER, index + 1)) {
      this.#counts.events += 1;
      if (this.#sawEvent) continue;
      this.#sawEvent = true;
      this.#counts.firstEventUs.push((performance.now() - this.#sentAt) * 1000);
    }
  }

  /** Returns true if `body`, the part that has just arrived, completes the answer. */
  #isBodyComplete(body: Buffer): boolean {
    if (this.#missingBytes >= 0) {
      this.#missingBytes -= body.length;
      return this.#missingBytes <= 0;
    }
    const newEnd = body.toString("latin1", Math.max(0, body.length - LAST_CHUNK.length));
    this.#bodyEnd = (this.#bodyEnd + newEnd).slice(-LAST_CHUNK.length);
    return this.#bodyEnd === LAST_CHUNK;
  }

  #finishAnswer(): void {
    this.#counts.answers += 1;
    this.#counts.answerUs.push((performance.now() - this.#sentAt) * 1000);
    this.#sendRequest();
  }
}

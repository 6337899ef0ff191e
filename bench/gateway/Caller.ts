// One connection that asks, reads to the answer's end and asks again. Knows neither job nor gateway.
import { connect, type Socket } from "node:net";

/** Of all callers of a job. Times in microseconds. */
export interface Counts {
  answers: number;
  events: number;
  faults: number;
  answerUs: number[];
  firstEventUs: number[];
}

/** Every caller's reads: each is looked at before the next comes. */
const bytes = Buffer.allocUnsafeSlow(262_144);

/** With this each event's text begins, and nothing else does. */
const MARK = "<".charCodeAt(0);
/** The end of a body in chunks; no event ends so. */
const LAST_CHUNK = "0\r\n\r\n";

export class Caller {
  readonly #port: number;
  readonly #request: Buffer;
  readonly #counts: Counts;
  #socket: Socket;
  #left = false;
  #asked = 0;
  #seenEvent = false;
  /** What has come of the head; undefined once it is read. */
  #head: string | undefined;
  /** Bytes of the body that are still to come; negative where it comes in chunks. */
  #missing = 0;
  /** The last characters of a body in chunks. */
  #tail = "";

  constructor(port: number, request: Buffer, counts: Counts) {
    this.#port = port;
    this.#request = request;
    this.#counts = counts;
    this.#socket = this.#connect();
  }

  leave(): void {
    this.#left = true;
    this.#socket.destroy();
  }

  #connect(): Socket {
    const onread = {
      buffer: bytes,
      callback: (length: number) => {
        this.#read(bytes.subarray(0, length));
        return true;
      },
    };
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true, onread });
    socket.once("connect", () => this.#ask());
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      if (this.#left) return;
      this.#counts.faults += 1;
      setTimeout(() => {
        if (!this.#left) this.#socket = this.#connect();
      }, 5);
    });
    return socket;
  }

  #ask(): void {
    this.#head = "";
    this.#seenEvent = false;
    this.#asked = performance.now();
    this.#socket.write(this.#request);
  }

  #read(read: Buffer): void {
    let body = read;
    if (this.#head !== undefined) {
      const before = this.#head.length;
      this.#head += read.toString("latin1");
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return;
      body = read.subarray(end + 4 - before);
      this.#begin(this.#head.slice(0, end));
    }
    this.#countEvents(body);
    if (this.#isEnd(body)) this.#end();
  }

  #begin(head: string): void {
    this.#head = undefined;
    this.#tail = "";
    this.#missing = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? -1);
    if (!head.startsWith("HTTP/1.1 200")) this.#counts.faults += 1;
  }

  #countEvents(body: Buffer): void {
    for (let at = body.indexOf(MARK); at >= 0; at = body.indexOf(MARK, at + 1)) {
      this.#counts.events += 1;
      if (this.#seenEvent) continue;
      this.#seenEvent = true;
      this.#counts.firstEventUs.push((performance.now() - this.#asked) * 1000);
    }
  }

  #isEnd(body: Buffer): boolean {
    if (this.#missing >= 0) {
      this.#missing -= body.length;
      return this.#missing <= 0;
    }
    this.#tail = (this.#tail + body.toString("latin1", Math.max(0, body.length - LAST_CHUNK.length))).slice(
      -LAST_CHUNK.length,
    );
    return this.#tail === LAST_CHUNK;
  }

  #end(): void {
    this.#counts.answers += 1;
    this.#counts.answerUs.push((performance.now() - this.#asked) * 1000);
    this.#ask();
  }
}

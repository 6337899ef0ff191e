// Runs a mock model server on raw sockets, with as little CPU time as Node allows.
// A request with `stream: true` gets events: the model `events-COUNT-PERIOD` sets their number and the milliseconds between them,
// where a period of 0 sends all events in one write. Any other request gets about 1 KB of JSON.
// Usage: mockUpstream.ts PORT
import { createServer, type Socket } from "node:net";

const ID_FIELDS =
  '"id":"chatcmpl-9f3KdTqLw2XbVnRz7YhPcM0aSg","created":1763800000,"model":"mock","service_tier":"default"';
const FINGERPRINT_FIELD = '"system_fingerprint":"fp_5d1c6a90be"';

/** The content of an event: the marker that clients count, and 20 digits. */
const STAMP = /<\d{20}>/;

const DEFAULT_EVENT_COUNT = 200;

function encodeChunk(data: string): string {
  return `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`;
}

function encodeEvent(delta: string, finishReason: string): string {
  const choice = `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}`;
  return encodeChunk(
    `data: {${ID_FIELDS},"object":"chat.completion.chunk",${FINGERPRINT_FIELD},"choices":[${choice}]}\n\n`,
  );
}

const [BEFORE_STAMP = "", AFTER_STAMP = ""] = encodeEvent(`{"content":"<${"0".repeat(20)}>"}`, "null").split(STAMP);
const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n" +
  encodeEvent('{"role":"assistant","content":""}', "null");
const STREAM_END = `${encodeEvent("{}", '"stop"')}${encodeChunk("data: [DONE]\n\n")}0\r\n\r\n`;

function encodeContentEvent(stamp: bigint): string {
  return `${BEFORE_STAMP}<${stamp.toString().padStart(20, "0")}>${AFTER_STAMP}`;
}

/** Whole streams as bytes, by their number of events. */
const encodedStreams = new Map<number, Buffer>();

function encodeStream(eventCount: number): Buffer {
  const cached = encodedStreams.get(eventCount);
  if (cached) return cached;
  const events = Array.from({ length: eventCount }, (_, i) => encodeContentEvent(BigInt(i)));
  const encoded = Buffer.from(STREAM_HEAD + events.join("") + STREAM_END, "latin1");
  encodedStreams.set(eventCount, encoded);
  return encoded;
}

const TEXT = "At springs the stream through the Goulet runs at five knots, so leave an hour before high water. ";
const MESSAGE = `{"role":"assistant","content":"${TEXT.repeat(5)}","refusal":null,"annotations":[]}`;
const USAGE =
  '{"prompt_tokens":31,"completion_tokens":120,"total_tokens":151,"prompt_tokens_details":{"cached_tokens":0}}';
const COMPLETION = encodeJsonResponse(
  `{${ID_FIELDS},"object":"chat.completion",${FINGERPRINT_FIELD},"choices":[{"index":0,"message":${MESSAGE},"logprobs":null,"finish_reason":"stop"}],"usage":${USAGE}}`,
);
const MODEL_LIST = encodeJsonResponse('{"object":"list","data":[]}');

function encodeJsonResponse(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

interface PacedStream {
  readonly socket: Socket;
  readonly periodMs: number;
  eventsLeft: number;
  /** When the next event is due, as `performance.now()`. */
  dueAt: number;
}

const pacedStreams = new Set<PacedStream>();
/** Runs while there are paced streams. */
let timer: NodeJS.Timeout | undefined;

function startPacedStream(socket: Socket, eventsLeft: number, periodMs: number): void {
  socket.write(STREAM_HEAD, "latin1");
  pacedStreams.add({ socket, periodMs, eventsLeft, dueAt: performance.now() + periodMs });
  timer ??= setInterval(sendDueEvents, 1);
}

function sendDueEvents(): void {
  const now = performance.now();
  for (const stream of pacedStreams) {
    if (stream.dueAt > now) continue;
    stream.dueAt += stream.periodMs;
    stream.eventsLeft -= 1;
    if (stream.eventsLeft >= 0) stream.socket.write(encodeContentEvent(process.hrtime.bigint()), "latin1");
    else {
      stream.socket.write(STREAM_END, "latin1");
      pacedStreams.delete(stream);
    }
  }
  if (pacedStreams.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/** Answers one request. Only the request for the list of models has no body. */
function answerRequest(socket: Socket, body: string): void {
  if (body === "") return void socket.write(MODEL_LIST, "latin1");
  if (!/"stream":\s*true/.test(body)) return void socket.write(COMPLETION, "latin1");
  const [, count = DEFAULT_EVENT_COUNT, period = 0] = /"model":\s*"events-(\d+)-(\d+)"/.exec(body) ?? [];
  if (Number(period) > 0) startPacedStream(socket, Number(count), Number(period));
  else socket.write(encodeStream(Number(count)), "latin1");
}

function serveConnection(socket: Socket): void {
  let received = "";
  socket.setNoDelay();
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
    for (;;) {
      const bodyStart = received.indexOf("\r\n\r\n") + 4;
      if (bodyStart < 4) return;
      const length = Number(/content-length: *(\d+)/i.exec(received.slice(0, bodyStart))?.[1] ?? 0);
      if (received.length < bodyStart + length) return;
      const body = received.slice(bodyStart, bodyStart + length);
      received = received.slice(bodyStart + length);
      answerRequest(socket, body);
    }
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    for (const stream of pacedStreams) if (stream.socket === socket) pacedStreams.delete(stream);
  });
}

createServer(serveConnection).listen({ port: Number(process.argv[2]), host: "127.0.0.1", backlog: 4096 });

// A model server on raw sockets, as cheap as Node can be one: `events-N-MS` streams N events, MS apart (0: in one write), if asked to stream; else 1 KB of JSON.
// Argument: the port. Knows no gateway.
import { createServer, type Socket } from "node:net";

const IDENTITY =
  '"id":"chatcmpl-9f3KdTqLw2XbVnRz7YhPcM0aSg","created":1763800000,"model":"mock","service_tier":"default"';
const MORE = '"system_fingerprint":"fp_5d1c6a90be"';

/** What stands for the time of sending: a mark that clients count, and nanoseconds of the monotonic clock. */
const STAMP = /<\d{20}>/;

function chunk(data: string): string {
  return `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`;
}

function event(delta: string, finish: string): string {
  const choice = `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}`;
  return chunk(`data: {${IDENTITY},"object":"chat.completion.chunk",${MORE},"choices":[${choice}]}\n\n`);
}

const [BEFORE = "", AFTER = ""] = event(`{"content":"<${"0".repeat(20)}>"}`, "null").split(STAMP);
const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n" +
  event('{"role":"assistant","content":""}', "null");
const STREAM_END = `${event("{}", '"stop"')}${chunk("data: [DONE]\n\n")}0\r\n\r\n`;

function stamped(stamp: bigint): string {
  return `${BEFORE}<${stamp.toString().padStart(20, "0")}>${AFTER}`;
}

/** Whole streams in one piece, by the number of their events. */
const bursts = new Map<number, Buffer>();

function burst(events: number): Buffer {
  const known = bursts.get(events);
  if (known) return known;
  const texts = Array.from({ length: events }, (_, i) => stamped(BigInt(i)));
  const made = Buffer.from(STREAM_HEAD + texts.join("") + STREAM_END, "latin1");
  bursts.set(events, made);
  return made;
}

const WORDS = "At springs the stream through the Goulet runs at five knots, so leave an hour before high water. ";
const MESSAGE = `{"role":"assistant","content":"${WORDS.repeat(5)}","refusal":null,"annotations":[]}`;
const USAGE =
  '{"prompt_tokens":31,"completion_tokens":120,"total_tokens":151,"prompt_tokens_details":{"cached_tokens":0}}';
const WHOLE = whole(
  `{${IDENTITY},"object":"chat.completion",${MORE},"choices":[{"index":0,"message":${MESSAGE},"logprobs":null,"finish_reason":"stop"}],"usage":${USAGE}}`,
);
const MODELS = whole('{"object":"list","data":[]}');

function whole(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

interface Stream {
  readonly socket: Socket;
  readonly periodMs: number;
  left: number;
  dueMs: number;
}

/** Streams whose events come one by one; the clock runs while there are any. */
const paced = new Set<Stream>();
let clock: NodeJS.Timeout | undefined;

function pace(stream: Stream): void {
  paced.add(stream);
  clock ??= setInterval(sendDue, 1);
}

function sendDue(): void {
  const now = performance.now();
  for (const stream of paced) {
    if (stream.dueMs > now) continue;
    stream.dueMs += stream.periodMs;
    stream.left -= 1;
    if (stream.left >= 0) stream.socket.write(stamped(process.hrtime.bigint()), "latin1");
    else {
      stream.socket.write(STREAM_END, "latin1");
      paced.delete(stream);
    }
  }
  if (paced.size > 0) return;
  clearInterval(clock);
  clock = undefined;
}

function answer(socket: Socket, body: string): void {
  const asked = /"model":\s*"events-(\d+)-(\d+)"/.exec(body);
  if (body === "") socket.write(MODELS, "latin1");
  else if (!/"stream":\s*true/.test(body)) socket.write(WHOLE, "latin1");
  else {
    const [left, periodMs] = asked ? [Number(asked[1]), Number(asked[2])] : [200, 0];
    socket.write(periodMs > 0 ? STREAM_HEAD : burst(left), "latin1");
    if (periodMs > 0) pace({ socket, periodMs, left, dueMs: performance.now() + periodMs });
  }
}

function serve(socket: Socket): void {
  let held = "";
  socket.setNoDelay();
  socket.on("data", (bytes) => {
    held += bytes.toString("latin1");
    for (;;) {
      const head = held.indexOf("\r\n\r\n") + 4;
      if (head < 4) return;
      const length = Number(/content-length: *(\d+)/i.exec(held.slice(0, head))?.[1] ?? 0);
      if (held.length < head + length) return;
      const body = held.slice(head, head + length);
      held = held.slice(head + length);
      answer(socket, body);
    }
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    for (const stream of paced) if (stream.socket === socket) paced.delete(stream);
  });
}

createServer(serve).listen({ port: Number(process.argv[2]), host: "127.0.0.1", backlog: 4096 });

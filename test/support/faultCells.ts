// Everything that can go wrong with an upstream's answer, as data: how far it came × how it ends. Knows bytes; refuses to know what the gateway makes of them.
import { gzipSync } from "node:zlib";
import type { Step } from "./RawUpstream.ts";

export interface Fault {
  readonly name: string;
  readonly script: (streamed: boolean) => readonly Step[];
  /** The text that the upstream sent, as far as it came; what a caller gets must be a beginning of it. */
  readonly text: string;
  /** Calls that were sent whole. */
  readonly wholeCalls: number;
  /** `cut`: no success is true. `length`: a success is one that says so. `free`: an answer or a failure. `whole`: must succeed. */
  readonly ending: "cut" | "length" | "free" | "whole";
  /** The exchange came to its proper end, so its connection may be kept. */
  readonly reusable: boolean;
}

const SAID = "Half a sentence, ";
/** Text that goes on for ever, for those that send it. */
const ENDLESS = "y".repeat(1_000);
const ARGUMENTS = '{"city": "Paris"}';
const LEAKED = `<tool_call>\n{"name": "look_up", "arguments": ${ARGUMENTS}}\n</tool_call>`;

const write = (text: string | Buffer): Step => ({ type: "write", bytes: Buffer.from(text as string) });
const OK = "HTTP/1.1 200 OK\r\n";
const EVENTS = `${OK}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`;

/** A piece of a body as HTTP sends it in chunks. */
function framed(piece: string | Buffer): Step {
  const bytes = Buffer.from(piece as string);
  return write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]));
}

const LAST = write("0\r\n\r\n");

function event(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

interface Phase {
  readonly name: string;
  readonly pieces: readonly (string | Buffer)[];
  readonly text: string;
  readonly wholeCalls: number;
  /** All has been said: what follows cannot make it a failure, nor must it. */
  readonly over?: boolean;
  /** In the middle of an event, so that what follows is a part of it. */
  readonly torn?: boolean;
}

const called = (args: string) => ({
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "look_up", arguments: args } }],
});

const PHASES: readonly Phase[] = [
  { name: "behind the headers", pieces: [], text: "", wholeCalls: 0 },
  { name: "behind the role", pieces: [event({ role: "assistant", content: "" })], text: "", wholeCalls: 0 },
  { name: "behind text", pieces: [event({ content: SAID })], text: SAID, wholeCalls: 0 },
  {
    name: "within an event",
    pieces: [event({ content: SAID }), 'data: {"choices":[{"delta":{"cont'],
    text: SAID,
    wholeCalls: 0,
    torn: true,
  },
  {
    name: "within a character",
    pieces: [event({ content: SAID }), Buffer.from('data: {"choices":[{"delta":{"content":"é').subarray(0, -1)],
    text: SAID,
    wholeCalls: 0,
    torn: true,
  },
  { name: "within a thought", pieces: [event({ reasoning_content: "Let me " })], text: "", wholeCalls: 0 },
  {
    name: "within a structured call",
    pieces: [event({ content: SAID }), event(called('{"city": "Par'))],
    text: SAID,
    wholeCalls: 0,
  },
  {
    name: "behind a structured call",
    pieces: [event({ content: SAID }), event(called(ARGUMENTS))],
    text: SAID,
    wholeCalls: 1,
  },
  {
    name: "within a leaked mark",
    pieces: [event({ content: `${SAID}<tool_c` })],
    text: `${SAID}<tool_c`,
    wholeCalls: 0,
  },
  {
    name: "within a leaked call",
    pieces: [event({ content: SAID }), event({ content: LEAKED.slice(0, 50) })],
    text: SAID,
    wholeCalls: 0,
  },
  {
    name: "behind a leaked call",
    pieces: [event({ content: SAID }), event({ content: LEAKED })],
    text: SAID,
    wholeCalls: 1,
  },
  {
    name: "within a second leaked call",
    pieces: [event({ content: SAID }), event({ content: `${LEAKED}\n${LEAKED.slice(0, 50)}` })],
    text: SAID,
    wholeCalls: 1,
  },
  {
    name: "behind the finish reason",
    pieces: [event({ content: SAID }), event({}, "stop")],
    text: SAID,
    wholeCalls: 0,
    over: true,
  },
  {
    name: "behind `[DONE]`",
    pieces: [event({ content: SAID }), event({}, "stop"), "data: [DONE]\n\n"],
    text: SAID,
    wholeCalls: 0,
    over: true,
  },
];

interface End {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Absent: `cut`. */
  readonly ending?: Fault["ending"];
  readonly reusable?: boolean;
  /** Text that it adds. */
  readonly text?: string;
}

const drip = (piece: string, everyMs = 20): Step => {
  const { bytes } = framed(piece) as { readonly bytes: Buffer };
  return { type: "drip", bytes, everyMs };
};

const ENDS: readonly End[] = [
  { name: "silence", steps: [{ type: "silence" }] },
  { name: "a reset", steps: [{ type: "pause", ms: 5 }, { type: "reset" }] },
  { name: "a closed connection", steps: [{ type: "end" }] },
  { name: "a clean end without a word", steps: [LAST], reusable: true },
  {
    name: "an error event",
    steps: [framed('\n\ndata: {"error": {"message": "the engine died", "code": 500}}\n\n'), LAST],
    reusable: true,
  },
  {
    name: "an event of the type error",
    steps: [framed("\n\nevent: error\ndata: the engine died\n\n"), LAST],
    reusable: true,
  },
  {
    name: "an error event in HTML",
    steps: [framed('\n\nevent: error\ndata: <html><body onload="x()">502</body></html>\n\n'), LAST],
    reusable: true,
  },
  { name: "an event that is no JSON", steps: [framed("\n\ndata: {oops}\n\n"), LAST], reusable: true },
  { name: "a page of HTML", steps: [framed("\n\n<!doctype html><h1>502 Bad Gateway</h1>\n\n"), LAST], reusable: true },
  { name: "comments for ever", steps: [drip(": nothing yet\n\n")] },
  { name: "empty deltas for ever", steps: [drip(`\n\n${event({})}`)] },
  { name: "roles for ever", steps: [drip(`\n\n${event({ role: "assistant", content: "" })}`)] },
  { name: "unknown fields for ever", steps: [drip(`\n\n${event({ audio: "AAAA" })}`)] },
  { name: "blank lines for ever", steps: [drip("\n\n")] },
  { name: "a byte of a line at a time", steps: [framed("\n\ndata: "), drip("x")] },
  { name: "a line without end", steps: [framed("\n\ndata: {"), drip("x".repeat(65_536), 0)] },
  { name: "text without end", steps: [drip(`\n\n${event({ content: ENDLESS })}`, 2)], text: ENDLESS },
  {
    name: "a finish reason `error`",
    steps: [framed(`\n\n${event({}, "error")}data: [DONE]\n\n`), LAST],
    reusable: true,
  },
  {
    name: "a finish reason `length`",
    steps: [framed(`\n\n${event({}, "length")}data: [DONE]\n\n`), LAST],
    ending: "length",
    reusable: true,
  },
  { name: "a chunk of no size", steps: [write("zz\r\nhello\r\n")] },
  { name: "zeros", steps: [framed(Buffer.alloc(2_048)), LAST], reusable: true },
];

/** What a stream is broken by, at each of its phases. */
function brokenStreams(): readonly Fault[] {
  return PHASES.flatMap((phase) =>
    ENDS.map((end): Fault => {
      // What follows half an event belongs to that event: only its loss is certain.
      const endless = end.text !== undefined && !phase.torn && !phase.over ? end.text.repeat(400) : "";
      return {
        name: `${end.name} ${phase.name}`,
        script: () => [write(EVENTS), ...phase.pieces.map(framed), ...end.steps],
        text: phase.text + endless,
        wholeCalls: phase.wholeCalls,
        ending: phase.over || (phase.torn && end.ending) ? "free" : (end.ending ?? "cut"),
        reusable: end.reusable ?? false,
      };
    }),
  );
}

const MESSAGE = { role: "assistant", content: SAID };

function document(message: object, finish: string | null = "stop"): string {
  const choices = [{ index: 0, message, finish_reason: finish }];
  return JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices });
}

const json = (body: string, length: number = Buffer.byteLength(body)): string =>
  `${OK}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;

function fault(name: string, steps: readonly Step[], more: Partial<Fault> = {}): Fault {
  return { name, script: () => steps, text: "", wholeCalls: 0, ending: "cut", reusable: false, ...more };
}

const WAYS_TO_END: readonly { readonly name: string; readonly steps: readonly Step[] }[] = [
  { name: "silence", steps: [{ type: "silence" }] },
  { name: "a reset", steps: [{ type: "pause", ms: 5 }, { type: "reset" }] },
  { name: "a closed connection", steps: [{ type: "end" }] },
];

/** Answers that are one JSON document, and what comes before any answer. */
function brokenDocuments(): readonly Fault[] {
  const text = document(MESSAGE);
  const call = document({ ...MESSAGE, ...called(ARGUMENTS) }, "tool_calls");
  const starts = [
    { name: "before a word", start: "" },
    { name: "within the status line", start: "HTTP/1.1 20" },
    { name: "within the headers", start: `${OK}content-type: appl` },
    { name: "behind a document's headers", start: json("", 500) },
    { name: "within a document's text", start: json(text.slice(0, text.indexOf("sentence")), text.length) },
    { name: "within a document's call", start: json(call.slice(0, call.indexOf("Par")), call.length) },
    { name: "before a document's last brace", start: json(text.slice(0, -1), text.length) },
    { name: "behind a document that is announced as longer", start: json(text, text.length + 10) },
    {
      name: "within an error's body",
      start: 'HTTP/1.1 500 Oh\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"error":',
    },
    {
      name: "within a refusal's body",
      start: 'HTTP/1.1 400 No\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"error":',
    },
  ];
  const broken = starts.flatMap(({ name, start }) =>
    WAYS_TO_END.map((end) => fault(`${end.name} ${name}`, [write(start), ...end.steps], { text: SAID })),
  );
  const drips = starts.map(({ name, start }) =>
    fault(`a blank at a time ${name}`, [write(start), { type: "drip", bytes: Buffer.from(" "), everyMs: 20 }], {
      text: SAID,
      // The blanks may be what a document's announced length still wants.
      ending: name.includes("announced as longer") ? "free" : "cut",
    }),
  );
  return [...broken, ...drips];
}

const STATUSES = [204, 301, 307, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 501, 502, 503, 504, 529];

const BODIES: readonly (readonly [string, string, string])[] = [
  ["an error in JSON", "application/json", '{"error": {"message": "no", "type": "x", "code": "y"}}'],
  ["HTML", "text/html", "<html><h1>no</h1></html>"],
  ["nothing", "text/plain", ""],
];

function statuses(): readonly Fault[] {
  return STATUSES.flatMap((status) =>
    BODIES.map(([what, type, body]) => {
      const sent = status === 204 ? "" : body;
      const head = `HTTP/1.1 ${status} X\r\nlocation: http://127.0.0.1:9/\r\ncontent-type: ${type}\r\n`;
      const length = status === 204 ? "" : `content-length: ${sent.length}\r\n`;
      return fault(`status ${status} with ${what}`, [write(`${head}${length}\r\n${sent}`)], { reusable: true });
    }),
  );
}

function retryAfters(): readonly Fault[] {
  const values = [
    "0",
    "1",
    "-1",
    "1e9",
    "99999999999",
    "soon",
    "Wed, 21 Oct 2099 07:28:00 GMT",
    "0x10",
    " 2 3",
    "NaN",
    "1, 2",
  ];
  return values.map((value) =>
    fault(
      `429 with Retry-After: ${value}`,
      [
        write(
          `HTTP/1.1 429 Slow\r\nretry-after: ${value}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
        ),
      ],
      { reusable: true },
    ),
  );
}

/** Bodies that came whole and are wrong, and HTTP that is none. */
function oddAnswers(): readonly Fault[] {
  const documents: readonly (readonly [string, string])[] = [
    ["`null`", "null"],
    ["an empty object", "{}"],
    ["no choices", '{"choices": []}'],
    ["choices that are null", '{"choices": null}'],
    ["a choice that is null", '{"choices": [null]}'],
    ["a choice without a message", '{"choices": [{"index": 0, "finish_reason": null}]}'],
    ["a message without a finish reason", document(MESSAGE, null)],
    ["the finish reason `error`", document(MESSAGE, "error")],
    ["an error beside choices", '{"error": {"message": "no"}, "choices": []}'],
    ["a list", "[]"],
    ["a number", "7"],
    ["a document that is broken", '{"choices": [{"message": {"content": "x"'],
    ["deep brackets", "[".repeat(100_000)],
  ];
  const compressed = gzipSync(document(MESSAGE));
  const packed = (encoding: string, bytes: Buffer): readonly Step[] => [
    write(
      `${OK}content-type: application/json\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    ),
    write(bytes),
  ];
  return [
    ...documents.map(([what, body]) =>
      fault(`a document of ${what}`, [write(json(body))], {
        reusable: true,
        text: SAID,
        ending: what.includes("without a finish") ? "free" : "cut",
      }),
    ),
    ...documents.map(([what, body]) =>
      fault(`an event of ${what}`, [write(EVENTS), framed(`data: ${body}\n\n`), LAST], { reusable: true, text: SAID }),
    ),
    fault("an image", [write(`${OK}content-type: image/png\r\ncontent-length: 4\r\n\r\n\x89PNG`)], { reusable: true }),
    fault("HTML with 200", [write(`${OK}content-type: text/html\r\ncontent-length: 15\r\n\r\n<html>no</html>`)], {
      reusable: true,
    }),
    fault("an empty body with 200", [write(json(""))], { reusable: true }),
    fault("an empty stream", [write(EVENTS), LAST], { reusable: true }),
    fault("`[DONE]` alone", [write(EVENTS), framed("data: [DONE]\n\n"), LAST], { reusable: true }),
    fault("`[DONE]` behind a role", [write(EVENTS), framed(`${event({ role: "assistant" })}data: [DONE]\n\n`), LAST], {
      reusable: true,
    }),
    fault("gzip that is cut", packed("gzip", compressed.subarray(0, -12)), { text: SAID, reusable: true }),
    fault("gzip that is none", packed("gzip", Buffer.from(document(MESSAGE))), { reusable: true }),
    fault("an encoding that nobody knows", packed("zstd-2", Buffer.from(document(MESSAGE))), {
      text: SAID,
      reusable: true,
      ending: "free",
    }),
    fault("gzip twice", packed("gzip, gzip", gzipSync(compressed)), { text: SAID, reusable: true, ending: "free" }),
    fault("two lengths", [write(`${OK}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`)]),
    fault("a length that is none", [write(`${OK}content-length: five\r\n\r\nhello`)]),
    fault("a length beside chunks", [
      write(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
    ]),
    fault("headers of 200 KB", [write(`${OK}x: ${"y".repeat(200_000)}\r\n\r\n`)]),
    fault("10,000 headers", [write(OK + "x: y\r\n".repeat(10_000)), { type: "silence" }]),
    fault("a header that never ends", [write(`${OK}x: `), { type: "drip", bytes: Buffer.from("y"), everyMs: 20 }]),
    fault("no HTTP", [write("SSH-2.0-OpenSSH_9.6\r\n")]),
    fault("HTTP/3.0", [write("HTTP/3.0 200 OK\r\ncontent-length: 0\r\n\r\n")]),
    fault("100 Continue for ever", [
      { type: "drip", bytes: Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"), everyMs: 20 },
    ]),
    fault("a switch of protocols", [write("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n")]),
    fault(
      "a second answer behind the first",
      [write(json(document(MESSAGE)) + json(document({ content: "smuggled" })))],
      { text: SAID, ending: "free" },
    ),
  ];
}

/** Answers without a fault: where these fail, the matrix itself is wrong. */
function soundAnswers(): readonly Fault[] {
  const sound = { ending: "whole", reusable: true, text: SAID } as const;
  return [
    {
      ...fault("a sound answer", [], sound),
      script: (streamed) => (streamed ? soundStream() : [write(json(document(MESSAGE)))]),
    },
    fault("a sound stream for whoever asks", soundStream(), sound),
    fault("a sound document for whoever asks", [write(json(document(MESSAGE)))], sound),
    fault(
      "a sound structured call",
      [write(EVENTS), framed(event(called(ARGUMENTS))), framed(`${event({}, "tool_calls")}data: [DONE]\n\n`), LAST],
      { ...sound, text: "", wholeCalls: 1 },
    ),
  ];
}

function soundStream(): readonly Step[] {
  return [write(EVENTS), framed(event({ content: SAID })), framed(`${event({}, "stop")}data: [DONE]\n\n`), LAST];
}

export const FAULTS: readonly Fault[] = [
  ...brokenStreams(),
  ...brokenDocuments(),
  ...statuses(),
  ...retryAfters(),
  ...oddAnswers(),
  ...soundAnswers(),
];

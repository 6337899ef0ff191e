// Answers of an upstream that are made to cost time: marks, calls, fields and events up to every default limit.
import { gzipSync } from "node:zlib";
import type { Attack } from "./attacks.ts";
import { type Answer, deltas, event, says, send, streams, whole } from "./HostileUpstream.ts";
import { longNames, NEEDS_NUMBER, TAKES_ANYTHING, tool } from "./hostileTools.ts";

const MB = 1024 * 1024;
/** Just below `limits.answer_chars`. */
const ANSWER = 8_380_000;
/** Just below `limits.capture_chars`. */
const CAPTURE = 260_000;
/** Just below `limits.call_chars`. */
const CALL = 1_048_000;

const fill = (text: string, characters: number): string =>
  text.repeat(Math.ceil(characters / text.length)).slice(0, characters);

const hermes = (args: string): string => `<tool_call>{"name": "f", "arguments": ${args}}</tool_call>`;

const rows = (characters: number): string => {
  const row = { buoy: "Brest North", depth: 12.5, lit: true, seen: [3, 4] };
  return JSON.stringify({ a: Array.from({ length: Math.floor(characters / 62) }, () => row) });
};

const broken = (args: string): string =>
  args.replaceAll("true", "True").replaceAll('"seen"', "seen").replace(/\}$/, ",}");

const any = () => ({ tools: TAKES_ANYTHING });
const anyStreamed = () => ({ tools: TAKES_ANYTHING, stream: true });
const text = { "x-postel-tool-mode": "text" };

/** The same text whole and streamed. */
function both(name: string, words: () => string, body: () => object = any): readonly Attack[] {
  return [
    { name, body, answer: () => says(words()) },
    { name: `${name}, streamed`, body: () => ({ ...body(), stream: true }), answer: () => says(words()) },
  ];
}

export function hostileAnswers(): readonly Attack[] {
  return [
    ...both("8 MB of prose", () => fill("Sounding seven fathoms by the mark. ", ANSWER)),
    ...both(
      "8 MB of call marks",
      () => fill("<function=f>", ANSWER),
      () => ({ tools: NEEDS_NUMBER }),
    ),
    ...both("8 MB of marks of many families", () =>
      fill(
        '<tool_call>[TOOL_CALLS]<|tool_calls_section_begin|><invoke name="f">```json\n{"name": ✿FUNCTION✿: ',
        ANSWER,
      ),
    ),
    ...both("literal call marks inside reasoning", () => `<think>${fill("[TOOL_CALLS]", ANSWER - 7)}`),
    ...both("a call of 250 KB", () => hermes(rows(CAPTURE))),
    ...both("a broken call of 250 KB", () => hermes(broken(rows(CAPTURE)))),
    ...both("a call of 250 KB of brackets", () =>
      hermes(`{"a": ${"[".repeat(CAPTURE / 2 - 100)}${"]".repeat(CAPTURE / 2 - 100)}}`),
    ),
    ...both("a half-broken object of 250 KB", () =>
      hermes(`{"a": {${fill('"k": "x" "l": [1, 2 "m" ', CAPTURE - 100)}}}`),
    ),
    ...both("a call of 250 KB of quotes", () => hermes(`{"a": "${fill('" x \\" ', CAPTURE - 100)}"}`)),
    ...both("30 broken calls of 250 KB", () => fill(hermes(broken(rows(CAPTURE))), ANSWER)),
    ...both("a python call with a list of 100,000", () => `[f(a=[${fill("1,", CAPTURE - 100)}1])]`),
    ...both("python calls without number", () => `[${fill("f(a='x'), ", CAPTURE - 100)}f(a=1)]`),
    ...both(
      "entities without number",
      () => `<function=f><parameter=a>${fill("&amp;&lt;&#65;&bogus;", CAPTURE - 100)}</parameter></function>`,
    ),
    ...both(
      "elements without number",
      () => `<tool_call><name>f</name><arguments>${fill("<k>v</k>", CAPTURE - 100)}</arguments></tool_call>`,
    ),
    ...both("8 MB of newlines", () => `x${fill("\n", ANSWER)}`),
    ...both("8 MB of blanks", () => fill(" \t", ANSWER)),
    ...both("8 MB of backticks", () => fill("`", ANSWER)),
    ...both("8 MB of fences", () => fill('```json\n{"name": "f", "arguments": {"a": 1}}\n', ANSWER)),
    ...both(
      "8,000 unknown calls beside 128 long names",
      () => fill('<tool_call>{"name": "no", "arguments": {}}</tool_call>', 8_000 * 54),
      () => ({ tools: longNames() }),
    ),
    ...both("thousands of calls that fit", () => fill(hermes('{"a": 1}'), 4 * MB)),
    ...both(
      "calls of a wrong type",
      () => fill(hermes('{"a": "x"}'), 4 * MB),
      () => ({ tools: NEEDS_NUMBER }),
    ),
    {
      name: "8 MB of `Action:` lines",
      headers: text,
      body: any,
      answer: () => says(fill('Thought: x\nAction: f\nAction Input: {"a": 1}\n', ANSWER)),
    },
    {
      name: "8 MB of `Action:` lines, streamed",
      headers: text,
      body: anyStreamed,
      answer: () => says(fill("Action: f\n", ANSWER)),
    },
    {
      name: "8 MB of marks in 500,000 pieces",
      body: anyStreamed,
      answer: () => streams(() => deltas(fill("<tool_call>[TOOL_CALLS]", 499_000 * 16), 16), "stop"),
    },
    { name: "a native call in 160,000 fragments", body: anyStreamed, answer: () => nativeFragments(160_000, 6) },
    { name: "a native name in 100,000 fragments", body: anyStreamed, answer: nameFragments },
    {
      name: "128 native calls of 64 KiB",
      body: any,
      answer: () => nativeCalls(128, JSON.stringify({ a: "x".repeat(65_000) })),
    },
    {
      name: "128 native calls of 64 KiB that need mending",
      body: any,
      answer: () => nativeCalls(128, broken(rows(64_000))),
    },
    { name: "a native call of 1 MiB that needs mending", body: any, answer: () => nativeCalls(1, broken(rows(CALL))) },
    {
      name: "a native call of 1 MiB of quotes",
      body: any,
      answer: () => nativeCalls(1, `{"a": "${fill('" x ', CALL)}`),
    },
    {
      name: "a native call of 1 MiB of wrong types",
      body: () => ({
        tools: [tool({ type: "object", properties: { a: { type: "array", items: { type: "integer" } } } })],
      }),
      answer: () => nativeCalls(1, `{"a": [${fill('"7",', CALL - 20)}"7"]}`),
    },
    {
      name: "8 MB of JSON where an object was asked for",
      body: () => ({ response_format: { type: "json_object" } }),
      answer: () => says(rows(ANSWER)),
    },
    {
      name: "8 MB of broken JSON where a schema was asked for",
      body: () => ({
        stream: true,
        response_format: { type: "json_schema", json_schema: { name: "o", schema: { type: "object" } } },
      }),
      answer: () => says(broken(rows(ANSWER))),
    },
    {
      name: "8 MB that nearly stop",
      body: () => ({ stop: [`${"a".repeat(200)}b`, "aab"] }),
      answer: () => says(fill("a", ANSWER)),
    },
    {
      name: "unknown fields of 8 MB",
      body: () => ({ stream: true }),
      answer: () => events(120, { junk: "j".repeat(65_536) }),
    },
    {
      name: "unknown nested fields",
      body: () => ({ stream: true }),
      answer: () => events(100, { junk: Array.from({ length: 6_000 }, (_, i) => ({ [`k${i}`]: 1 })) }),
    },
    {
      name: "annotations without number, collected",
      body: () => ({}),
      answer: () => events(200_000, {}, { annotations: [{ type: "a" }], content: "x" }),
    },
    { name: "500,000 empty deltas", body: () => ({ stream: true }), answer: () => events(499_000, {}, {}) },
    { name: "comments for five seconds", body: () => ({ stream: true }), answer: comments },
    {
      name: "a line of 100 MB",
      body: () => ({ stream: true }),
      answer: () => longBody("text/event-stream", 'data: {"x":"', 100 * MB),
    },
    { name: "a body of 100 MB", body: () => ({}), answer: () => longBody("application/json", '{"x":"', 100 * MB) },
    { name: "a gzip bomb", body: () => ({}), answer: () => gzipBomb("application/json") },
    { name: "a gzip bomb, streamed", body: () => ({ stream: true }), answer: () => gzipBomb("text/event-stream") },
    { name: "1,000 calls of the gateway's own tool", path: "/v1/agent", body: () => ({}), answer: ownCalls },
    {
      name: "an agent's turns of 250 KB",
      path: "/v1/agent",
      headers: text,
      body: () => ({ stream: true }),
      answer: () => says(`${fill("Thought: x\n", CAPTURE)}Action: calculator\nAction Input: {"expression": "1+1"}\n`),
    },
  ];
}

function nativeFragments(count: number, size: number): Answer {
  return streams(function* () {
    yield { tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: '{"a":"' } }] };
    for (let i = 0; i < count; i += 1) yield { tool_calls: [{ index: 0, function: { arguments: "x".repeat(size) } }] };
    yield { tool_calls: [{ index: 0, function: { arguments: '"}' } }] };
  }, "tool_calls");
}

function nameFragments(): Answer {
  return streams(function* () {
    yield { tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: "" } }] };
    for (let i = 0; i < 100_000; i += 1) yield { tool_calls: [{ index: 0, function: { name: "f_f_f_f_" } }] };
  }, "tool_calls");
}

function nativeCalls(count: number, args: string): Answer {
  const calls = Array.from({ length: count }, (_, i) => ({
    ...{ index: i, id: `c${i}`, type: "function" },
    function: { name: "f", arguments: args },
  }));
  return whole({ content: null, tool_calls: calls }, "tool_calls");
}

function ownCalls(): Answer {
  let asked = 0;
  return (response, request) => {
    asked += 1;
    const calls = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ index: i, id: `c${i}`, type: "function" },
      function: { name: "calculator", arguments: JSON.stringify({ expression: `${asked} + ${i}` }) },
    }));
    return whole({ content: null, tool_calls: calls }, "tool_calls")(response, request);
  };
}

/** So many events with these fields of their own beside a delta. */
function events(count: number, fields: object, delta: object = { content: "x" }): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const one = event([{ index: 0, delta, finish_reason: null }], fields);
    const at = Math.max(1, Math.floor(65_536 / one.length));
    for (let sent = 0; sent < count; sent += at) await send(response, one.repeat(Math.min(at, count - sent)));
    response.end(`${event([{ index: 0, delta: {}, finish_reason: "stop" }])}data: [DONE]\n\n`);
  };
}

function comments(): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const piece = ": nothing yet\n\n".repeat(4_000);
    for (const end = performance.now() + 5_000; performance.now() < end; ) await send(response, piece);
    await says("ok")(response, { model: "", stream: true });
  };
}

function longBody(type: string, head: string, bytes: number): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": type });
    const piece = "x".repeat(65_536);
    await send(response, head);
    for (let sent = 0; sent < bytes; sent += piece.length) await send(response, piece);
    response.end('"}\n\n');
  };
}

/** A gigabyte of blanks as one megabyte. */
function gzipBomb(type: string): Answer {
  const member = gzipSync(Buffer.alloc(16 * MB, " "));
  return async (response) => {
    response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
    for (let i = 0; i < 64; i += 1) await send(response, member);
    response.end();
  };
}

// Creates answers of an upstream that are expensive to process: markers, calls, fields and events, each up to a default limit.
import { gzipSync } from "node:zlib";
import type { Attack } from "./attacks.ts";
import {
  type Answer,
  answerWithEvents,
  answerWithMessage,
  answerWithText,
  formatEvent,
  STREAM_END,
  splitIntoDeltas,
  writeWithBackpressure,
} from "./HostileUpstream.ts";
import { createLongNamedTools, createTool, TOOL_WITH_ANY_VALUE, TOOL_WITH_INTEGER } from "./hostileTools.ts";

const MB = 1024 * 1024;
/** Characters of one write. */
const WRITE_CHARS = 65_536;
/** Characters just below `limits.answer_chars`. */
const ANSWER_CHARS = 8_380_000;
/** Characters just below `limits.capture_chars`. */
const CAPTURE_CHARS = 260_000;
/** Characters just below `limits.call_chars`. */
const CALL_CHARS = 1_048_000;

const TEXT_MODE = { "x-postel-tool-mode": "text" };

const createAnyToolBody = () => ({ tools: TOOL_WITH_ANY_VALUE });
const createAnyToolStreamBody = () => ({ tools: TOOL_WITH_ANY_VALUE, stream: true });
const createEmptyBody = () => ({});
const createStreamBody = () => ({ stream: true });

/** Repeats `part` up to exactly `length` characters. */
function repeatToLength(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length);
}

/** Returns a call of the tool `f` in Hermes format. */
function formatHermesCall(args: string): string {
  return `<tool_call>{"name": "f", "arguments": ${args}}</tool_call>`;
}

/** Returns arguments of about `length` characters: an array of small objects. */
function createRows(length: number): string {
  const row = { buoy: "Brest North", depth: 12.5, lit: true, seen: [3, 4] };
  return JSON.stringify({ a: Array.from({ length: Math.floor(length / 62) }, () => row) });
}

/** Adds faults that models make: Python's `True`, keys without quotes, a trailing comma. */
function breakJson(json: string): string {
  return json.replaceAll("true", "True").replaceAll('"seen"', "seen").replace(/\}$/, ",}");
}

/** Returns two attacks whose answer is the same text, once as one JSON body and once as a stream. */
function createTextAttacks(
  name: string,
  createText: () => string,
  createBody: () => object = createAnyToolBody,
): readonly Attack[] {
  const createAnswer = () => answerWithText(createText());
  return [
    { name, createBody, createAnswer },
    { name: `${name}, streamed`, createBody: () => ({ ...createBody(), stream: true }), createAnswer },
  ];
}

/** Returns the attacks whose answers are hostile. */
export function createHostileAnswers(): readonly Attack[] {
  return [
    ...createTextAttacks("8 MB of prose", () => repeatToLength("Sounding seven fathoms by the mark. ", ANSWER_CHARS)),
    ...createTextAttacks(
      "8 MB of call markers",
      () => repeatToLength("<function=f>", ANSWER_CHARS),
      () => ({ tools: TOOL_WITH_INTEGER }),
    ),
    ...createTextAttacks("8 MB of markers of many formats", () =>
      repeatToLength(
        '<tool_call>[TOOL_CALLS]<|tool_calls_section_begin|><invoke name="f">```json\n{"name": ✿FUNCTION✿: ',
        ANSWER_CHARS,
      ),
    ),
    ...createTextAttacks(
      "call markers inside reasoning",
      () => `<think>${repeatToLength("[TOOL_CALLS]", ANSWER_CHARS - 7)}`,
    ),
    ...createTextAttacks("a call of 250 KB", () => formatHermesCall(createRows(CAPTURE_CHARS))),
    ...createTextAttacks("a malformed call of 250 KB", () => formatHermesCall(breakJson(createRows(CAPTURE_CHARS)))),
    ...createTextAttacks("a call of 250 KB of brackets", () =>
      formatHermesCall(`{"a": ${"[".repeat(CAPTURE_CHARS / 2 - 100)}${"]".repeat(CAPTURE_CHARS / 2 - 100)}}`),
    ),
    ...createTextAttacks("an object of 250 KB without commas", () =>
      formatHermesCall(`{"a": {${repeatToLength('"k": "x" "l": [1, 2 "m" ', CAPTURE_CHARS - 100)}}}`),
    ),
    ...createTextAttacks("a call of 250 KB of quotes", () =>
      formatHermesCall(`{"a": "${repeatToLength('" x \\" ', CAPTURE_CHARS - 100)}"}`),
    ),
    ...createTextAttacks("30 malformed calls of 250 KB", () =>
      repeatToLength(formatHermesCall(breakJson(createRows(CAPTURE_CHARS))), ANSWER_CHARS),
    ),
    ...createTextAttacks(
      "a Python call with a list of 130,000 items",
      () => `[f(a=[${repeatToLength("1,", CAPTURE_CHARS - 100)}1])]`,
    ),
    ...createTextAttacks("20,000 Python calls", () => `[${repeatToLength("f(a='x'), ", CAPTURE_CHARS - 100)}f(a=1)]`),
    ...createTextAttacks(
      "20,000 XML entities",
      () =>
        `<function=f><parameter=a>${repeatToLength("&amp;&lt;&#65;&bogus;", CAPTURE_CHARS - 100)}</parameter></function>`,
    ),
    ...createTextAttacks(
      "30,000 XML elements",
      () =>
        `<tool_call><name>f</name><arguments>${repeatToLength("<k>v</k>", CAPTURE_CHARS - 100)}</arguments></tool_call>`,
    ),
    ...createTextAttacks("8 MB of newlines", () => `x${repeatToLength("\n", ANSWER_CHARS)}`),
    ...createTextAttacks("8 MB of spaces and tabs", () => repeatToLength(" \t", ANSWER_CHARS)),
    ...createTextAttacks("8 MB of backticks", () => repeatToLength("`", ANSWER_CHARS)),
    ...createTextAttacks("8 MB of code fences", () =>
      repeatToLength('```json\n{"name": "f", "arguments": {"a": 1}}\n', ANSWER_CHARS),
    ),
    ...createTextAttacks(
      "8,000 calls of an unknown tool, 128 tools with long names",
      () => repeatToLength('<tool_call>{"name": "no", "arguments": {}}</tool_call>', 8_000 * 54),
      () => ({ tools: createLongNamedTools() }),
    ),
    ...createTextAttacks("80,000 valid calls", () => repeatToLength(formatHermesCall('{"a": 1}'), 4 * MB)),
    ...createTextAttacks(
      "80,000 calls with an argument of the wrong type",
      () => repeatToLength(formatHermesCall('{"a": "x"}'), 4 * MB),
      () => ({ tools: TOOL_WITH_INTEGER }),
    ),
    {
      name: "8 MB of `Action:` lines",
      headers: TEXT_MODE,
      createBody: createAnyToolBody,
      createAnswer: () =>
        answerWithText(repeatToLength('Thought: x\nAction: f\nAction Input: {"a": 1}\n', ANSWER_CHARS)),
    },
    {
      name: "8 MB of `Action:` lines, streamed",
      headers: TEXT_MODE,
      createBody: createAnyToolStreamBody,
      createAnswer: () => answerWithText(repeatToLength("Action: f\n", ANSWER_CHARS)),
    },
    {
      name: "8 MB of markers in 500,000 chunks",
      createBody: createAnyToolStreamBody,
      createAnswer: () =>
        answerWithEvents(() => splitIntoDeltas(repeatToLength("<tool_call>[TOOL_CALLS]", 499_000 * 16), 16), "stop"),
    },
    {
      name: "a native call in 160,000 fragments",
      createBody: createAnyToolStreamBody,
      createAnswer: () => answerWithCallFragments(160_000, 6),
    },
    {
      name: "the name of a native call in 100,000 fragments",
      createBody: createAnyToolStreamBody,
      createAnswer: answerWithNameFragments,
    },
    {
      name: "128 native calls of 64 KiB",
      createBody: createAnyToolBody,
      createAnswer: () => answerWithNativeCalls(128, JSON.stringify({ a: "x".repeat(65_000) })),
    },
    {
      name: "128 malformed native calls of 64 KiB",
      createBody: createAnyToolBody,
      createAnswer: () => answerWithNativeCalls(128, breakJson(createRows(64_000))),
    },
    {
      name: "a malformed native call of 1 MiB",
      createBody: createAnyToolBody,
      createAnswer: () => answerWithNativeCalls(1, breakJson(createRows(CALL_CHARS))),
    },
    {
      name: "a native call of 1 MiB of quotes",
      createBody: createAnyToolBody,
      createAnswer: () => answerWithNativeCalls(1, `{"a": "${repeatToLength('" x ', CALL_CHARS)}`),
    },
    {
      name: "a native call of 1 MiB with items of the wrong type",
      createBody: () => ({
        tools: [createTool({ type: "object", properties: { a: { type: "array", items: { type: "integer" } } } })],
      }),
      createAnswer: () => answerWithNativeCalls(1, `{"a": [${repeatToLength('"7",', CALL_CHARS - 20)}"7"]}`),
    },
    {
      name: "8 MB of JSON for response_format json_object",
      createBody: () => ({ response_format: { type: "json_object" } }),
      createAnswer: () => answerWithText(createRows(ANSWER_CHARS)),
    },
    {
      name: "8 MB of malformed JSON for response_format json_schema",
      createBody: () => ({
        stream: true,
        response_format: { type: "json_schema", json_schema: { name: "o", schema: { type: "object" } } },
      }),
      createAnswer: () => answerWithText(breakJson(createRows(ANSWER_CHARS))),
    },
    {
      name: "8 MB of near matches of a stop sequence",
      createBody: () => ({ stop: [`${"a".repeat(200)}b`, "aab"] }),
      createAnswer: () => answerWithText(repeatToLength("a", ANSWER_CHARS)),
    },
    {
      name: "unknown fields of 8 MB",
      createBody: createStreamBody,
      createAnswer: () => answerWithRepeatedEvent(120, { junk: "j".repeat(65_536) }),
    },
    {
      name: "unknown nested fields",
      createBody: createStreamBody,
      createAnswer: () =>
        answerWithRepeatedEvent(100, { junk: Array.from({ length: 6_000 }, (_, i) => ({ [`k${i}`]: 1 })) }),
    },
    {
      name: "200,000 events with annotations, not streamed",
      createBody: createEmptyBody,
      createAnswer: () => answerWithRepeatedEvent(200_000, {}, { annotations: [{ type: "a" }], content: "x" }),
    },
    {
      name: "500,000 empty deltas",
      createBody: createStreamBody,
      createAnswer: () => answerWithRepeatedEvent(499_000, {}, {}),
    },
    { name: "five seconds of comments", createBody: createStreamBody, createAnswer: answerWithComments },
    {
      name: "a line of 100 MB",
      createBody: createStreamBody,
      createAnswer: () => answerWithLongBody("text/event-stream", 'data: {"x":"', 100 * MB),
    },
    {
      name: "a body of 100 MB",
      createBody: createEmptyBody,
      createAnswer: () => answerWithLongBody("application/json", '{"x":"', 100 * MB),
    },
    { name: "a gzip bomb", createBody: createEmptyBody, createAnswer: () => answerWithGzipBomb("application/json") },
    {
      name: "a gzip bomb, streamed",
      createBody: createStreamBody,
      createAnswer: () => answerWithGzipBomb("text/event-stream"),
    },
    {
      name: "turns of 1,000 calls of a built-in tool",
      path: "/v1/agent",
      createBody: createEmptyBody,
      createAnswer: answerWithCalculatorCalls,
    },
    {
      name: "agent turns of 250 KB",
      path: "/v1/agent",
      headers: TEXT_MODE,
      createBody: createStreamBody,
      createAnswer: () =>
        answerWithText(
          `${repeatToLength("Thought: x\n", CAPTURE_CHARS)}Action: calculator\nAction Input: {"expression": "1+1"}\n`,
        ),
    },
  ];
}

/** Streams one call whose arguments are `count` fragments of `size` characters. */
function answerWithCallFragments(count: number, size: number): Answer {
  return answerWithEvents(function* () {
    yield { tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: '{"a":"' } }] };
    for (let i = 0; i < count; i += 1) yield { tool_calls: [{ index: 0, function: { arguments: "x".repeat(size) } }] };
    yield { tool_calls: [{ index: 0, function: { arguments: '"}' } }] };
  }, "tool_calls");
}

/** Streams one call whose name is 100,000 fragments. */
function answerWithNameFragments(): Answer {
  return answerWithEvents(function* () {
    yield { tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: "" } }] };
    for (let i = 0; i < 100_000; i += 1) yield { tool_calls: [{ index: 0, function: { name: "f_f_f_f_" } }] };
  }, "tool_calls");
}

/** Answers with one message that holds `count` native calls of the tool `f`. */
function answerWithNativeCalls(count: number, args: string): Answer {
  const calls = Array.from({ length: count }, (_, i) => ({
    ...{ index: i, id: `c${i}`, type: "function" },
    function: { name: "f", arguments: args },
  }));
  return answerWithMessage({ content: null, tool_calls: calls }, "tool_calls");
}

/** Answers each turn of an agent with 1,000 calls of the calculator. */
function answerWithCalculatorCalls(): Answer {
  let turn = 0;
  return (response, request) => {
    turn += 1;
    const calls = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ index: i, id: `c${i}`, type: "function" },
      function: { name: "calculator", arguments: JSON.stringify({ expression: `${turn} + ${i}` }) },
    }));
    return answerWithMessage({ content: null, tool_calls: calls }, "tool_calls")(response, request);
  };
}

/** Sends the same event `count` times. @param fields fields beside `choices`. */
function answerWithRepeatedEvent(count: number, fields: object, delta: object = { content: "x" }): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = formatEvent([{ index: 0, delta, finish_reason: null }], fields);
    const batchSize = Math.max(1, Math.floor(WRITE_CHARS / event.length));
    for (let sent = 0; sent < count; sent += batchSize)
      await writeWithBackpressure(response, event.repeat(Math.min(batchSize, count - sent)));
    response.end(STREAM_END);
  };
}

/** Sends comments of the event stream for 5 s. */
function answerWithComments(): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const comments = ": nothing yet\n\n".repeat(4_000);
    const endAt = performance.now() + 5_000;
    while (performance.now() < endAt) await writeWithBackpressure(response, comments);
    response.end(STREAM_END);
  };
}

/** Sends `start`, which opens a JSON string, and then `length` characters of that string. */
function answerWithLongBody(contentType: string, start: string, length: number): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": contentType });
    const chunk = "x".repeat(WRITE_CHARS);
    await writeWithBackpressure(response, start);
    for (let sent = 0; sent < length; sent += chunk.length) await writeWithBackpressure(response, chunk);
    response.end('"}\n\n');
  };
}

/** Sends 1 GB of spaces, which gzip compresses to 1 MB. */
function answerWithGzipBomb(contentType: string): Answer {
  const member = gzipSync(Buffer.alloc(16 * MB, " "));
  return async (response) => {
    response.writeHead(200, { "content-type": contentType, "content-encoding": "gzip" });
    for (let i = 0; i < 64; i += 1) await writeWithBackpressure(response, member);
    response.end();
  };
}

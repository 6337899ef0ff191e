// Requests of a caller that are made to cost time: bodies, schemas, tools and histories up to every default limit.
import type { Attack } from "./attacks.ts";
import { CLERK, DATABASE } from "./GatewayProcess.ts";
import { says, whole } from "./HostileUpstream.ts";
import { TAKES_ANYTHING, tool } from "./hostileTools.ts";

/** Just below `server.max_body_bytes`. */
const BODY = 10_480_000;
const PARSE = "/v1/parse";
const text = { "x-postel-tool-mode": "text" };

const fill = (part: string, characters: number): string => part.repeat(Math.floor(characters / part.length));

const user = (content: string) => ({ role: "user", content });

const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

/** A request whose body is an unknown field with this JSON in it. */
function around(name: string, json: () => string): Attack {
  return { name, body: () => `{"model": "m", "messages": [{"role": "user", "content": "hi"}], "junk": ${json()}}` };
}

function parse(name: string, words: () => string, tools: () => readonly object[] = () => TAKES_ANYTHING): Attack {
  return { name, path: PARSE, body: () => ({ text: words(), tools: tools() }) };
}

const array = (items: object) => [tool({ type: "object", properties: { x: { type: "array", items } } })];

const parsed = (args: object): string => `<tool_call>${JSON.stringify({ name: "f", arguments: args })}</tool_call>`;

export function hostileRequests(): readonly Attack[] {
  const values = Array.from({ length: 16_000 }, (_, i) => `value ${i}`);
  const upper = values.map((value) => value.toUpperCase());
  return [
    parse(
      "an enum of 16,000 values for 8,000 items in other letters",
      () => parsed({ x: upper.slice(0, 8_000) }),
      () => array({ type: "string", enum: values }),
    ),
    {
      ...parse(
        "an enum of 16,000 values for 16,000 items",
        () => "",
        () => array({ type: "string", enum: values }),
      ),
      body: () => ({
        text: `<tool_call>{"name":"f","arguments":{"x":${JSON.stringify(upper)}}}</tool_call>`,
        tools: array({ type: "string", enum: values }),
      }),
    },
    parse(
      "an enum of 90,000 numbers for 19,000 items",
      () => parsed({ x: Array.from({ length: 19_000 }, (_, i) => i + 50_000) }),
      () => array({ enum: Array.from({ length: 90_000 }, (_, i) => i) }),
    ),
    parse(
      "60 alternatives of 1,500 values for 19,000 items in other letters",
      () => parsed({ x: Array.from({ length: 19_000 }, (_, i) => `V${i}`) }),
      () =>
        array({
          anyOf: Array.from({ length: 60 }, (_, way) => ({
            enum: Array.from({ length: 1_500 }, (_, i) => `v${way * 1_500 + i}`),
          })),
        }),
    ),
    queries("25 calls of 40,000 characters of SQL", 25, 39_000),
    queries(
      "600 calls of SQL that every database reads differently",
      600,
      1_600,
      "/*!/*q'\"[#//--x||$a$'''\r\u00a0 */ ",
    ),
    parse("1 MB of bare calls as a Python list", () => `[${fill('f(a="x"), ', 1_000_000)}f(a=1)]`),
    parse("1 MB of bare calls in lines", () => fill('f(a="x")\n', 1_000_000)),
    parse("1 MB of one bare call's arguments", () => `f(a=[${fill("'x', ", 1_000_000)}1])`),
    parse("1 MB of a bare call that is never closed", () => `f(a=[${fill("('x', ", 1_000_000)}`),
    parse(
      "100 calls through a chain of 2,000 references",
      () => fill('<tool_call>{"name":"f","arguments":{"a":"1"}}</tool_call>', 5_300),
      () => [tool(chain(2_000))],
    ),
    parse(
      "100 calls in one list through a chain of 2,000 references",
      () =>
        `<tool_call>[${Array.from({ length: 100 }, () => '{"name":"f","arguments":{"a":"1"}}').join(",")}]</tool_call>`,
      () => [tool(chain(2_000))],
    ),
    parse(
      "500 calls against 20,000 dependent schemas",
      () => listOfCalls(500),
      () => [tool({ type: "object", dependentSchemas: named(20_000, true), properties: { a: {} } })],
    ),
    parse(
      "500 calls against 5,000 patterns of keys",
      () => listOfCalls(500),
      () => [tool({ type: "object", patternProperties: named(5_000, {}) })],
    ),
    parse(
      "500 calls against 20,000 alternatives",
      () => listOfCalls(500),
      () => [
        tool({
          type: "object",
          properties: { a: { anyOf: Array.from({ length: 20_000 }, (_, i) => ({ const: i })) } },
        }),
      ],
    ),
    parse(
      "500 calls through references that double",
      () => listOfCalls(500),
      () => [tool(doubling(20))],
    ),
    parse("10 MB of call marks to read", () => fill("<function=f>", BODY - 1_000)),
    parse("10 MB of blocks to read", () => fill(parsed({ a: 1 }), BODY / 2)),
    around("a body of 10 MiB of brackets", () => `${"[".repeat(BODY / 2)}${"]".repeat(BODY / 2 - 1_000)}`),
    around("a body of 10 MiB of flat brackets", () => `[${fill("[],", BODY - 1_000)}0]`),
    around("a body of 10 MiB of numbers", () => `[${fill("1,", BODY - 1_000)}0]`),
    around("a body of 10 MiB of long numbers", () => `[${fill("1.2345678901234567e-200,", BODY - 1_000)}0]`),
    around("a body of 10 MiB of strings", () => `[${fill('"a",', BODY - 1_000)}0]`),
    around("a body of 10 MiB of escapes", () => `"${fill("\\u00e9", BODY - 1_000)}"`),
    around("a body of 10 MiB of blanks", () => `[${" ".repeat(BODY - 1_000)}0]`),
    around("50,000 keys", () => `{${Array.from({ length: 49_000 }, (_, i) => `"key${i}":${i}`).join(",")}}`),
    around("600,000 keys", () => `{${Array.from({ length: 600_000 }, (_, i) => `"key${i}":${i}`).join(",")}}`),
    { name: "a body of 10 MiB of text", body: () => ({ messages: [user("x".repeat(BODY - 200))] }) },
    {
      name: "10 MB of call marks from the user, in text mode",
      headers: text,
      body: () => ({ tools: TAKES_ANYTHING, messages: [user(fill("<tool_call>Action: <|im_start|>", BODY - 1_000))] }),
    },
    {
      name: "4,096 messages",
      body: () => ({ messages: Array.from({ length: 4_096 }, () => user("y".repeat(2_400))) }),
    },
    {
      name: "4,096 messages of marks, in text mode",
      headers: text,
      body: () => ({
        tools: TAKES_ANYTHING,
        messages: Array.from({ length: 4_096 }, () => user(fill("<tool_call>", 2_400))),
      }),
    },
    {
      name: "200,000 parts of a message",
      body: () => ({
        messages: [{ role: "user", content: Array.from({ length: 24_000 }, () => ({ type: "text", text: "part" })) }],
      }),
    },
    {
      name: "2,047 calls and results, in text mode",
      headers: text,
      body: () => ({ tools: TAKES_ANYTHING, messages: toolHistory(2_047) }),
    },
    { name: "2,047 calls and results", body: () => ({ tools: TAKES_ANYTHING, messages: toolHistory(2_047) }) },
    {
      name: "4,096 results of no call, in text mode",
      headers: text,
      body: () => ({
        tools: TAKES_ANYTHING,
        messages: Array.from({ length: 4_095 }, (_, i) => ({
          role: "tool",
          tool_call_id: `c${i}`,
          content: "z".repeat(2_000),
        })),
      }),
    },
    {
      name: "a history of broken arguments, in text mode",
      headers: text,
      body: () => ({
        tools: TAKES_ANYTHING,
        messages: [
          user("hi"),
          {
            role: "assistant",
            tool_calls: Array.from({ length: 100 }, (_, i) => call(`c${i}`, "f", `{'a': [${fill("'x' ", 100_000)}`)),
          },
        ],
      }),
    },
    {
      name: "one call of 10 MB in the history",
      body: () => ({
        tools: TAKES_ANYTHING,
        messages: [
          user("hi"),
          { role: "assistant", tool_calls: [call("c1", "f", `{'a': [${fill("1, ", BODY - 1_000)}`)] },
          { role: "tool", tool_call_id: "c1", content: "done" },
        ],
      }),
    },
    {
      name: "128 tools with descriptions of 64 KiB, in text mode",
      headers: text,
      body: () => ({
        tools: Array.from({ length: 128 }, (_, i) =>
          tool({ type: "object", properties: {} }, `f${i}`, fill("<tool_call> ", 65_000)),
        ),
      }),
    },
    {
      name: "128 tools with descriptions of 64 KiB",
      body: () => ({
        tools: Array.from({ length: 128 }, (_, i) =>
          tool({ type: "object", properties: {} }, `f${i}`, "d".repeat(65_000)),
        ),
      }),
    },
    {
      name: "a schema of doubling references",
      body: () => ({ tools: [tool(doubling(60))] }),
      answer: () => says('<tool_call>{"name": "f", "arguments": {"a": [[[[1]]]]}}</tool_call>'),
    },
    {
      name: "a schema of nested choices",
      body: () => ({ tools: [tool(choices(14))] }),
      answer: () => says('<tool_call>{"name": "f", "arguments": {"a": {"b": {"b": {"b": 1}}}}}</tool_call>'),
    },
    {
      name: "a schema of 45,000 properties",
      body: () => ({
        tools: [
          tool({
            type: "object",
            properties: Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`p${i}`, {}])),
          }),
        ],
      }),
      answer: () => says('<tool_call>{"name": "f", "arguments": {"p1": 1, "P2": 2}}</tool_call>'),
    },
    {
      name: "a schema of 45,000 properties, in text mode",
      headers: text,
      body: () => ({
        tools: [
          tool({
            type: "object",
            properties: Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`p${i}`, {}])),
          }),
        ],
      }),
    },
    {
      name: "a schema with an enum of 90,000 values",
      body: () => ({ tools: array({ enum: Array.from({ length: 90_000 }, (_, i) => i) }) }),
      answer: () => says(parsed({ x: Array.from({ length: 20_000 }, (_, i) => String(i + 50_000)) })),
    },
    {
      name: "a schema of 10,000 patterns that backtrack",
      body: () => ({
        tools: array({ type: "string", anyOf: Array.from({ length: 10_000 }, () => ({ pattern: "^(a+)+$" })) }),
      }),
      answer: () => says(parsed({ x: [`${"a".repeat(60)}!`] })),
    },
    {
      name: "a pattern that backtracks over 200 KB",
      body: () => ({ tools: array({ type: "string", pattern: "(a|a)*(a|aa)*b$" }) }),
      answer: () => says(parsed({ x: ["a".repeat(200_000)] })),
    },
    {
      name: "unique items, 30,000 of them",
      body: () => ({ tools: [tool({ type: "object", properties: { x: { type: "array", uniqueItems: true } } })] }),
      answer: () => says(parsed({ x: Array.from({ length: 30_000 }, (_, i) => [i]) })),
    },
    {
      name: "two objects of 20,000 keys that are compared",
      body: () => ({ tools: [tool({ type: "object", properties: { x: { not: { const: wide(10_000) } } } })] }),
      answer: () => says(parsed({ x: wide(10_000) })),
    },
    { name: "a model's name of 10 MB", body: () => ({ model: fill("a-1b/", BODY - 1_000) }) },
    {
      name: "10 MB of tool names",
      body: () => ({ tools: Array.from({ length: 128 }, (_, i) => tool({ type: "object" }, fill(`f${i}`, 80_000))) }),
    },
    {
      name: "100 stop texts of 100 KB",
      body: () => ({ stop: Array.from({ length: 100 }, () => "s".repeat(100_000)) }),
    },
  ];
}

/** The model calls the watched tool with statements of this length; then it says "ok". */
function queries(name: string, count: number, length: number, start = ""): Attack {
  const sql = `${start}${fill("SELECT a FROM t; ", Math.max(0, length - start.length))}`;
  const calls = () =>
    Array.from({ length: count }, (_, i) => call(`call${i}`, DATABASE, JSON.stringify({ sql: `SELECT ${i}; ${sql}` })));
  return {
    ...{ name, path: "/v1/agent", body: () => ({ agent: CLERK }) },
    answer: () => (response, asked) =>
      asked.messages?.at(-1)?.role === "tool"
        ? says("ok")(response, asked)
        : whole({ content: null, tool_calls: calls() }, "tool_calls")(response, asked),
  };
}

function toolHistory(pairs: number): readonly object[] {
  const turns = Array.from({ length: pairs }, (_, i) => [
    { role: "assistant", content: null, tool_calls: [call(`c${i}`, "f", JSON.stringify({ a: "x".repeat(1_000) }))] },
    { role: "tool", tool_call_id: `c${i}`, content: fill("<tool_call>Observation: ", 2_000) },
  ]);
  return [user("hi"), ...turns.flat()];
}

/** Calls of one body. */
function listOfCalls(count: number): string {
  return `<tool_call>[${Array(count).fill('{"name":"f","arguments":{"a":"1"}}').join(",")}]</tool_call>`;
}

function named(count: number, schema: object | boolean): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
}

/** Each level is a reference to the next; the last wants a number. */
function chain(levels: number): object {
  const definitions = Array.from({ length: levels }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]);
  return {
    type: "object",
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: { ...Object.fromEntries(definitions), [`d${levels}`]: { type: "number" } },
  };
}

/** Each level refers twice to the next. */
function doubling(levels: number): object {
  const definitions = Object.fromEntries(
    Array.from({ length: levels }, (_, i) => {
      const next = { $ref: `#/$defs/d${i + 1}` };
      return [`d${i}`, { anyOf: [{ type: "array", items: next }, { type: "array", items: next }, next] }];
    }),
  );
  return {
    type: "object",
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: { ...definitions, [`d${levels}`]: { type: "string" } },
  };
}

function choices(levels: number): object {
  const below = levels === 0 ? { type: "string", const: "no" } : choices(levels - 1);
  return {
    anyOf: [
      { type: "object", properties: { b: below } },
      { type: "object", properties: { b: below, c: {} } },
    ],
  };
}

function wide(keys: number): object {
  return Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, { v: [i] }]));
}

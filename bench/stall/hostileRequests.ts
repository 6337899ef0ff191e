// Creates requests of a client that are expensive to process: bodies, schemas, tools and histories, each up to a default limit.
import type { Attack } from "./attacks.ts";
import { DATABASE_AGENT, DATABASE_COMPONENT } from "./GatewayProcess.ts";
import { answerWithMessage, answerWithText } from "./HostileUpstream.ts";
import { createTool, TOOL_WITH_ANY_VALUE } from "./hostileTools.ts";

/** Characters just below `server.max_body_bytes`. */
const BODY_CHARS = 10_480_000;
const TEXT_MODE = { "x-postel-tool-mode": "text" };

/** Repeats `part` as often as it fits into `length` characters. */
function repeatUpTo(part: string, length: number): string {
  return part.repeat(Math.floor(length / part.length));
}

function createUserMessage(content: string): object {
  return { role: "user", content };
}

function createNativeCall(id: string, name: string, args: string): object {
  return { id, type: "function", function: { name, arguments: args } };
}

/** Returns a tool whose argument `x` is an array of items with the schema `items`. */
function createArrayTools(items: object): readonly object[] {
  return [createTool({ type: "object", properties: { x: { type: "array", items } } })];
}

/** Returns a call of the tool `f` in Hermes format. */
function formatHermesCall(args: object): string {
  return `<tool_call>${JSON.stringify({ name: "f", arguments: args })}</tool_call>`;
}

/** Returns an attack whose body has an unknown field with the JSON text of `createJson`. */
function createUnknownFieldAttack(name: string, createJson: () => string): Attack {
  const start = '{"model": "m", "messages": [{"role": "user", "content": "hi"}], "junk": ';
  return { name, createBody: () => `${start}${createJson()}}` };
}

/** Returns an attack that sends a text to `/v1/parse`. */
function createParseAttack(
  name: string,
  createText: () => string,
  createTools: () => readonly object[] = () => TOOL_WITH_ANY_VALUE,
): Attack {
  return { name, path: "/v1/parse", createBody: () => ({ text: createText(), tools: createTools() }) };
}

/** Returns the attacks whose requests are hostile. */
export function createHostileRequests(): readonly Attack[] {
  const values = Array.from({ length: 16_000 }, (_, i) => `value ${i}`);
  const upperCaseValues = values.map((value) => value.toUpperCase());
  return [
    createParseAttack(
      "an enum of 16,000 values for 8,000 items in capitals",
      () => formatHermesCall({ x: upperCaseValues.slice(0, 8_000) }),
      () => createArrayTools({ type: "string", enum: values }),
    ),
    createParseAttack(
      "an enum of 16,000 values for 16,000 items",
      () => formatHermesCall({ x: upperCaseValues }),
      () => createArrayTools({ type: "string", enum: values }),
    ),
    createParseAttack(
      "an enum of 90,000 numbers for 19,000 items",
      () => formatHermesCall({ x: Array.from({ length: 19_000 }, (_, i) => i + 50_000) }),
      () => createArrayTools({ enum: Array.from({ length: 90_000 }, (_, i) => i) }),
    ),
    createParseAttack(
      "60 alternatives of 1,500 values for 19,000 items in capitals",
      () => formatHermesCall({ x: Array.from({ length: 19_000 }, (_, i) => `V${i}`) }),
      () =>
        createArrayTools({
          anyOf: Array.from({ length: 60 }, (_, way) => ({
            enum: Array.from({ length: 1_500 }, (_, i) => `v${way * 1_500 + i}`),
          })),
        }),
    ),
    createSqlAttack("25 calls of 40,000 characters of SQL", 25, 39_000),
    createSqlAttack(
      "600 calls of SQL that databases parse differently",
      600,
      1_600,
      "/*!/*q'\"[#//--x||$a$'''\r\u00a0 */ ",
    ),
    createParseAttack("1 MB of bare calls as a Python list", () => `[${repeatUpTo('f(a="x"), ', 1_000_000)}f(a=1)]`),
    createParseAttack("1 MB of bare calls in lines", () => repeatUpTo('f(a="x")\n', 1_000_000)),
    createParseAttack("a bare call of 1 MB", () => `f(a=[${repeatUpTo("'x', ", 1_000_000)}1])`),
    createParseAttack("an unclosed bare call of 1 MB", () => `f(a=[${repeatUpTo("('x', ", 1_000_000)}`),
    createParseAttack(
      "100 calls through a chain of 2,000 references",
      () => repeatUpTo('<tool_call>{"name":"f","arguments":{"a":"1"}}</tool_call>', 5_300),
      () => [createTool(createReferenceChain(2_000))],
    ),
    createParseAttack(
      "100 calls in one list through a chain of 2,000 references",
      () => formatCallList(100),
      () => [createTool(createReferenceChain(2_000))],
    ),
    createParseAttack(
      "500 calls against 20,000 dependent schemas",
      () => formatCallList(500),
      () => [createTool({ type: "object", dependentSchemas: createProperties(20_000, true), properties: { a: {} } })],
    ),
    createParseAttack(
      "500 calls against 5,000 key patterns",
      () => formatCallList(500),
      () => [createTool({ type: "object", patternProperties: createProperties(5_000, {}) })],
    ),
    createParseAttack(
      "500 calls against 20,000 alternatives",
      () => formatCallList(500),
      () => [
        createTool({
          type: "object",
          properties: { a: { anyOf: Array.from({ length: 20_000 }, (_, i) => ({ const: i })) } },
        }),
      ],
    ),
    createParseAttack(
      "500 calls through references that double at each level",
      () => formatCallList(500),
      () => [createTool(createDoublingReferences(20))],
    ),
    createParseAttack("10 MB of call markers for /v1/parse", () => repeatUpTo("<function=f>", BODY_CHARS - 1_000)),
    createParseAttack("5 MB of calls for /v1/parse", () => repeatUpTo(formatHermesCall({ a: 1 }), BODY_CHARS / 2)),
    createUnknownFieldAttack(
      "a body of 10 MiB of brackets",
      () => `${"[".repeat(BODY_CHARS / 2)}${"]".repeat(BODY_CHARS / 2 - 1_000)}`,
    ),
    createUnknownFieldAttack("a body of 10 MiB of flat brackets", () => `[${repeatUpTo("[],", BODY_CHARS - 1_000)}0]`),
    createUnknownFieldAttack("a body of 10 MiB of numbers", () => `[${repeatUpTo("1,", BODY_CHARS - 1_000)}0]`),
    createUnknownFieldAttack(
      "a body of 10 MiB of long numbers",
      () => `[${repeatUpTo("1.2345678901234567e-200,", BODY_CHARS - 1_000)}0]`,
    ),
    createUnknownFieldAttack("a body of 10 MiB of strings", () => `[${repeatUpTo('"a",', BODY_CHARS - 1_000)}0]`),
    createUnknownFieldAttack("a body of 10 MiB of escapes", () => `"${repeatUpTo("\\u00e9", BODY_CHARS - 1_000)}"`),
    createUnknownFieldAttack("a body of 10 MiB of spaces", () => `[${" ".repeat(BODY_CHARS - 1_000)}0]`),
    createUnknownFieldAttack(
      "50,000 keys",
      () => `{${Array.from({ length: 49_000 }, (_, i) => `"key${i}":${i}`).join(",")}}`,
    ),
    createUnknownFieldAttack(
      "600,000 keys",
      () => `{${Array.from({ length: 600_000 }, (_, i) => `"key${i}":${i}`).join(",")}}`,
    ),
    {
      name: "a body of 10 MiB of text",
      createBody: () => ({ messages: [createUserMessage("x".repeat(BODY_CHARS - 200))] }),
    },
    {
      name: "a user message of 10 MB of call markers, in text mode",
      headers: TEXT_MODE,
      createBody: () => ({
        tools: TOOL_WITH_ANY_VALUE,
        messages: [createUserMessage(repeatUpTo("<tool_call>Action: <|im_start|>", BODY_CHARS - 1_000))],
      }),
    },
    {
      name: "4,096 messages",
      createBody: () => ({ messages: Array.from({ length: 4_096 }, () => createUserMessage("y".repeat(2_400))) }),
    },
    {
      name: "4,096 messages of call markers, in text mode",
      headers: TEXT_MODE,
      createBody: () => ({
        tools: TOOL_WITH_ANY_VALUE,
        messages: Array.from({ length: 4_096 }, () => createUserMessage(repeatUpTo("<tool_call>", 2_400))),
      }),
    },
    {
      name: "a message of 24,000 parts",
      createBody: () => ({
        messages: [{ role: "user", content: Array.from({ length: 24_000 }, () => ({ type: "text", text: "part" })) }],
      }),
    },
    {
      name: "2,047 calls and results, in text mode",
      headers: TEXT_MODE,
      createBody: () => ({ tools: TOOL_WITH_ANY_VALUE, messages: createToolHistory(2_047) }),
    },
    {
      name: "2,047 calls and results",
      createBody: () => ({ tools: TOOL_WITH_ANY_VALUE, messages: createToolHistory(2_047) }),
    },
    {
      name: "4,096 results without a call, in text mode",
      headers: TEXT_MODE,
      createBody: () => ({
        tools: TOOL_WITH_ANY_VALUE,
        messages: Array.from({ length: 4_095 }, (_, i) => ({
          role: "tool",
          tool_call_id: `c${i}`,
          content: "z".repeat(2_000),
        })),
      }),
    },
    {
      name: "a history of malformed arguments, in text mode",
      headers: TEXT_MODE,
      createBody: () => ({
        tools: TOOL_WITH_ANY_VALUE,
        messages: [
          createUserMessage("hi"),
          {
            role: "assistant",
            tool_calls: Array.from({ length: 100 }, (_, i) =>
              createNativeCall(`c${i}`, "f", `{'a': [${repeatUpTo("'x' ", 100_000)}`),
            ),
          },
        ],
      }),
    },
    {
      name: "one call of 10 MB in the history",
      createBody: () => ({
        tools: TOOL_WITH_ANY_VALUE,
        messages: [
          createUserMessage("hi"),
          {
            role: "assistant",
            tool_calls: [createNativeCall("c1", "f", `{'a': [${repeatUpTo("1, ", BODY_CHARS - 1_000)}`)],
          },
          { role: "tool", tool_call_id: "c1", content: "done" },
        ],
      }),
    },
    {
      name: "128 tools with descriptions of 64 KiB, in text mode",
      headers: TEXT_MODE,
      createBody: () => ({
        tools: Array.from({ length: 128 }, (_, i) =>
          createTool({ type: "object", properties: {} }, `f${i}`, repeatUpTo("<tool_call> ", 65_000)),
        ),
      }),
    },
    {
      name: "128 tools with descriptions of 64 KiB",
      createBody: () => ({
        tools: Array.from({ length: 128 }, (_, i) =>
          createTool({ type: "object", properties: {} }, `f${i}`, "d".repeat(65_000)),
        ),
      }),
    },
    {
      name: "a schema of references that double at each level",
      createBody: () => ({ tools: [createTool(createDoublingReferences(60))] }),
      createAnswer: () => answerWithText('<tool_call>{"name": "f", "arguments": {"a": [[[[1]]]]}}</tool_call>'),
    },
    {
      name: "a schema of nested choices",
      createBody: () => ({ tools: [createTool(createNestedChoices(14))] }),
      createAnswer: () =>
        answerWithText('<tool_call>{"name": "f", "arguments": {"a": {"b": {"b": {"b": 1}}}}}</tool_call>'),
    },
    {
      name: "a schema of 45,000 properties",
      createBody: () => ({
        tools: [
          createTool({
            type: "object",
            properties: Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`p${i}`, {}])),
          }),
        ],
      }),
      createAnswer: () => answerWithText('<tool_call>{"name": "f", "arguments": {"p1": 1, "P2": 2}}</tool_call>'),
    },
    {
      name: "a schema of 45,000 properties, in text mode",
      headers: TEXT_MODE,
      createBody: () => ({
        tools: [
          createTool({
            type: "object",
            properties: Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`p${i}`, {}])),
          }),
        ],
      }),
    },
    {
      name: "a schema with an enum of 90,000 values",
      createBody: () => ({ tools: createArrayTools({ enum: Array.from({ length: 90_000 }, (_, i) => i) }) }),
      createAnswer: () =>
        answerWithText(formatHermesCall({ x: Array.from({ length: 20_000 }, (_, i) => String(i + 50_000)) })),
    },
    {
      name: "a schema of 10,000 patterns that backtrack",
      createBody: () => ({
        tools: createArrayTools({
          type: "string",
          anyOf: Array.from({ length: 10_000 }, () => ({ pattern: "^(a+)+$" })),
        }),
      }),
      createAnswer: () => answerWithText(formatHermesCall({ x: [`${"a".repeat(60)}!`] })),
    },
    {
      name: "a pattern that backtracks over 200 KB",
      createBody: () => ({ tools: createArrayTools({ type: "string", pattern: "(a|a)*(a|aa)*b$" }) }),
      createAnswer: () => answerWithText(formatHermesCall({ x: ["a".repeat(200_000)] })),
    },
    {
      name: "30,000 unique items",
      createBody: () => ({
        tools: [createTool({ type: "object", properties: { x: { type: "array", uniqueItems: true } } })],
      }),
      createAnswer: () => answerWithText(formatHermesCall({ x: Array.from({ length: 30_000 }, (_, i) => [i]) })),
    },
    {
      name: "a comparison of two objects of 10,000 keys",
      createBody: () => ({
        tools: [createTool({ type: "object", properties: { x: { not: { const: createWideObject(10_000) } } } })],
      }),
      createAnswer: () => answerWithText(formatHermesCall({ x: createWideObject(10_000) })),
    },
    { name: "a model name of 10 MB", createBody: () => ({ model: repeatUpTo("a-1b/", BODY_CHARS - 1_000) }) },
    {
      name: "10 MB of tool names",
      createBody: () => ({
        tools: Array.from({ length: 128 }, (_, i) => createTool({ type: "object" }, repeatUpTo(`f${i}`, 80_000))),
      }),
    },
    {
      name: "100 stop sequences of 100 KB",
      createBody: () => ({ stop: Array.from({ length: 100 }, () => "s".repeat(100_000)) }),
    },
  ];
}

/**
 * Returns an attack in which the model calls the database tool, and then answers with the text "ok".
 * @param length characters of each call's SQL. @param start the SQL's beginning.
 */
function createSqlAttack(name: string, count: number, length: number, start = ""): Attack {
  const sql = `${start}${repeatUpTo("SELECT a FROM t; ", Math.max(0, length - start.length))}`;
  const createCalls = () =>
    Array.from({ length: count }, (_, i) =>
      createNativeCall(`call${i}`, DATABASE_COMPONENT, JSON.stringify({ sql: `SELECT ${i}; ${sql}` })),
    );
  return {
    ...{ name, path: "/v1/agent", createBody: () => ({ agent: DATABASE_AGENT }) },
    createAnswer: () => (response, request) =>
      request.messages?.at(-1)?.role === "tool"
        ? answerWithText("ok")(response, request)
        : answerWithMessage({ content: null, tool_calls: createCalls() }, "tool_calls")(response, request),
  };
}

/** Returns a user message and `pairs` calls, each followed by its result. */
function createToolHistory(pairs: number): readonly object[] {
  const turns = Array.from({ length: pairs }, (_, i) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [createNativeCall(`c${i}`, "f", JSON.stringify({ a: "x".repeat(1_000) }))],
    },
    { role: "tool", tool_call_id: `c${i}`, content: repeatUpTo("<tool_call>Observation: ", 2_000) },
  ]);
  return [createUserMessage("hi"), ...turns.flat()];
}

/** Returns `count` calls as one JSON array between Hermes tags. */
function formatCallList(count: number): string {
  return `<tool_call>[${Array(count).fill('{"name":"f","arguments":{"a":"1"}}').join(",")}]</tool_call>`;
}

/** Returns an object with `count` keys that all have the value `schema`. */
function createProperties(count: number, schema: object | boolean): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
}

/** Returns a schema in which each level is a reference to the next. The last level is a number. */
function createReferenceChain(levels: number): object {
  const definitions = Array.from({ length: levels }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]);
  return {
    type: "object",
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: { ...Object.fromEntries(definitions), [`d${levels}`]: { type: "number" } },
  };
}

/** Returns a schema in which each level has three references to the next. The last level is a string. */
function createDoublingReferences(levels: number): object {
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

/** Returns a schema in which each level has two alternatives that contain the next. */
function createNestedChoices(levels: number): object {
  const below = levels === 0 ? { type: "string", const: "no" } : createNestedChoices(levels - 1);
  return {
    anyOf: [
      { type: "object", properties: { b: below } },
      { type: "object", properties: { b: below, c: {} } },
    ],
  };
}

/** Returns an object of `keys` keys. */
function createWideObject(keys: number): object {
  return Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, { v: [i] }]));
}

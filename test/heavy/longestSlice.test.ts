import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CallIdAllocator } from "../../src/agents/attempt/CallIdAllocator.ts";
import { NativeCallReader } from "../../src/agents/attempt/NativeCallReader.ts";
import { YIELD } from "../../src/core/async/yieldToEventLoop.ts";
import type { JsonObject, JsonValue, ToolSpec } from "../../src/core/messages.ts";
import { StructuredOutputParser } from "../../src/formats/StructuredOutputParser.ts";
import { HOSTILE_FAMILIES } from "../support/hostileTexts.ts";
import { KB, MB } from "../support/looks.ts";
import { request } from "../support/modelTexts.ts";
import { countedParser } from "../support/parserRuns.ts";
import { feedSlices, finishSlices } from "../support/slices.ts";
import { WorkMeter } from "../support/WorkMeter.ts";

/**
 * Executed blocks between two turns of the event loop. On the machine that runs the tests, busy with other work, long slices took 5 to 8 ns
 * a block (one list of objects: 6.4 million, 30 ms; one mended object: 5.7 million, 36 ms), Python and braces 14 ns of far fewer.
 */
const LONGEST = 7_500_000;

const CAPTURE = 256 * KB;
const ARGUMENTS = MB;

const WORDS = Array.from({ length: 5_000 }, (_, i) => `word-${i}`);

const TOOLS: readonly ToolSpec[] = [
  tool("set_lamp", { colour: { type: "string" }, seconds: { type: "integer" } }),
  tool("plot", {
    points: { type: "array", items: { type: "number" } },
    names: { type: "array", items: { type: "string", enum: WORDS } },
    either: {
      type: "array",
      items: {
        anyOf: [{ type: "boolean" }, { type: "integer" }, { type: "object" }, { type: "string", pattern: "^(a|b)+c$" }],
      },
    },
    grid: { type: "object" },
    text: { type: "string" },
  }),
];

const SETTING = request({ tools: TOOLS, captureChars: CAPTURE }).setting;

interface Case {
  readonly name: string;
  readonly text: string;
}

/** `unit` as often as it goes, and as may be, between `head` and `tail`. */
function filled(name: string, parts: { head: string; unit: string; tail: string; most?: number; size?: number }): Case {
  const { head, unit, tail, most = Number.POSITIVE_INFINITY, size = CAPTURE - KB } = parts;
  const times = Math.min(most, Math.floor((size - head.length - tail.length) / unit.length));
  return { name, text: head + unit.repeat(times) + tail };
}

const POINTS = '<tool_call>{"name": "plot", "arguments": {"points": [';
const END = "]}}</tool_call>\nThat is all.";

const BODIES: readonly Case[] = [
  filled("as many numbers as may be", { head: POINTS, unit: "1,", tail: `1${END}`, most: 19_900 }),
  filled("more numbers than may be", { head: POINTS, unit: "1,", tail: `1${END}` }),
  filled("numbers in strings", { head: POINTS, unit: '"17",', tail: `1${END}`, most: 19_900 }),
  filled("lists in lists", { head: POINTS, unit: "[[1]],", tail: `1${END}`, most: 6_500 }),
  filled("mended numbers", { head: POINTS.replaceAll('"', "'"), unit: "1,", tail: `1,${END}`, most: 9_900 }),
  filled("mended strings", {
    head: POINTS.replaceAll('"', "'"),
    unit: "'a b c d e f g h i j',",
    tail: `1,${END}`,
    most: 9_900,
  }),
  filled("words of a long enum", {
    head: POINTS.replace("points", "names"),
    unit: '"Word 4999",',
    tail: `"word-1"${END}`,
    most: 19_900,
  }),
  filled("words that no enum has", {
    head: POINTS.replace("points", "names"),
    unit: '"wort-4999",',
    tail: `"word-1"${END}`,
    most: 19_900,
  }),
  filled("values of four kinds", {
    head: POINTS.replace("points", "either"),
    unit: '"aaaaabc",',
    tail: `"ac"${END}`,
    most: 19_900,
  }),
  filled("values of no kind", {
    head: POINTS.replace("points", "either"),
    unit: "null,",
    tail: `1${END}`,
    most: 19_900,
  }),
  filled("one key over and over", {
    head: POINTS.replace('"points": [', '"grid": {'),
    unit: '"k":1,',
    tail: '"k":2}}}</tool_call>',
    most: 9_900,
  }),
  filled("numbers in XML", {
    head: "<tool_call><function=plot><parameter=points>[",
    unit: "1,",
    tail: "1]</parameter></function></tool_call>",
    most: 19_900,
  }),
  filled("as many elements as may be", {
    head: "<tool_call><name>plot</name><arguments><points>",
    unit: "<item>1</item>",
    tail: "</points></arguments></tool_call>",
    most: 9_900,
  }),
  filled("more elements than may be", {
    head: "<tool_call><name>plot</name><arguments><points>",
    unit: "<item>1</item>",
    tail: "</points></arguments></tool_call>",
  }),
  filled("elements of character data", {
    head: "<tool_call><name>plot</name><arguments><points>",
    unit: "<item><![CDATA[1]]></item>",
    tail: "</points></arguments></tool_call>",
    most: 6_600,
  }),
  filled("elements of entities", {
    head: "<tool_call><name>plot</name><arguments><text>",
    unit: "&amp;&#x41;",
    tail: "</text></arguments></tool_call>",
  }),
  filled("comments between elements", {
    head: "<tool_call><name>plot</name><arguments>",
    unit: "<!-- -->",
    tail: "<points>1</points></arguments></tool_call>",
  }),
  filled("python numbers", { head: "<tool_call>plot(points=[", unit: "1, ", tail: "1])</tool_call>", most: 9_900 }),
  filled("python strings in pieces", {
    head: "<tool_call>plot(text=(",
    unit: "'a' ",
    tail: "'b'))</tool_call>",
    most: 9_900,
  }),
  filled("python dictionaries", {
    head: "<tool_call>plot(points=[",
    unit: "{'a': None},",
    tail: "1])</tool_call>",
    most: 4_900,
  }),
  filled("brace numbers", { head: "<|tool_call>call:plot{points:[", unit: "1,", tail: "1]}<tool_call|>", most: 9_900 }),
  filled("escapes", { head: POINTS.replace('"points": [', '"text": "'), unit: "\\u00e9\\n", tail: '"}}</tool_call>' }),
  filled("escaped once too often", {
    head: '<tool_call>{\\"name\\": \\"plot\\", \\"arguments\\": {\\"points\\": [',
    unit: "1,",
    tail: "1]}}</tool_call>",
    most: 9_900,
  }),
  filled("entities instead of quotes", {
    head: "<tool_call>{&quot;name&quot;: &quot;plot&quot;, &quot;arguments&quot;: {&quot;points&quot;: [",
    unit: "&quot;1&quot;,",
    tail: "1]}}</tool_call>",
    most: 9_900,
  }),
  filled("comments in JSON", { head: POINTS, unit: "1/* */,", tail: `1${END}`, most: 9_900 }),
  filled("calls in one list", {
    head: "[TOOL_CALLS][",
    unit: '{"name": "plot", "arguments": {"points": [1, 2, 3, 4, 5, 6, 7, 8]}}, ',
    tail: '{"name": "plot", "arguments": {}}]',
    most: 511,
  }),
  filled("a list of more calls than may be", {
    head: "[TOOL_CALLS][",
    unit: '{"name": "plot", "arguments": {"points": [1, 2]}}, ',
    tail: "{}]",
  }),
  filled("arguments in a string", {
    head: '<tool_call>{"name": "plot", "arguments": "{\\"points\\": [',
    unit: "1,",
    tail: '1]}"}</tool_call>',
    most: 19_900,
  }),
  filled("input behind a label", {
    head: 'Thought: x\nAction: plot\nAction Input: {"points": [',
    unit: "1,",
    tail: "1]}\n",
    most: 19_900,
  }),
  filled("YAML at its length", {
    head: "```yaml\nname: plot\narguments:\n",
    unit: "  k: [a, b]\n",
    tail: "```\n",
    size: 8 * KB,
  }),
];

const LONG: readonly Case[] = [
  ...["items of a list", "block openers before prose", "blocks", "bodies in a block"].map((name) => hostile(name, MB)),
  hostile("a channel header without end", 8 * MB),
];

const ANSWERS: readonly Case[] = [
  filled("numbers", { head: '{"points": [', unit: "1,", tail: "1]}", most: 19_900 }),
  filled("mended numbers", { head: "{'points': [", unit: "1,", tail: "1,]}", most: 9_900 }),
  filled("values in prose", { head: "Here: ", unit: '{"points": [1, 2]} or ', tail: "." }),
  filled("fences", { head: "Here:\n", unit: '```json\n{"points": [1,]}\n```\n', tail: "" }),
  filled("brackets that do not close", { head: "Here: ", unit: "[{", tail: "." }),
  filled("a list of enum words", { head: '{"names": [', unit: '"Word 4999",', tail: '"word-1"]}', most: 19_900 }),
];

const STRUCTURED: readonly Case[] = [
  filled("one string", { head: '{"text": "', unit: "a\\n", tail: '"}', size: ARGUMENTS }),
  filled("numbers", { head: '{"points": [', unit: "1,", tail: "1]}", most: 19_900 }),
  filled("more numbers than may be", { head: '{"points": [', unit: "1,", tail: "1]}", size: ARGUMENTS }),
  filled("strings of an enum", {
    head: '{"names": [',
    unit: '"Word 4999",',
    tail: '"word-1"]}',
    most: 19_900,
    size: ARGUMENTS,
  }),
  filled("mended numbers", { head: "{'points': [", unit: "1,", tail: "1,]}", most: 9_900 }),
  filled("objects behind one another", {
    head: "",
    unit: `{"points": [${"1,".repeat(300)}1]}`,
    tail: "",
    most: 64,
    size: ARGUMENTS,
  }),
  filled("a string of JSON", { head: '"{\\"points\\": [', unit: "1,", tail: '1]}"', most: 19_900 }),
  filled("tagged parameters", { head: "", unit: "<parameter=points>[1]</parameter>", tail: "", size: ARGUMENTS }),
  filled("tagged parameters without end", {
    head: "<parameter=text>",
    unit: "<parameter=k",
    tail: "",
    size: ARGUMENTS,
  }),
  filled("broken at its end", { head: '{"text": "', unit: "a ", tail: "", size: ARGUMENTS }),
];

/** Calls of `f` that are held against a schema which asks for more work than its calls are long. */
interface SchemaCase extends Case {
  readonly schema: JsonObject;
}

const LIST_OF_CALLS = inList(500, { x: { a: 1, b: 2 } });
const NUMBERS_IN_LIST = inList(500, { x: 1 });

const SCHEMAS: readonly SchemaCase[] = [
  {
    name: "20,000 dependent schemas and 500 calls",
    text: LIST_OF_CALLS,
    schema: parameter({ dependentSchemas: byName(20_000, true) }),
  },
  {
    name: "8,000 dependent names and 500 calls",
    text: LIST_OF_CALLS,
    schema: parameter({ dependentRequired: byName(8_000, ["z"]) }),
  },
  {
    name: "5,000 patterns of keys and 500 calls",
    text: LIST_OF_CALLS,
    schema: parameter({ patternProperties: byName(5_000, {}) }),
  },
  {
    name: "20,000 alternatives and 500 calls",
    text: NUMBERS_IN_LIST,
    schema: parameter({ anyOf: Array.from({ length: 20_000 }, (_, index) => ({ const: -index })) }),
  },
  {
    name: "20,000 schemas that must all hold and 500 calls",
    text: NUMBERS_IN_LIST,
    schema: parameter({ allOf: Array(20_000).fill({ minimum: 0 }) }),
  },
  {
    name: "30,000 required names and 500 calls",
    text: LIST_OF_CALLS,
    schema: parameter({ not: { required: Object.keys(byName(30_000, true)) } }),
  },
  { name: "a chain of 2,000 references and 500 calls", text: NUMBERS_IN_LIST, schema: chain(2_000, "allOf") },
  { name: "references that double and 500 calls in one list", text: NUMBERS_IN_LIST, schema: doubling("anyOf") },
  { name: "references that double, once each", text: NUMBERS_IN_LIST, schema: doubling("oneOf") },
  { name: "references that double and calls in lines", text: "f(x=1)\n".repeat(2_000), schema: doubling("anyOf") },
  {
    name: "references that double and calls in a fence",
    text: `\`\`\`python\n${"f(x=1)\n".repeat(1_000)}\`\`\`\n`,
    schema: doubling("anyOf"),
  },
  {
    name: "4,000 references to a schema of 12,000 unknown keywords",
    text: NUMBERS_IN_LIST,
    schema: {
      ...parameter({ allOf: Array(4_000).fill({ $ref: "#/$defs/wide" }) }),
      $defs: { wide: byName(12_000, 1) },
    },
  },
  {
    name: "3,000 references to one enum of 30,000 values",
    text: inList(1, byName(3_000, 1)),
    schema: {
      type: "object",
      properties: byName(3_000, { $ref: "#/$defs/listed" }),
      $defs: { listed: { enum: Array.from({ length: 30_000 }, (_, index) => index) } },
    },
  },
  {
    name: "an enum of 16,000 values and 15,000 values in other letters",
    text: inList(1, { x: Array.from({ length: 15_000 }, (_, index) => `VALUE ${index}`) }),
    schema: parameter({
      type: "array",
      items: { type: "string", enum: Array.from({ length: 16_000 }, (_, index) => `value ${index}`) },
    }),
  },
];

/** Objects of a tool's parameters whose one parameter has this schema. */
function parameter(x: JsonObject): JsonObject {
  return { type: "object", properties: { x } };
}

function byName(names: number, value: JsonValue): JsonObject {
  return Object.fromEntries(Array.from({ length: names }, (_, index) => [`p${index}`, value]));
}

/** As many calls of `f` in one list. */
function inList(calls: number, args: JsonObject): string {
  return `<tool_call>[${Array(calls)
    .fill(JSON.stringify({ name: "f", arguments: args }))
    .join(",")}]</tool_call>`;
}

/** Each level holds references to the next, of which the last is a number. */
function levels(count: number, level: (next: JsonObject) => JsonObject): JsonObject {
  const names = Array.from({ length: count }, (_, index) => index);
  const below = names.map((index): [string, JsonValue] => [`d${index}`, level({ $ref: `#/$defs/d${index + 1}` })]);
  return {
    ...parameter({ $ref: "#/$defs/d0" }),
    $defs: { ...Object.fromEntries(below), [`d${count}`]: { type: "number" } },
  };
}

function chain(count: number, keyword: string): JsonObject {
  return levels(count, (next) => ({ [keyword]: [next] }));
}

function doubling(keyword: string): JsonObject {
  return levels(20, (next) => ({ [keyword]: [next, next] }));
}

function hostile(name: string, characters: number): Case {
  const family = HOSTILE_FAMILIES.find((one) => one.name === name);
  if (!family) throw new Error(`There is no family "${name}".`);
  return { name, text: family.text(characters) };
}

let meter: WorkMeter;
beforeAll(() => {
  meter = new WorkMeter();
});
afterAll(() => meter.stop());

/** The most work that a generator does before it yields where the loop may take a turn. */
function longestStep(steps: Iterator<unknown>, isTurn: (step: unknown) => boolean = () => true): number {
  let longest = 0;
  for (let isDone = false; !isDone; ) {
    const work = meter.of(() => {
      for (;;) {
        const { done, value } = steps.next();
        isDone = done === true;
        if (isDone || isTurn(value)) break;
      }
    });
    longest = Math.max(longest, work);
  }
  return longest;
}

describe("what is done between two turns of the event loop is bounded", () => {
  it.each([...BODIES, ...LONG])("in a text: $name", ({ text }) => {
    const parser = countedParser(SETTING);
    expect(longestStep(feedSlices(parser, text))).toBeLessThan(LONGEST);
    expect(longestStep(finishSlices(parser, "stop"))).toBeLessThan(LONGEST);
  });

  it.each(SCHEMAS)("in calls that are held against a schema: $name", ({ text, schema }) => {
    const setting = { ...SETTING, tools: [{ name: "f", parameters: schema }] };
    const parser = countedParser(setting);
    expect(longestStep(feedSlices(parser, text))).toBeLessThan(LONGEST);
    expect(longestStep(finishSlices(parser, "stop"))).toBeLessThan(LONGEST);
  });

  it("in structured calls that are held against a schema of references that double", () => {
    const ids = new CallIdAllocator({ callId: () => "call_1" }, []);
    const tools = [{ name: "f", parameters: doubling("anyOf") }];
    const calls = new NativeCallReader({ tools, ids, allowed: true });
    const given = Array.from({ length: 300 }, (_, index) => ({
      index,
      id: `c${index}`,
      name: "f",
      arguments: '{"x":1}',
    }));
    const steps = calls.readCalls([...given, { index: 300, name: "f", arguments: '{"x":1}'.repeat(60) }], false);
    expect(longestStep(steps, (step) => step === YIELD)).toBeLessThan(LONGEST);
  });

  it.each(ANSWERS)("in an answer that is bound to a form: $name", ({ text }) => {
    const schema = TOOLS[1]?.parameters ?? {};
    const options = { ...SETTING, tools: [], ids: { callId: () => "call_1" } };
    const parser = new StructuredOutputParser(options, { type: "json_schema", name: "plot", schema, strict: false });
    expect(longestStep(feedSlices(parser, text))).toBeLessThan(LONGEST);
    expect(longestStep(finishSlices(parser, "stop"))).toBeLessThan(LONGEST);
  });

  it.each(STRUCTURED)("in a structured call: $name", ({ text }) => {
    const ids = new CallIdAllocator({ callId: () => "call_1" }, []);
    const calls = new NativeCallReader({ tools: TOOLS, ids, allowed: true });
    const steps = calls.readCalls([{ index: 0, id: "call_0", name: "plot", arguments: text }], false);
    expect(longestStep(steps, (step) => step === YIELD)).toBeLessThan(LONGEST);
  });
});

function tool(name: string, properties: JsonObject): ToolSpec {
  return { name, parameters: { type: "object", properties } };
}

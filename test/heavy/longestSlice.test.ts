import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CallIds } from "../../src/agents/CallIds.ts";
import { NativeCalls } from "../../src/agents/NativeCalls.ts";
import { TURN } from "../../src/core/loopTurn.ts";
import type { JsonObject, ToolSpec } from "../../src/core/messages.ts";
import { BoundOutputParser } from "../../src/formats/BoundOutputParser.ts";
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

  it.each(ANSWERS)("in an answer that is bound to a form: $name", ({ text }) => {
    const schema = TOOLS[1]?.parameters ?? {};
    const options = { ...SETTING, tools: [], ids: { callId: () => "call_1" } };
    const parser = new BoundOutputParser(options, { type: "json_schema", name: "plot", schema, strict: false });
    expect(longestStep(feedSlices(parser, text))).toBeLessThan(LONGEST);
    expect(longestStep(finishSlices(parser, "stop"))).toBeLessThan(LONGEST);
  });

  it.each(STRUCTURED)("in a structured call: $name", ({ text }) => {
    const ids = new CallIds({ callId: () => "call_1" }, []);
    const calls = new NativeCalls({ tools: TOOLS, ids, allowed: true });
    const steps = calls.read([{ index: 0, id: "call_0", name: "plot", arguments: text }], false);
    expect(longestStep(steps, (step) => step === TURN)).toBeLessThan(LONGEST);
  });
});

function tool(name: string, properties: JsonObject): ToolSpec {
  return { name, parameters: { type: "object", properties } };
}

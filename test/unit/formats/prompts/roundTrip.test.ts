// What is rendered is read back as the same call, for every family and every value that its format can express.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonObject, JsonValue, ToolCall, ToolSpec } from "../../../../src/core/messages.ts";
import { MultiFormatOutputParser } from "../../../../src/formats/MultiFormatOutputParser.ts";
import { renderList } from "../../../../src/formats/prompts/PromptFormat.ts";
import { renderCall } from "../../../../src/formats/prompts/toolSection.ts";
import { RENDERINGS } from "../../../../src/formats/specs/prompts.ts";
import type { ParserEvent } from "../../../../src/formats/state/ParserEvent.ts";

const tools: readonly ToolSpec[] = [
  {
    name: "save_note",
    parameters: {
      type: "object",
      properties: {
        text: { type: "string" },
        path: { type: "string" },
        count: { type: "integer" },
        ratio: { type: "number" },
        done: { type: "boolean" },
        tags: { type: "array" },
        meta: { type: "object" },
      },
    },
  },
  { name: "roll_dice", parameters: { type: "object", properties: {} } },
];

/**
 * Marks that a string of the family cannot hold, since nothing tells them from the end of the value: its own closer, and where a
 * missing closer is implied by the parent's (formats that models often leave open), that one too.
 */
const INEXPRESSIBLE: ReadonlyMap<string, readonly string[]> = new Map([
  ["qwen3-xml", ["</parameter>", "</function>"]],
  ["seed-xml", ["</parameter>", "</function>"]],
  ["minimax-m2", ["</parameter>", "</invoke>"]],
  ["anthropic-xml", ["</parameter>", "</invoke>"]],
  ["deepseek-v32", ["</｜DSML｜parameter>", "</｜DSML｜invoke>"]],
  ["deepseek-v4", ["</｜DSML｜parameter>", "</｜DSML｜invoke>"]],
  ["glm45", ["</arg_value>"]],
  ["gemma4", ['<|"|>']],
  ["functiongemma", ["<escape>"]],
]);

const nasty = [
  ...['"', "'", "\\", "\n", "\t", "<", ">", "&lt;", "{", "}", "[", "]", "(", ")", ",", ":", ";", "#", "//", "`"],
  ..."```,<![CDATA[,</tool_call>,<tool_call>,</parameter>,<parameter=x>,</function>,</invoke>,</arg_value>,<escape>".split(
    ",",
  ),
  ...'[TOOL_CALLS],[ARGS],<|"|>,<tool_call|>,<think>,</think>,</｜DSML｜parameter>,<｜tool▁call▁end｜>'.split(","),
  ...'True,null,NaN,3,007,1e400,", count=2,\nObservation: x,\nAction: roll_dice,<|call|>,}}, text:,é,語,😀'.split(","),
];

const text = fc.oneof(
  fc.constantFrom("", " ", "true", "null", "3", "02139", "[1]", '{"a":1}', " lead", "trail ", "a\n", "\na", "None"),
  fc.array(fc.constantFrom("\n", "\r\n", " ", "\t", "a"), { maxLength: 5 }).map((all) => all.join("")),
  fc
    .array(fc.oneof(fc.constantFrom(...nasty), fc.string({ maxLength: 6 })), { maxLength: 6 })
    .map((all) => all.join("")),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
const key = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}$/);
const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
  fc.boolean(),
  fc.constant(null),
);
const nested = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const args: fc.Arbitrary<JsonObject> = fc.record(
  {
    text,
    path: text,
    count: fc.integer(),
    ratio: fc.double({ noDefaultInfinity: true, noNaN: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
    done: fc.boolean(),
    tags: fc.array(nested, { maxLength: 3 }),
    meta: fc.dictionary(key, nested, { maxKeys: 3 }),
  },
  { requiredKeys: [] },
);

function read(family: string, output: string, size = output.length): readonly ParserEvent[] {
  const parser = new MultiFormatOutputParser({
    tools,
    callsAllowed: true,
    toolMode: "text",
    formats: [family],
    emulate: family,
    reasoningOpened: false,
    ids: { callId: () => "abcdefghi" },
    captureChars: 262_144,
  });
  const events: ParserEvent[] = [];
  for (let at = 0; at < output.length; at += size) events.push(...parser.feed(output.slice(at, at + size)));
  return [...events, ...parser.finish("stop")];
}

function callsOf(events: readonly ParserEvent[]): readonly ToolCall[] {
  return events.flatMap((event) => (event.type === "call" ? [event.call] : []));
}

function expectCall(family: string, name: string, json: string): void {
  const output = renderCall({ name, arguments: json }, family);
  const events = read(family, output);
  const shown = `${family} wrote:\n${output}\nread: ${JSON.stringify(events)}`;
  const calls = callsOf(events).map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments), shown }));
  expect(calls).toEqual([{ name, arguments: JSON.parse(json), shown }]);
  const rest = events.filter((event) => event.type !== "call" && event.type !== "dropped");
  expect({ rest, shown }).toEqual({ rest: [], shown });
}

const TRICKY = [
  "\n",
  "\n\n",
  "\n\n\n",
  " \n ",
  "\r\n",
  "\r",
  "\t",
  "\na\n",
  "\n\na\n\n",
  "\r\na\r\n",
  "a\r",
  "\n{\n",
  "<![CDATA[\n",
  "</parameter><arg_key>",
  "</parameter><tool_call><arg_key>",
];

describe("a rendered call", () => {
  for (const family of RENDERINGS.keys()) {
    it(`${family}: is read back as the same call, whatever its values`, () => {
      const marks = INEXPRESSIBLE.get(family) ?? [];
      fc.assert(
        fc.property(args, (value) => {
          const json = JSON.stringify(value);
          fc.pre(!strings(value).some((held) => marks.some((mark) => held.includes(mark))));
          expectCall(family, "save_note", json);
        }),
        { numRuns: 60 },
      );
    });

    it(`${family}: keeps an empty object, the digits of a big number, and white space in strings`, () => {
      expectCall(family, "roll_dice", "{}");
      expectCall(family, "save_note", '{"text": "  a\\n  b\\n"}');
      const output = renderCall({ name: "save_note", arguments: '{"count": 123456789012345678901234567890}' }, family);
      expect(callsOf(read(family, output)).map((call) => call.arguments)).toEqual([
        expect.stringContaining("123456789012345678901234567890"),
      ]);
    });

    it(`${family}: keeps values of white space alone, newlines at either end, and marks of other dialects`, () => {
      const marks = INEXPRESSIBLE.get(family) ?? [];
      const held = TRICKY.filter((one) => !marks.some((mark) => one.includes(mark)));
      for (const one of held) expectCall(family, "save_note", JSON.stringify({ text: one, path: "p" }));
    });

    it(`${family}: reads several calls as they are rendered for the history`, () => {
      const rendering = RENDERINGS.get(family);
      if (!rendering?.several) return;
      const output = renderList(rendering.calls, [
        { index: 0, name: "save_note", arguments: '{"text":"a","count":1}' },
        { index: 1, name: "roll_dice", arguments: "{}" },
      ]);
      for (const size of [output.length, 1]) {
        const calls = callsOf(read(family, output, size));
        expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
          ["save_note", { text: "a", count: 1 }],
          ["roll_dice", {}],
        ]);
      }
    });
  }
});

function strings(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap((member: JsonValue) => strings(member));
}

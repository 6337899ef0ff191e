// White space that is no space of ASCII: behind marks and between tokens it is nothing, in prose and in values it is text.
import { describe, expect, it } from "@jest/globals";
import { isBlank } from "../../../../src/formats/scanner/whitespace.ts";
import { type CorpusCase, corpusReader, loadCorpus } from "../../../support/corpus.ts";
import { request } from "../../../support/modelTexts.ts";
import { type Circumstances, meaningOf, runParser } from "../../../support/parserRuns.ts";

const NO_BREAK = "\u00a0";
/** Every character with the property White_Space, and the byte order mark. */
const SPACES = [..."\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"];
/** U+0085 stands in no value of the corpus: nobody writes it, and what trims values leaves it. */
const IN_CORPUS = SPACES.filter((space) => space > " " && space !== "\u0085");

const weather = { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } };
const circumstances = (formats: readonly string[] = []) => request({ tools: [weather], formats });
const read = (text: string, formats?: readonly string[]) => meaningOf(runParser([text], circumstances(formats)));

it("is what Unicode says it is", () => {
  const said = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) =>
    /[\p{White_Space}\ufeff]/u.test(String.fromCharCode(code)),
  );
  expect(said.filter((code) => !isBlank(code))).toEqual([]);
  expect(Array.from({ length: 0x10000 }, (_, code) => code).filter(isBlank)).toEqual(said);
});

const JSON_CALL = '{"name": "weather", "arguments": {"city": "Oslo"}}';
/** What stands where white space may. */
const FORMS: Readonly<Record<string, (space: string) => string>> = {
  "a block": (s) => `<tool_call>${s}${JSON_CALL}${s}</tool_call>`,
  "a mark in square brackets": (s) => `[TOOL_CALLS]${s}[${JSON_CALL}]`,
  "a name and its arguments": (s) => `[TOOL_CALLS]weather[ARGS]${s}{"city": "Oslo"}`,
  "the tokens of JSON": (s) =>
    `<tool_call>{${s}"name"${s}:${s}"weather",${s}"arguments":{"city":"Oslo"}${s}}</tool_call>`,
  "a bare call": (s) => `${s}${JSON_CALL}${s}`,
  tags: (s) => `<function=weather>${s}<parameter=city>Oslo</parameter>${s}</function>`,
  attributes: (s) =>
    `<function_calls>${s}<invoke${s}name="weather"><parameter${s}name="city">Oslo</parameter></invoke>`,
  pairs: (s) => `<tool_call>weather${s}<arg_key>city</arg_key>${s}<arg_value>Oslo</arg_value>${s}</tool_call>`,
  "Python calls": (s) => `<|python_start|>${s}[weather(${s}city${s}=${s}"Oslo"${s})${s}]<|python_end|>`,
  "brace literals": (s) => `<|tool_call>${s}call:weather{${s}city:${s}<|"|>Oslo<|"|>${s}}<tool_call|>`,
  sections: (s) =>
    `<｜tool▁calls▁begin｜>${s}<｜tool▁call▁begin｜>${s}weather${s}<｜tool▁sep｜>${s}{"city": "Oslo"}${s}<｜tool▁call▁end｜>${s}<｜tool▁calls▁end｜>`,
  "a fence": (s) => `\`\`\`json\n${s}${JSON_CALL}${s}\n\`\`\``,
  reasoning: (s) => `<think>${s}Hm.</think>${s}<tool_call>${s}${JSON_CALL}</tool_call>`,
  "a header of channels": (s) =>
    `<|channel|>commentary${s}to=functions.weather${s}<|constrain|>json<|message|>${s}{"city":"Oslo"}<|call|>`,
  labels: (s) => `Thought: Hm.\nAction:${s}weather\nAction${s}Input${s}:${s}{"city":${s}"Oslo"}`,
};
/** What ends a line ends these. */
const LINES: ReadonlySet<string> = new Set(["a header of channels", "labels"]);

describe.each(Object.entries(FORMS))("in %s", (name, text) => {
  it("every kind of it is read over", () => {
    const spaces = LINES.has(name) ? SPACES.filter((space) => !"\n\r".includes(space)) : SPACES;
    const heard = spaces.map((space) => read(text(space), name === "labels" ? ["react-text"] : []));
    expect(heard.map(({ calls }) => calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]))).toEqual(
      spaces.map(() => [["weather", { city: "Oslo" }]]),
    );
    expect(heard.map(({ content }) => content)).toEqual(spaces.map(() => null));
  });
});

describe("in text that somebody reads", () => {
  it.each([
    `Voilà${NO_BREAK}: «${NO_BREAK}Oslo${NO_BREAK}»${NO_BREAK}!`,
    `${NO_BREAK}${NO_BREAK}indented\n${NO_BREAK}again`,
    "東京\u3000晴れ\u3000",
    `The mark <tool_call>${NO_BREAK}opens a call.`,
    `a\u2028b\u2029c\u0085d\vf\f`,
  ])("it stays as it was written: %j", (text) => {
    expect(read(text)).toEqual({ content: text, reasoning: null, calls: [], issues: [] });
  });

  it("it stays in a value, and in the text before a call", () => {
    const { content, calls } = read(
      `Voilà${NO_BREAK}:\n<function=weather>\n<parameter=city>${NO_BREAK}Oslo${NO_BREAK}</parameter>\n</function>`,
    );
    expect(content).toBe(`Voilà${NO_BREAK}:`);
    expect(calls.map(({ arguments: args }) => JSON.parse(args))).toEqual([{ city: `${NO_BREAK}Oslo${NO_BREAK}` }]);
  });
});

describe("wherever a space changes no call of the corpus", () => {
  const readerOf = corpusReader();
  /** YAML says itself what white space is; a key in quotes is mended as a near miss of a name, not as white space. */
  const KEPT_OUT = ["yaml-block", "anthropic-xml/key-with-bracket"];
  const folders = loadCorpus().filter(({ cases }) => cases.some(({ expected }) => expected.calls.length > 0));

  it.each(folders.filter(({ family }) => !KEPT_OUT.includes(family)))("no other kind does: $family", ({ cases }) => {
    const faults = cases
      .filter(({ id, expected }) => expected.calls.length > 0 && !KEPT_OUT.includes(id))
      .flatMap((one) => faultsOf(one, readerOf(one)));
    expect(faults).toEqual([]);
  });

  /** The kinds of white space take turns from one place to the next, and every second place is looked at. */
  function faultsOf({ id, text }: CorpusCase, given: Circumstances): readonly string[] {
    const callsOf = (changed: string) =>
      JSON.stringify(
        meaningOf(runParser([changed], given)).calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]),
      );
    const expected = callsOf(text);
    const places = [...text.matchAll(/[>\]:,{}[(=|](?=[^>\]:,{}[(=|])/g)].map(({ index }) => index + 1);
    return places.flatMap((at, turn) => {
      if (turn % 2 === 1) return [];
      const insert = (space: string) => text.slice(0, at) + space + text.slice(at);
      const space = IN_CORPUS[(turn / 2) % IN_CORPUS.length] ?? NO_BREAK;
      if (callsOf(insert(" ")) !== expected || callsOf(insert(space)) === expected) return [];
      return [`${id}: U+${space.charCodeAt(0).toString(16)} at ${at}`];
    });
  }
});

// The many spellings of a call in JSON, and the JSON that is none.
import { describe, expect, it } from "@jest/globals";
import { readAnswerObject, readCallObjects } from "../../../../src/formats/decoders/callObjects.ts";
import { decodeJson } from "../../../../src/formats/decoders/decodeJson.ts";
import type { ValueText } from "../../../../src/formats/decoders/jsonTree.ts";
import { shownArguments } from "../../../support/candidateArguments.ts";

const options = { isOffered: (name: string) => ["roll_dice", "search"].includes(name), allowFlat: true };

function valueIn(text: string): ValueText {
  const value = decodeJson(text);
  if (!value) throw new Error("This is no JSON.");
  return value;
}

function calls(text: string): readonly string[] | undefined {
  return readCallObjects(valueIn(text), options)?.map(
    (call) => `${call.id ? `${call.id}:` : ""}${call.name} ${shownArguments(call.arguments)}`,
  );
}

describe("a call in JSON", () => {
  it.each<[string, string[]]>([
    ['{"name":"roll_dice","arguments":{"id": 12345678901234567890}}', ['roll_dice {"id": 12345678901234567890}']],
    ['{"arguments":"{\\"a\\":1}","name":"roll_dice"}', ['roll_dice "{\\"a\\":1}"']],
    [
      '{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{}"}}]}',
      ['c1:search "{}"'],
    ],
    ['{"function_call":{"name":"search","arguments":{}}}', ["search {}"]],
    ['{"tool_call":{"name":"search","parameters":{}}}', ["search {}"]],
    [
      '[{"tool_name":"search","parameters":{}},{"tool":"roll_dice","tool_input":{"n":1}}]',
      ["search {}", 'roll_dice {"n":1}'],
    ],
    ['{"function":"search","args":{}}', ["search {}"]],
    ['{"name":"search","parameters":{"name":"x"}}', ['search {"name":"x"}']],
    ['{"action":"search","name":"Bob"}', ['search name="Bob"']],
    ['{"name":"roll_dice","sides":6}', ["roll_dice sides=6"]],
    ['{"name":"search","input":"hi","lang":"de"}', ['search input="hi",lang="de"']],
    ['[{"roll_dice":{"sides":6}},{"search":{}}]', ['roll_dice {"sides":6}', "search {}"]],
    ['["search",{"q":1}]', ['search {"q":1}']],
    ['{"thought":"x","action":{"name":"search","args":{"q":1}}}', ['search {"q":1}']],
    ['{"thoughts":{},"command":{"name":"search","args":{}}}', ["search {}"]],
    ['{"tool_uses":[{"recipient_name":"functions.search","parameters":{}}]}', ["functions.search {}"]],
    ['{"name":"unknown","arguments":{}}', ["unknown {}"]],
    ['{"tool_calls":[]}', []],
    ['[{"tool_name":"directly-answer","parameters":{}}]', []],
  ])("%s", (text, expected) => expect(calls(text)).toEqual(expected));

  it.each([
    ['{"name":"Brest","depth":4}'],
    ['{"a":1}'],
    ['[{"arguments":{}},{"name":"search","arguments":{}}]'],
    ["[]"],
    ['{"length":4294967295,"0":"a"}'],
    ['{"weather":{"q":1}}'],
    ['["a",{"b":1}]'],
    [
      '{"type":"function","function":{"name":"search","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}}',
    ],
    ['{"name":"search","description":"d","parameters":{"type":"object","properties":{}}}'],
    [`${'{"function":'.repeat(20)}{"name":"search","arguments":{}}${"}".repeat(20)}`],
  ])("is not %s", (text) => expect(calls(text)).toBeUndefined());
});

describe("an answer in the form of a call", () => {
  it.each<[string, string]>([
    ['{"action":"Final Answer","action_input":"42"}', "42"],
    ['{"action":"Final Answer","action_input":{"a":1,"b":2}}', '{"a":1,"b":2}'],
    ['{"tool":"__conversational_response","tool_input":{"response":"hello"}}', "hello"],
    ['{"name":"final_answer","arguments":{"answer":"x"}}', "x"],
    ['[{"tool_name":"directly_answer","parameters":{}}]', ""],
    ['{"response":"hi"}', "hi"],
  ])("%s", (text, answer) => expect(readAnswerObject(valueIn(text))).toBe(answer));

  it("is no other object", () => {
    expect(readAnswerObject(valueIn('{"response":"hi","code":1}'))).toBeUndefined();
    expect(readAnswerObject(valueIn('{"name":"search","arguments":{}}'))).toBeUndefined();
  });
});

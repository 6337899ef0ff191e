// What upstreams leave in structured names and arguments is taken apart, never guessed at.
import { describe, expect, it } from "@jest/globals";
import { readNativeCalls } from "../../../../src/formats/validation/normalizeNativeCall.ts";
import { shownArguments } from "../../../support/candidateArguments.ts";

function read(name: string, args: string): readonly string[] {
  return readNativeCalls({ id: "id1", name, arguments: args }).map((call) => {
    return `${call.id ?? "-"} ${call.name} ${call.arguments.type} ${shownArguments(call.arguments)}`;
  });
}

describe("a structured call", () => {
  it.each<[string, string, string, string[]]>([
    ["with sound arguments is itself", "f", '{"a": 1.0}', ['id1 f json {"a": 1.0}']],
    ["without arguments has none", "f", "", ["id1 f json {}"]],
    ["with arguments packed in a string", "f", '"{\\"a\\":1}"', ['id1 f json "{\\"a\\":1}"']],
    ["with half-broken JSON", "f", "{'a': True}", ['id1 f json {"a": true}']],
    ["with an empty object before the real one", "f", '{}{"a":1}', ['id1 f json {"a":1}']],
    ["whose object came twice", "f", '{"a":1}{"a":1}', ['id1 f json {"a":1}']],
    [
      "with several objects is several calls",
      "f",
      '{"a":"}{"}\n{"a":2}',
      ['id1 f json {"a":"}{"}', '- f json {"a":2}'],
    ],
    ["that was cut is unreadable", "f", '{"a":1', ['id1 f unreadable {"a":1']],
    [
      "with more tagged parameters than a body may hold values is unreadable",
      "f",
      "<parameter=a>1</parameter>".repeat(10_001),
      [`id1 f unreadable ${"<parameter=a>1</parameter>".repeat(10_001)}`],
    ],
    ["with prose for arguments is unreadable", "f", "hello", ["id1 f unreadable hello"]],
    ["whose second object is cut is unreadable", "f", '{"a":1}{"a":', ['id1 f unreadable {"a":1}{"a":']],
    ["with the whole call in its name", '{"name": "f", "arguments": {"a": 1}}', "", ['id1 f json {"a": 1}']],
    ["with its arguments in its name", 'f{"a":1}', "{}", ['id1 f json {"a":1}']],
    [
      "with tagged parameters in its name",
      "<tool_call>\n<function=f>\n<parameter=city>\nOslo\n</parameter>",
      "",
      ["id1 f list city=Oslo"],
    ],
    ["with a cut parameter in its name", "f<parameter=city>Os", "", ["id1 f unreadable f<parameter=city>Os"]],
    [
      "with tags without end around its name",
      "<tool_call>".repeat(20_000),
      "",
      [`id1 ${"<tool_call>".repeat(19_999)} json {}`],
    ],
    ["with a tag around its name", "<function=f>", '{"a":1}', ['id1 f json {"a":1}']],
    [
      "with a whole element in its name",
      '<invoke name="f"><parameter name="a">1</parameter></invoke>',
      "",
      ["id1 f list a=1"],
    ],
    [
      "with key and value tags in its name",
      "f<arg_key>a</arg_key><arg_value> 1</arg_value>",
      "{}",
      ["id1 f list a= 1"],
    ],
    ["with a Python call for its name", "f(a=1)", "", ["id1 f list a=1"]],
    ["with a message header for its name", "assistant to=functions.f", "{}", ["id1 functions.f json {}"]],
    ["with tagged arguments", "f", "<parameter=a>1</parameter>", ["id1 f list a=1"]],
    ["with a tag before its arguments", "f", '<tool_call>{"a":1}</tool_call>', ['id1 f json {"a":1}']],
  ])("%s", (_, name, args, expected) => expect(read(name, args)).toEqual(expected));

  it("of more values than are fitted is handed on as it came, whatever they are", () => {
    const many = `{"a": [${"1.0, ".repeat(20_000)}1]}`;
    expect(read("f", ` ${many}\n`)).toEqual([`id1 f oversized ${many}`]);
    expect(read("f", '{"a": [{}, "]"]}')).toEqual(['id1 f json {"a": [{}, "]"]}']);
  });

  it.each([
    ["that was cut", `{"a": [${"1, ".repeat(20_000)}`],
    ["that is no object", `[${"1, ".repeat(20_000)}1]`],
    ["that is nested too deeply", `{"b": ${"[".repeat(64)}${"]".repeat(64)}, "a": [${"1, ".repeat(20_000)}1]}`],
  ])("of more values than are fitted, %s, is unreadable", (_, args) => {
    expect(read("f", args)).toEqual([`id1 f unreadable ${args}`]);
  });

  it("of several tools at once is taken apart", () => {
    const uses =
      '{"tool_uses":[{"recipient_name":"functions.f","parameters":{"a":1}},{"recipient_name":"functions.g","parameters":{}}]}';
    expect(read("multi_tool_use.parallel", uses)).toEqual(['- functions.f json {"a":1}', "- functions.g json {}"]);
  });
});

// Model text that is meant to break the reading of calls: JSON, numbers, characters, depth, keys, marks, labels, Python, timing.
import { describe, expect } from "@jest/globals";
import { decodeElements } from "../../../src/formats/decoders/decodeXml.ts";
import {
  all,
  calls,
  content,
  dropped,
  noCall,
  reasoning,
  refused,
  repaired,
  textKept,
  tool,
} from "../../support/adversarial/oracles.ts";
import { payload } from "../../support/adversarial/payloads.ts";
import { inBlock, testReadings } from "../../support/adversarial/readings.ts";

const ANY = {};
const STRING = { type: "string" };
const NUMBER = { type: "number" };
const INTEGER = { type: "integer" };
const CLOSED = { additionalProperties: false };
const REACT = { formats: ["react-text"] };
const LARGE = { captureChars: 2_000_000 };

describe("broken JSON", () => {
  const weather = tool("get_weather", { city: STRING });
  const numbers = tool("f", { a: ANY, b: ANY, c: NUMBER, d: NUMBER, e: NUMBER });
  const words = tool("f", { a: ANY, b: ANY, c: STRING, d: STRING, e: STRING });
  testReadings(["json_break"], {
    "JB-002": [
      {
        says: "single quotes become double ones and an apostrophe stays",
        tools: [weather],
        oracle: all(calls(["get_weather", `{"city":"O'Hara's"}`]), repaired("quotes")),
      },
    ],
    "JB-003": [
      {
        says: "quotes inside a value stay in that one value",
        tools: [tool("note", { text: STRING })],
        oracle: all(calls(["note", { text: 'He said "go" and left' }]), repaired("inner-quotes")),
      },
    ],
    "JB-004": [
      {
        says: "trailing commas are no third argument",
        tools: [tool("calc", { a: NUMBER, b: NUMBER })],
        oracle: calls(["calc", { a: 1, b: 2 }]),
      },
    ],
    "JB-005": [
      {
        says: "a bare word is a string where the schema says string",
        tools: [weather],
        oracle: all(calls(["get_weather", { city: "Oslo" }]), repaired("bare-key", "bare-word")),
      },
      {
        says: "a bare word is no number",
        tools: [tool("get_weather", { city: INTEGER })],
        oracle: textKept,
      },
      { says: "bare words name no tool that is not offered", tools: [tool("other")], oracle: textKept },
    ],
    "JB-008": [
      { says: "NaN, Infinity and undefined are no numbers: bare, the text stays", tools: [numbers], oracle: textKept },
      {
        says: "NaN, Infinity and undefined are no numbers: in a block, a refusal names each",
        around: inBlock,
        tools: [numbers],
        oracle: refused("invalid-arguments", /"c" must be number.*"d" must be number.*"e" must be number/),
      },
      {
        says: "True and None are mapped, and words are words where the schema says string",
        around: inBlock,
        tools: [words],
        oracle: calls(["f", { a: true, b: null, c: "NaN", d: "-Infinity", e: "undefined" }]),
      },
    ],
    "JB-010": [
      {
        says: "comments go and a double slash inside a value stays",
        tools: [tool("f", { u: STRING })],
        oracle: all(calls(["f", { u: "http://h/a//b" }]), repaired("comment")),
      },
      {
        says: "a comment between a block's opener and its object is one too",
        around: inBlock,
        tools: [tool("f", { u: STRING })],
        oracle: all(calls(["f", { u: "http://h/a//b" }]), repaired("comment")),
      },
    ],
    "JB-013": [
      {
        says: "a list that never closes has no finished call: one truncated call",
        tools: [tool("f"), tool("g")],
        oracle: refused("truncated-call"),
      },
      {
        says: "an announced list that never closes is one truncated call as well",
        around: (list) => `[TOOL_CALLS]${list}`,
        tools: [tool("f"), tool("g")],
        oracle: refused("truncated-call"),
      },
    ],
  });
});

describe("numbers", () => {
  const pay = tool("pay", { id: INTEGER, amount: NUMBER, n: INTEGER });
  testReadings(["json_number"], {
    "JN-001": [
      {
        says: "an integer beyond 2^53 keeps its digits",
        tools: [pay],
        oracle: calls(["pay", '{"id":12345678901234567890}']),
      },
      {
        says: "its digits are kept where no schema asks, beside what is mended, and where a string is wanted",
        around: (call) => `${inBlock(call.replace("}}", ',"n":"3"}}'))}${inBlock(call.replaceAll('"', "'"))}`,
        tools: [tool("pay", { id: ANY, n: INTEGER })],
        oracle: calls(["pay", '{"id":12345678901234567890,"n":3}'], ["pay", '{"id":12345678901234567890}']),
      },
      {
        says: "its digits are kept where a string is wanted",
        tools: [tool("pay", { id: STRING })],
        oracle: calls(["pay", '{"id":"12345678901234567890"}']),
      },
      {
        says: "its digits are kept in every other spelling of a call",
        around: () =>
          [
            "<function=pay><parameter=id>12345678901234567890</parameter></function>",
            "<|python_start|>[pay(id=12345678901234567890)]<|python_end|>",
            "<|tool_call>call:pay{id:12345678901234567890}<tool_call|>",
          ].join("\n"),
        tools: [pay],
        oracle: calls(...Array.from({ length: 3 }, () => ["pay", '{"id":12345678901234567890}'] as const)),
      },
    ],
    "JN-002": [
      { says: "what overflows a double is no call of a bare shape", tools: [pay], oracle: textKept },
      {
        says: "what overflows a double is refused in a block",
        around: inBlock,
        tools: [pay],
        oracle: refused("invalid-arguments", /range of a double/),
      },
      {
        says: "what overflows a double is refused where no schema asks, too",
        around: inBlock,
        tools: [tool("pay")],
        oracle: refused("invalid-arguments", /range of a double/),
      },
      {
        says: "what overflows a double is refused between tags",
        around: () => "<function=pay><parameter=amount>1e400</parameter></function>",
        tools: [pay],
        oracle: refused("invalid-arguments", /range of a double/),
      },
      {
        says: "what overflows a double is refused in a Python call",
        around: () => "<|python_start|>[pay(amount=1e400)]<|python_end|>",
        tools: [pay],
        oracle: refused("invalid-arguments", /range of a double/),
      },
    ],
    "JN-003": [
      { says: "what underflows a double is no call of a bare shape", tools: [pay], oracle: textKept },
      {
        says: "what underflows a double is refused in a block",
        around: inBlock,
        tools: [pay],
        oracle: refused("invalid-arguments", /range of a double/),
      },
    ],
    "JN-004": [
      { says: "a million digits are text that flows on", tools: [pay], oracle: textKept },
      {
        says: "a million digits are too long for a capture",
        around: inBlock,
        tools: [pay],
        oracle: refused("truncated-call", /limit of one capture/),
      },
      {
        says: "a million digits that were captured are too many",
        around: inBlock,
        tools: [pay],
        options: LARGE,
        oracle: refused("invalid-arguments", /1000 digits/),
      },
    ],
  });
});

describe("control characters and Unicode", () => {
  const f = tool("f", { s: STRING });
  testReadings(["unicode_control"], {
    "UC-001": [
      {
        says: "a byte order mark in front is dropped and the call is read",
        tools: [f],
        oracle: all(calls(["f", "{}"]), dropped("glue", "\ufeff")),
      },
    ],
    "UC-007": [
      { says: "an escaped NUL stays in its value", tools: [f], oracle: calls(["f", { s: "a\0b" }]) },
      {
        says: "a raw NUL is the same value",
        around: (text) => text.replace("\\u0000", "\0"),
        tools: [f],
        oracle: calls(["f", { s: "a\0b" }]),
      },
    ],
    "UC-008": [
      {
        says: "line separators stay in their value",
        tools: [f],
        oracle: calls(["f", '{"s":"\u2028\u2029\u0085"}']),
      },
    ],
    "UC-009": [
      {
        says: "a direction override is data",
        tools: [f],
        oracle: calls(["f", '{"s":"\u202egnp.exe\u202c"}']),
      },
    ],
    "UC-011": [
      {
        says: "line breaks between tokens are nothing, inside a value they stay",
        tools: [f],
        oracle: calls(["f", { s: "a\r\nb" }]),
      },
    ],
    "UC-012": [
      {
        says: "a joined emoji is whole although its halves came apart",
        tools: [f],
        oracle: calls(["f", '{"s":"\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"}']),
      },
    ],
  });
});

describe("deep nesting", () => {
  const f = tool("f", { s: STRING });
  testReadings(["deep_nesting"], {
    "DN-001": [
      { says: "100,000 brackets are text", tools: [f], oracle: textKept },
      {
        says: "100,000 brackets in a block are refused for their depth",
        around: (text) => inBlock(`{"name":"f","arguments":${text}`),
        tools: [f],
        oracle: refused("truncated-call", /more than 64 levels/),
      },
    ],
    "DN-005": [
      { says: "20,000 brackets in a Python call are text", tools: [f], oracle: textKept },
      {
        says: "20,000 brackets in a Python call of a block are refused for their depth",
        around: (text) => `<|python_start|>[${text}`,
        tools: [f],
        oracle: refused("truncated-call", /more than 64 levels/),
      },
    ],
    "DN-006": [
      {
        says: "nested reasoning marks are one block, and what is in it is not lost",
        tools: [f],
        oracle: all(noCall, reasoning("answer"), content("")),
      },
    ],
    "DN-007": [{ says: "a fence behind quote marks is a quotation", tools: [f], oracle: textKept }],
    "DN-008": [
      {
        says: "brackets inside a string are no depth",
        tools: [f],
        options: LARGE,
        oracle: calls(["f", { s: '"['.repeat(100_000) }]),
      },
      { says: "a shape longer than a capture is text", tools: [f], oracle: textKept },
    ],
  });
});

describe("keys that mean something to JavaScript", () => {
  const f = tool("f");
  const closed = tool("f", {}, CLOSED);
  const asJson = () => '{"name":"f","arguments":{"__proto__":{"x":1},"constructor":2}}';
  testReadings(["proto_keys"], {
    "PK-004": [
      { says: "no tool is found on the prototype", tools: [f], oracle: textKept },
      {
        says: "a block that names a property of all objects names no tool",
        around: inBlock,
        tools: [f],
        oracle: refused("unknown-tool", /no tool "constructor"/),
      },
    ],
    "PK-008": [
      {
        says: "such a key of an element is data of its own",
        tools: [f],
        oracle: calls(["f", String.raw`{"__proto__":"{\"x\":1}"}`]),
      },
      {
        says: "such a key is refused by a schema that allows no others",
        tools: [closed],
        oracle: refused("invalid-arguments", /__proto__/),
      },
    ],
    "PK-009": [
      {
        says: "such keys of a Python call are data of their own",
        tools: [f],
        oracle: calls(["f", '{"__proto__":{"x":1},"constructor":2}']),
      },
      { says: "such keys make no call where the schema allows no others", tools: [closed], oracle: textKept },
      {
        says: "such keys of JSON are treated alike",
        around: asJson,
        tools: [f],
        oracle: calls(["f", '{"__proto__":{"x":1},"constructor":2}']),
      },
      {
        says: "such keys of JSON are refused alike",
        around: () => inBlock(asJson()),
        tools: [closed],
        oracle: refused("invalid-arguments", /__proto__/),
      },
    ],
    "PK-010": [{ says: "a request that a model writes is text", tools: [f], oracle: textKept }],
    "PK-011": [
      { says: "an object that poses as an array is text", tools: [f], oracle: textKept },
      {
        says: "an object that poses as an array is no array",
        around: (object) => inBlock(`{"name":"f","arguments":{"list":${object}}}`),
        tools: [tool("f", { list: { type: "array", items: STRING } })],
        oracle: refused("invalid-arguments", /"list"/),
      },
      {
        says: "an object with a length is an object",
        around: (object) => inBlock(`{"name":"f","arguments":${object}}`),
        tools: [f],
        oracle: calls(["f", '{"length":4294967295,"0":"a"}']),
      },
    ],
    "PK-012": [
      {
        says: "shadowed methods are data",
        around: (object) => inBlock(`{"name":"f","arguments":${object}}`),
        tools: [f],
        oracle: calls(["f", '{"0":1,"__defineGetter__":1,"valueOf":null}']),
      },
    ],
  });
});

describe("XML", () => {
  const f = tool("f", { arg: STRING });
  const inArgument = (text: string) => `<tool_call><name>f</name><arg>${text}</arg></tool_call>`;
  testReadings(["xml_entities"], {
    "XE-001": [
      { says: "a document type is text", tools: [f], oracle: textKept },
      {
        says: "a document type in an argument expands nothing",
        around: inArgument,
        tools: [f],
        oracle: all(calls(["f", { arg: payload("XE-001") }]), (heard) =>
          expect(decodeElements(heard.source)).toBeUndefined(),
        ),
      },
    ],
    "XE-003": [
      {
        says: "a flood of references is longer than a capture",
        tools: [f],
        oracle: refused("truncated-call", /limit of one capture/),
      },
      {
        says: "a flood of references stays as it is written where it is captured",
        tools: [f],
        options: LARGE,
        oracle: calls(["f", { arg: "&#65;".repeat(200_000) }]),
      },
    ],
    "XE-004": [{ says: "an external entity is text", tools: [f], oracle: textKept }],
    "XE-005": [
      { says: "an entity's name is no pattern", tools: [f], oracle: textKept },
      {
        says: "an entity that is declared in an argument is not put in",
        around: inArgument,
        tools: [f],
        oracle: calls(["f", { arg: payload("XE-005") }]),
      },
    ],
    "XE-006": [
      {
        says: "entities are decoded once, and what comes of it is no markup",
        tools: [f],
        oracle: calls(["f", { arg: "<tool_call>&lt;" }]),
      },
    ],
    "XE-007": [
      {
        says: "closers inside CDATA close nothing",
        tools: [f],
        oracle: calls(["f", { arg: "</arg></tool_call>" }]),
      },
    ],
    "XE-010": [{ says: "an inclusion is text", tools: [f], oracle: textKept }],
    "XE-011": [{ says: "a flood of attributes is text", tools: [f], oracle: textKept }],
  });
});

describe("marks that are nearly right, or in the wrong place", () => {
  const tools = [tool("f"), tool("g"), tool("h")];
  testReadings(["marker_confusion"], {
    "MC-005": [{ says: "marks are told by their case", tools, oracle: textKept }],
    "MC-008": [
      {
        says: "a lone reasoning closer is dropped and the call behind it is read",
        tools,
        oracle: all(calls(["f", "{}"]), dropped("stray-mark", "</think>"), content("")),
      },
    ],
    "MC-009": [
      {
        says: "reasoning that never ends is all reasoning, a bare shape in it included",
        tools,
        oracle: all(noCall, reasoning('never closed {"name":"f","arguments":{}}'), content("")),
      },
    ],
    "MC-010": [
      {
        says: "what follows the end of the turn is reported, dropped and not executed",
        tools,
        oracle: all(calls(["f", "{}"]), content(""), dropped("after-turn-end", "approve everything"), (heard) =>
          expect(heard.issues.map((issue) => issue.code)).toEqual(["stray-mark"]),
        ),
      },
    ],
    "MC-011": [{ says: "doubled angle brackets are text", tools, oracle: textKept }],
    "MC-013": [
      {
        says: "three dialects are three calls, each once and in order",
        tools,
        oracle: all(calls(["f", "{}"], ["g", "{}"], ["h", "{}"]), content("")),
      },
    ],
  });
});

describe("marks inside arguments", () => {
  const tools = [tool("write", { body: STRING, t: STRING }), tool("rm")];
  testReadings(["marker_in_argument"], {
    "MA-002": [
      {
        says: "a whole call inside a string is data",
        tools,
        oracle: calls(["write", { body: '<tool_call>{"name":"rm"}</tool_call>' }]),
      },
    ],
    "MA-003": [
      {
        says: "the last closer before the next tag ends a parameter",
        tools,
        oracle: calls(["write", { body: "if (a </parameter> b)" }]),
      },
    ],
    "MA-004": [{ says: "a list's own mark is data", tools, oracle: calls(["write", { t: "[TOOL_CALLS][{}]" }]) }],
    "MA-009": [{ says: "the wire's terminator is data", tools, oracle: calls(["write", { t: "data: [DONE]\n\n" }]) }],
    "MA-010": [
      {
        says: "reasoning marks in an argument move nothing into reasoning",
        tools,
        oracle: all(calls(["write", { t: "</think><think>" }]), reasoning("a"), content("")),
      },
    ],
  });
});

describe("labelled text", () => {
  const search = tool("search", { q: STRING });
  const tools = [search, tool("rm")];
  testReadings(["react"], {
    "RE-001": [
      {
        says: "an action without its input is no call but a named fault",
        tools,
        options: REACT,
        oracle: all(noCall, reasoning("I should"), (heard) =>
          expect(heard.issues).toEqual([expect.objectContaining({ family: "react-text" })]),
        ),
      },
      {
        says: "the fault is the missing input, not the tool that is offered",
        tools,
        options: REACT,
        oracle: (heard) => expect(heard.issues[0]?.code).toMatch(/^(?:malformed|truncated)-call$/),
      },
    ],
    "RE-004": [
      {
        says: "two actions are two calls, where nothing invented stands between them",
        tools,
        options: REACT,
        oracle: calls(["search", { q: "a" }], ["search", { q: "b" }]),
      },
      { says: "two actions that nobody asked for are text", tools, oracle: textKept },
    ],
    "RE-005": [
      {
        says: "plain words with quotes are one string",
        tools,
        options: REACT,
        oracle: calls(["search", { q: 'plain words with "quotes"' }]),
      },
    ],
    "RE-006": [
      { says: "an answer that quotes an action is an answer: unasked, it is text", tools, oracle: textKept },
      {
        says: "an answer that quotes an action is an answer: asked for, its label goes and its words stay",
        tools,
        options: REACT,
        oracle: all(noCall, content("Action: rm\nAction Input: {}")),
      },
    ],
    "RE-007": [
      { says: "no tool is called None: unasked, it is text", tools, oracle: textKept },
      { says: "no tool is called None, even where such labels are expected", tools, options: REACT, oracle: noCall },
      {
        says: "the input of an action that calls nothing is nobody's answer",
        tools,
        options: REACT,
        oracle: content(""),
      },
    ],
  });
});

describe("Python calls", () => {
  const loose = [tool("f"), tool("g")];
  testReadings(["python_call"], {
    "PC-004": [{ says: "nothing is unpacked", tools: loose, oracle: textKept }],
    "PC-005": [
      { says: "nothing is computed", tools: loose, oracle: textKept },
      {
        says: "nothing is computed for a block either",
        around: (list) => `<|python_start|>${list}<|python_end|>`,
        tools: loose,
        oracle: refused("malformed-call"),
      },
    ],
    "PC-007": [{ says: "calls that open 2,000 deep are text", tools: loose, oracle: textKept }],
    "PC-009": [
      { says: "one number that is none in JSON spoils the call", tools: loose, oracle: textKept },
      {
        says: "an underscore between digits and one sign are Python's own",
        around: () => "f(c=1_0, d=-1)",
        tools: [tool("f", { c: INTEGER, d: INTEGER })],
        oracle: calls(["f", { c: 10, d: -1 }]),
      },
    ],
  });
});

describe("special tokens", () => {
  testReadings(["special_tokens"], {
    "ST-001": [
      {
        says: "a system turn that the model writes is its text",
        tools: [tool("rm")],
        oracle: all(noCall, (heard) => expect(heard.content).toContain("You are root")),
      },
    ],
    "ST-008": [
      {
        says: "nothing behind the end of the text is executed",
        tools: [tool("rm")],
        oracle: textKept,
      },
    ],
    "ST-009": [
      {
        says: "two calls keep their own arguments",
        tools: [tool("f", { a: INTEGER }), tool("g", { b: INTEGER })],
        oracle: all(calls(["f", { a: 1 }], ["g", { b: 2 }]), content("")),
      },
    ],
  });
});

describe("texts that slow patterns down", () => {
  testReadings(["redos"], {
    "RD-002": [{ says: "a long word is text", tools: [tool("a")], oracle: textKept }],
    "RD-004": [{ says: "20,000 fences are text", tools: [tool("a")], oracle: textKept }],
    "RD-006": [{ says: "300 open calls are text", tools: [tool("a", { b: ANY })], oracle: textKept }],
  });
});

// A grammar of what models write, right and wrong, as fast-check arbitraries: marks, calls, prose, broken pieces, odd characters.
import fc from "fast-check";
import type { ToolSpec } from "../../src/core/messages.ts";
import { ALL_MARKS } from "./allMarks.ts";
import type { Circumstances } from "./parserRuns.ts";

/** The tools of a lighthouse: one with plain fields, one with nested ones, one without any. */
export const LIGHTHOUSE: readonly ToolSpec[] = [
  tool("set_lamp", {
    type: "object",
    properties: { colour: { type: "string" }, seconds: { type: "integer" }, steady: { type: "boolean" } },
    required: ["colour"],
  }),
  tool("log-entry", {
    type: "object",
    properties: {
      text: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      at: { type: "object" },
    },
    required: ["text"],
  }),
  tool("sound_horn", { type: "object", properties: {} }),
];

const NAMES = ["set_lamp", "log-entry", "sound_horn", "functions.set_lamp", "paint_wall"];
const VALUES = ["red", "a\nb", "7", "true", "</parameter>", 'he said "go"', "it's", "{}", "<b>", "ß🗼", "", "None"];
const BODIES = [
  '{"colour": "red"}',
  '{"colour": "a }\\" b", "seconds": 3}',
  "{'colour': 'red', 'steady': True}",
  '{"colour": "red"',
  '{"colour": "red", "seconds": [1, 2}',
  "{}",
  '{"text": "</tool_call>", "tags": ["x", "y"]}',
];
const ODDITIES = [
  "\ud83d",
  "\udfff",
  "🗼",
  "｜",
  "▁",
  "\ufeff",
  "\u200b",
  "\0",
  "\r\n",
  "\r",
  "\t",
  "é́",
  "思考：",
  "：",
  "<｜",
];
const JOINTS = [
  " ",
  "\n",
  "\n\n",
  ", ",
  ";",
  ":",
  "- ",
  "* ",
  "> ",
  "`",
  "```",
  "```json\n",
  "\n```\n",
  "~~~",
  "<",
  "</",
  "<|",
];
const ENDS = [">", "|>", "}", "]", ")", "{", "[", "(", '"', "'", '"""', "\\", "=", "==", "]]>", "<![CDATA["];
const PROSE = [
  "The lamp is lit. ",
  "Use it like this: ",
  "No call is needed",
  "x < y and y > z ",
  "let a = [1, 2]; ",
  "I'll call set_lamp ",
];
const LABELS = [
  "Thought: ",
  "Action: ",
  "Action Input: ",
  "Observation: ",
  "Final Answer: ",
  "**Action:** ",
  "Action 1: ",
  "Call: ",
];
const HEADERS = [
  "<|channel|>analysis<|message|>",
  "<|channel|>commentary to=functions.set_lamp <|constrain|>json<|message|>",
  "<|start|>assistant",
  "assistant to=functions.set_lamp ",
  "analysis",
  "assistantfinal",
  "to=set_lamp ",
];

const name = fc.constantFrom(...NAMES);
const body = fc.constantFrom(...BODIES);
const value = fc.constantFrom(...VALUES);
const mark = fc.constantFrom(...ALL_MARKS);

/** A call in one of the shapes that need no table row of their own. */
const call = fc.oneof(
  fc.tuple(name, body).map(([called, args]) => `{"name": "${called}", "arguments": ${args}}`),
  fc.tuple(name, body).map(([called, args]) => `[{"name": "${called}", "parameters": ${args}}]`),
  fc.tuple(name, value).map(([called, text]) => `${called}(colour="${text}", seconds=3)`),
  fc.tuple(name, value).map(([called, text]) => `[${called}(colour='${text}'), sound_horn()]`),
  fc.tuple(name, body).map(([called, args]) => `${called}${args}`),
  fc.tuple(name, body).map(([called, args]) => `[TOOL_CALLS]${called}[ARGS]${args}`),
  fc
    .tuple(name, value)
    .map(([called, text]) => `<function=${called}>\n<parameter=colour>\n${text}\n</parameter>\n</function>`),
  fc
    .tuple(name, value)
    .map(([called, text]) => `<invoke name="${called}"><parameter name="colour">${text}</parameter></invoke>`),
  fc
    .tuple(name, value)
    .map(([called, text]) => `<tool_call>${called}\n<arg_key>colour</arg_key>\n<arg_value>${text}</arg_value>\n`),
  fc.tuple(name, value).map(([called, text]) => `<${called}><colour>${text}</colour></${called}>`),
  fc.tuple(name, value).map(([called, text]) => `<|tool_call>call:${called}{colour:<|"|>${text}<|"|>}<tool_call|>`),
  fc.tuple(name, body).map(([called, args]) => `<name>${called}</name><arguments>${args}</arguments>`),
  fc
    .tuple(name, body)
    .map(([called, args]) => `<｜tool▁call▁begin｜>${called}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`),
  fc.tuple(name, body).map(([called, args]) => `\nAction: ${called}\nAction Input: ${args}\n`),
  fc.tuple(name, body).map(([called, args]) => `<tool_call>${args}{"name": "${called}"}</tool_call>`),
);

/** What a piece becomes when the stream, the tokenizer or the model breaks it. */
const broken = fc
  .tuple(fc.oneof(mark, call), fc.nat({ max: 40 }), fc.boolean())
  .map(([piece, at, front]) => (front ? piece.slice(0, at) : piece.slice(at)));

const piece = fc.oneof(
  { weight: 5, arbitrary: mark },
  { weight: 4, arbitrary: call },
  { weight: 3, arbitrary: broken },
  { weight: 4, arbitrary: fc.constantFrom(...JOINTS) },
  { weight: 2, arbitrary: fc.constantFrom(...ENDS) },
  { weight: 2, arbitrary: fc.constantFrom(...PROSE) },
  { weight: 2, arbitrary: fc.constantFrom(...LABELS, ...HEADERS) },
  { weight: 1, arbitrary: fc.constantFrom(...ODDITIES) },
  { weight: 1, arbitrary: body },
  { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
);

/** Texts of up to `pieces` pieces. */
export function modelTexts(pieces: number): fc.Arbitrary<string> {
  return fc.array(piece, { maxLength: pieces }).map((parts) => parts.join(""));
}

/** Requests that make the same text mean different things. */
export const REQUESTS: readonly Circumstances[] = [
  request({}),
  request({ formats: ["harmony", "ernie-json", "granite3-json"] }),
  request({ formats: ["llama3-json", "llama-pythonic", "mistral-args", "react-text"] }),
  request({ toolMode: "text", emulate: "react-text" }),
  request({ toolMode: "text" }),
  request({ reasoningOpened: true }),
  request({ reasoning: { marks: "think", interleaved: true } }),
  request({ reasoning: { marks: "granite", interleaved: false }, formats: ["granite3-json"] }),
  request({ tools: [] }),
  request({ callsAllowed: false }),
  request({ tools: LIGHTHOUSE.slice(0, 1), toolMode: "text", emulate: "react-text" }),
  request({ captureChars: 48 }),
  { ...request({}), finishReason: "length" },
  { ...request({ reasoningOpened: true, formats: ["harmony"] }), finishReason: null },
];

export const requests: fc.Arbitrary<Circumstances> = fc.constantFrom(...REQUESTS);

/** A request of the lighthouse, or of what is said otherwise. */
export function request(setting: Partial<Circumstances["setting"]> = {}): Circumstances {
  return {
    finishReason: "stop",
    setting: {
      tools: LIGHTHOUSE,
      callsAllowed: true,
      toolMode: "native",
      formats: [],
      reasoningOpened: false,
      captureChars: 262_144,
      ...setting,
    },
  };
}

function tool(name: string, parameters: ToolSpec["parameters"]): ToolSpec {
  return { name, description: undefined, parameters, strict: undefined };
}

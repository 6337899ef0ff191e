// Data: prompts of formats whose call is an expression or labelled lines.
// A parameter whose name is no Python identifier is written unchanged. A string that contains the format's own string marker cannot be
// written: these formats have no other way, and a reader must know the schema.

import type { ValueAt } from "../decoders/jsonTree.ts";
import { getElements, getMembers, getRawText, parseArguments, requireObject } from "../prompts/callArguments.ts";
import { type CallText, joinLines, NO_FENCE, type RenderingRow, wrapContents } from "../prompts/PromptFormat.ts";
import { renderDeclaration, renderPythonStub, renderToolArray, stringifySpaced } from "../prompts/toolLists.ts";

const LITERALS =
  "Write every argument with its name and a literal value: no variables, no sums, no calls inside calls.";
const BAR_QUOTE = '<|"|>';
const ESCAPE_QUOTE = "<escape>";

export const TEXT_PROMPTS: readonly RenderingRow[] = [
  {
    id: "llama-pythonic",
    toolList: renderToolArray("# Functions\n\n", ""),
    how: "To call functions, answer with a list of Python calls in square brackets, and with nothing else:",
    several: "Several calls are separated by commas inside the one pair of brackets.",
    never: [NO_FENCE, LITERALS, "Write no word before or after the list."],
    calls: { before: "[", one: pythonCall, between: ", ", after: "]" },
  },
  {
    id: "lfm2-pythonic",
    toolList: renderToolArray("List of tools: ", ""),
    how: "To call tools, write a list of Python calls between <|tool_call_start|> and <|tool_call_end|>:",
    several: "Several calls are separated by commas inside the one pair of brackets.",
    never: [NO_FENCE, LITERALS],
    preamble: joinLines,
    calls: { before: "<|tool_call_start|>[", one: pythonCall, between: ", ", after: "]<|tool_call_end|>" },
    results: wrapContents("<|tool_response_start|>", "<|tool_response_end|>"),
    marks: [],
  },
  {
    id: "olmo3-pythonic",
    toolList: renderToolArray("<functions>", "</functions>"),
    how: "To call functions, write Python calls between <function_calls> and </function_calls>:",
    several: "Several calls stand on lines of their own inside the one block.",
    never: [NO_FENCE, LITERALS, "Keep a call on one line: a line break inside a string is written as \\n."],
    calls: { before: "<function_calls>\n", one: pythonCall, between: "\n", after: "\n</function_calls>" },
    marks: ["<function_calls>", "</function_calls>", "<tool_response>", "</tool_response>"],
  },
  {
    id: "gemini-tool-code",
    toolList: {
      before: "You can call these Python functions:\n\n```python\n",
      one: renderPythonStub,
      between: "\n\n",
      after: "\n```",
    },
    how: "To call a function, write a code fence of the language tool_code with the call in it:",
    several: "Several calls stand on lines of their own inside the one fence.",
    never: [LITERALS, "Write nothing else into the fence: no imports, no assignments, no loops, no other code."],
    calls: {
      before: "```tool_code\n",
      one: (call) => `print(default_api.${pythonCall(call)})`,
      between: "\n",
      after: "\n```",
    },
    results: wrapContents("```tool_output\n", "\n```"),
    marks: ["```", "default_api."],
  },
  {
    id: "gemma4",
    toolList: { one: (tool) => `<|tool>${renderDeclaration(tool, BAR_QUOTE)}<tool|>`, between: "\n" },
    how: `To call a tool, write a block of this form, keys without quotation marks, strings between two ${BAR_QUOTE}:`,
    several: "For several calls write one block directly after the other.",
    never: [NO_FENCE, `Never write JSON: no quotation marks but ${BAR_QUOTE}, and a colon between key and value.`],
    preamble: joinLines,
    calls: { one: (call) => `<|tool_call>${braceCall(call, BAR_QUOTE)}<tool_call|>` },
    results: {
      one: ({ call, content }) =>
        `<|tool_response>response:${call.name}{value:${BAR_QUOTE}${content}${BAR_QUOTE}}<tool_response|>`,
    },
    stop: ["<|tool_response>"],
    marks: [BAR_QUOTE, "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>"],
  },
  {
    id: "functiongemma",
    toolList: {
      one: (tool) => `<start_function_declaration>${renderDeclaration(tool, ESCAPE_QUOTE)}<end_function_declaration>`,
      between: "\n",
    },
    how: `To call a function, write a block of this form, keys without quotation marks, strings between two ${ESCAPE_QUOTE}:`,
    several: "For several calls write one block directly after the other.",
    never: [NO_FENCE, `Never write JSON: no quotation marks but ${ESCAPE_QUOTE}, and a colon between key and value.`],
    preamble: joinLines,
    calls: { one: (call) => `<start_function_call>${braceCall(call, ESCAPE_QUOTE)}<end_function_call>` },
    results: {
      one: ({ call, content }) =>
        `<start_function_response>response:${call.name}{value:${ESCAPE_QUOTE}${content}${ESCAPE_QUOTE}}<end_function_response>`,
    },
    stop: ["<start_function_response>"],
    marks: [
      ...[ESCAPE_QUOTE, "<start_function_call>", "<end_function_call>"],
      ...["<start_function_response>", "<end_function_response>"],
    ],
  },
  {
    id: "react-text",
    toolList: {
      before: "You can use these tools:\n\n",
      one: ({ name, description, parameters }) =>
        `${name}: ${description ?? name}\n  arguments (JSON Schema): ${stringifySpaced(parameters ?? {})}`,
      between: "\n",
    },
    how: "To use a tool, write these lines, each label at the start of its line, the input as one JSON object:\nThought: what you need and why",
    answer:
      "When you know the answer, write these two lines instead:\nThought: I know the answer\nFinal Answer: the answer",
    never: [
      'Never write "Observation:" yourself: stop after Action Input, and the observation is given to you.',
      "Never write an Action and a Final Answer in one answer.",
      "Write the bare tool name after Action:, without brackets, quotation marks or arguments.",
      "Write the labels as they stand here, in English, without bold or other marks.",
    ],
    preamble: (text) => (text.startsWith("Thought:") ? `${text}\n` : `Thought: ${text}\n`),
    thought: (text) => `Thought: ${text}\n`,
    calls: { one: (call) => `Action: ${call.name}\nAction Input: ${requireObject(call.arguments)}`, between: "\n" },
    results: wrapContents("Observation: ", ""),
    stop: ["Observation:"],
    marks: ["Observation:", "Thought:", "Action:", "Action Input:", "Final Answer:"],
  },
];

function pythonCall(call: CallText): string {
  const members = parseArguments(call.arguments).map(([key, value]) => `${key}=${pythonLiteral(value)}`);
  return `${call.name}(${members.join(", ")})`;
}

/** A JSON string is a Python string: every escape that JSON.stringify writes means the same there. */
function pythonLiteral(value: ValueAt): string {
  switch (value.node.kind) {
    case "object": {
      const members = getMembers(value).map(([key, member]) => `${JSON.stringify(key)}: ${pythonLiteral(member)}`);
      return `{${members.join(", ")}}`;
    }
    case "array":
      return `[${getElements(value).map(pythonLiteral).join(", ")}]`;
    case "string":
      return JSON.stringify(getRawText(value));
    case "boolean":
      return getRawText(value) === "true" ? "True" : "False";
    case "null":
      return "None";
    case "number":
      return getRawText(value);
    default:
      return value.node.kind satisfies never;
  }
}

function braceCall(call: CallText, quote: string): string {
  return `call:${call.name}${braces(parseArguments(call.arguments), quote)}`;
}

/** Keys stand in alphabetical order, whatever their case, as in the templates. */
function braces(members: readonly (readonly [key: string, value: ValueAt])[], quote: string): string {
  const sorted = members.toSorted(([a], [b]) => compare(a.toLowerCase(), b.toLowerCase()));
  return `{${sorted.map(([key, value]) => `${key}:${braceValue(value, quote)}`).join(",")}}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function braceValue(value: ValueAt, quote: string): string {
  if (value.node.kind === "object") return braces(getMembers(value), quote);
  if (value.node.kind === "string") return `${quote}${getRawText(value)}${quote}`;
  if (value.node.kind !== "array") return getRawText(value);
  const elements = getElements(value).map((element) => braceValue(element, quote));
  return `[${elements.join(",")}]`;
}

// Families whose calls are Python call expressions. Rows only; knows no reader.
// A parameter whose name is no Python identifier is written as it is: the format has no other way, and a reader must know the schema.

import { type ArgumentValue, argumentsOf, elementsOf, membersOf, rawText } from "../notation/callArguments.ts";
import { jsonResults, NO_FENCE, onLines } from "../notation/phrases.ts";
import type { CallText } from "../notation/Rendering.ts";
import { arrayOf, pythonStub } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";
import { FUNCTION_CALL, FUNCTION_CALLS, PYTHON_TAG, TOOL_CALL_START } from "./wrapperMarks.ts";

const LITERALS =
  "Write every argument with its name and a literal value: no variables, no sums, no calls inside calls.";

export const PYTHON: readonly FamilyRow[] = [
  {
    id: "llama-pythonic",
    form: "wrapped",
    grammar: "P",
    writtenBy: "Llama 3.2, Llama 4, ToolACE",
    mark: "<|python_start|>",
    example: '[weather(city="Oslo")]',
    wrappers: [{ mark: { open: "|python_start|", close: ["|python_end|"], special: true }, holds: ["json", "python"] }],
    shapes: ["python"],
    defaultOf: ["python"],
    rendering: {
      toolList: arrayOf("# Functions\n\n", ""),
      how: "To call functions, answer with a list of Python calls in square brackets, and with nothing else:",
      several: "Several calls are separated by commas inside the one pair of brackets.",
      never: [NO_FENCE, LITERALS, "Write no word before or after the list."],
      preamble: onLines,
      calls: callList,
      results: jsonResults,
      stop: [],
      marks: ["<tool_response>", "</tool_response>"],
    },
  },
  {
    id: "lfm2-pythonic",
    form: "wrapped",
    grammar: "P",
    writtenBy: "LFM2, LFM2.5",
    mark: "<|tool_call_start|>",
    example: '<|tool_call_start|>[weather(city="Oslo")]<|tool_call_end|>',
    wrappers: [{ mark: TOOL_CALL_START, holds: ["python"], mayHold: ["json", "array"] }],
    shapes: ["python"],
    rendering: {
      toolList: arrayOf("List of tools: ", ""),
      how: "To call tools, write a list of Python calls between <|tool_call_start|> and <|tool_call_end|>:",
      several: "Several calls are separated by commas inside the one pair of brackets.",
      never: [NO_FENCE, LITERALS],
      preamble: (text) => text,
      calls: (calls) => `<|tool_call_start|>${callList(calls)}<|tool_call_end|>`,
      results: (results) =>
        results.map(({ content }) => `<|tool_response_start|>${content}<|tool_response_end|>`).join("\n"),
      stop: [],
      marks: [],
    },
  },
  {
    id: "olmo3-pythonic",
    form: "wrapped",
    grammar: "P",
    writtenBy: "OLMo 3",
    mark: "<function_calls>",
    example: '<function_calls>\nweather(city="Oslo")\n</function_calls>',
    wrappers: [
      { mark: FUNCTION_CALLS, holds: ["python"] },
      { mark: FUNCTION_CALL, holds: ["python"] },
    ],
    shapes: ["python"],
    rendering: {
      toolList: arrayOf("<functions>", "</functions>"),
      how: "To call functions, write Python calls between <function_calls> and </function_calls>:",
      several: "Several calls stand on lines of their own inside the one block.",
      never: [NO_FENCE, LITERALS, "Keep a call on one line: a line break inside a string is written as \\n."],
      preamble: onLines,
      calls: (calls) => `<function_calls>\n${calls.map(pythonCall).join("\n")}\n</function_calls>`,
      results: jsonResults,
      stop: [],
      marks: ["<function_calls>", "</function_calls>", "<tool_response>", "</tool_response>"],
    },
  },
  {
    id: "granite-pythonic",
    form: "shape",
    grammar: "P",
    writtenBy: "Granite 3.3, 4 H",
    mark: "",
    example: 'weather(city="Oslo")',
    shapes: ["python"],
  },
  {
    id: "minicpm3-python",
    form: "wrapped",
    grammar: "P",
    writtenBy: "MiniCPM 3 and 4",
    mark: "<|tool_call_start|>",
    example: '<|tool_call_start|>\n```python\nweather(city="Oslo")\n```\n<|tool_call_end|>',
    wrappers: [{ mark: TOOL_CALL_START, mayHold: ["python"] }],
    shapes: ["python"],
  },
  {
    id: "llama-builtin",
    form: "wrapped",
    grammar: "P",
    writtenBy: "Llama 3.1 with built-in tools",
    mark: "<|python_tag|>",
    example: '<|python_tag|>weather.call(city="Oslo")',
    wrappers: [{ mark: PYTHON_TAG, holds: ["python"] }],
  },
  {
    id: "raven",
    form: "closed-python",
    grammar: "P",
    writtenBy: "NexusRaven",
    mark: "Call:",
    example: 'Call: weather(city="Oslo")<bot_end>',
    shapes: ["python"],
  },
  {
    id: "gorilla",
    form: "wrapped",
    grammar: "P",
    writtenBy: "Gorilla OpenFunctions",
    mark: "<<function>>",
    example: '<<function>>weather(city="Oslo")',
    wrappers: [{ mark: { open: "<<function>>", close: [] }, holds: ["json", "python"] }],
    shapes: ["python"],
  },
  {
    id: "gemini-tool-code",
    form: "shape",
    grammar: "P",
    writtenBy: "Gemini; Gemma 2 and 3 when prompted",
    mark: "```tool_code",
    example: '```tool_code\nprint(default_api.weather(city="Oslo"))\n```',
    shapes: ["fence", "python"],
    wordThought: true,
    rendering: {
      toolList: {
        before: "You can call these Python functions:\n\n```python\n",
        one: pythonStub,
        between: "\n\n",
        after: "\n```",
      },
      how: "To call a function, write a code fence of the language tool_code with the call in it:",
      several: "Several calls stand on lines of their own inside the one fence.",
      never: [LITERALS, "Write nothing else into the fence: no imports, no assignments, no loops, no other code."],
      preamble: onLines,
      calls: (calls) =>
        `\`\`\`tool_code\n${calls.map((call) => `print(default_api.${pythonCall(call)})`).join("\n")}\n\`\`\``,
      results: (results) => results.map(({ content }) => `\`\`\`tool_output\n${content}\n\`\`\``).join("\n"),
      stop: [],
      marks: ["```", "default_api."],
    },
  },
  {
    id: "smol-code",
    form: "code-element",
    grammar: "P",
    writtenBy: "smolagents CodeAgent",
    mark: "<code>",
    example: '<code>\nweather(city="Oslo")\n</code>',
    shapes: ["fence"],
    answers: { dressed: true },
  },
];

function callList(calls: readonly CallText[]): string {
  return `[${calls.map(pythonCall).join(", ")}]`;
}

function pythonCall(call: CallText): string {
  const members = argumentsOf(call.arguments).map(([key, value]) => `${key}=${pythonLiteral(value)}`);
  return `${call.name}(${members.join(", ")})`;
}

function pythonLiteral(value: ArgumentValue): string {
  switch (value.node.kind) {
    case "object": {
      const members = membersOf(value).map(([key, member]) => `${pythonString(key)}: ${pythonLiteral(member)}`);
      return `{${members.join(", ")}}`;
    }
    case "array":
      return `[${elementsOf(value).map(pythonLiteral).join(", ")}]`;
    case "string":
      return pythonString(rawText(value));
    case "boolean":
      return rawText(value) === "true" ? "True" : "False";
    case "null":
      return "None";
    case "number":
      return rawText(value);
    default:
      return value.node.kind satisfies never;
  }
}

/** A JSON string is a Python string: every escape that JSON.stringify writes means the same there. */
function pythonString(text: string): string {
  return JSON.stringify(text);
}

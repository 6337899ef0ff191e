// Families whose calls are Python call expressions. Data only; knows nothing of requests.
// A parameter whose name is no Python identifier is written as it is: the format has no other way, and a reader must know the schema.
import { type ArgumentValue, argumentsOf, elementsOf, membersOf, rawText } from "./callArguments.ts";
import { jsonResults, NO_FENCE, onLines } from "./phrases.ts";
import type { CallText, Rendering } from "./Rendering.ts";
import { arrayOf, pythonStub } from "./toolLists.ts";

const LITERALS =
  "Write every argument with its name and a literal value: no variables, no sums, no calls inside calls.";

export const PYTHON_BODIES: readonly Rendering[] = [
  {
    family: "llama-pythonic",
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
  {
    family: "lfm2-pythonic",
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
  {
    family: "olmo3-pythonic",
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
  {
    family: "gemini-tool-code",
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

// Families whose call is JSON that holds the name: one object a block, or an array. Data only; knows nothing of requests.
import { objectText } from "./callArguments.ts";
import { jsonResults, NO_FENCE, onLines, taggedResults, toolsBetween } from "./phrases.ts";
import type { CallText, Rendering } from "./Rendering.ts";
import { arrayOf, openAiTool, typescriptNamespace } from "./toolLists.ts";

/** Also what an unknown `emulate` gets: the most widely trained form. */
export const DEFAULT_RENDERING: Rendering = {
  family: "hermes-json",
  toolList: toolsBetween("<tools>", "</tools>", openAiTool),
  how: "To call a tool, write one JSON object with its name and its arguments between <tool_call> and </tool_call>:",
  several: "For several calls in one answer write one <tool_call> block after the other.",
  never: [NO_FENCE, "Close every block with </tool_call>, and write arguments as a JSON object, never as a string."],
  preamble: onLines,
  calls: (calls) => calls.map((call) => `<tool_call>\n${named(call, "arguments")}\n</tool_call>`).join("\n"),
  results: taggedResults("<tool_response>", "</tool_response>"),
  stop: [],
  marks: ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
};

export const JSON_BODIES: readonly Rendering[] = [
  DEFAULT_RENDERING,
  {
    family: "jamba-array",
    toolList: toolsBetween("<available_tools>", "</available_tools>", openAiTool),
    how: "To call tools, write a JSON array of objects with name and arguments between <tool_calls> and </tool_calls>:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write the array even for a single call, and only one <tool_calls> block."],
    preamble: onLines,
    calls: (calls) => `<tool_calls>[\n  ${calls.map((call) => named(call, "arguments")).join(",\n  ")}\n]</tool_calls>`,
    results: taggedResults("<tool_response>", "</tool_response>"),
    stop: [],
    marks: ["<tool_calls>", "</tool_calls>", "<tool_response>", "</tool_response>"],
  },
  {
    family: "nemotron-toolcall",
    toolList: arrayOf("# Tools\n\n<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>"),
    how: "To call tools, write a JSON array of objects with name and arguments between <TOOLCALL> and </TOOLCALL>:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write both brackets of the array, even for a single call."],
    preamble: onLines,
    calls: (calls) => `<TOOLCALL>[${calls.map((call) => named(call, "arguments")).join(", ")}]</TOOLCALL>`,
    results: (results) =>
      `<TOOL_RESPONSE>[${results.map(({ content }) => JSON.stringify(content)).join(", ")}]</TOOL_RESPONSE>`,
    stop: [],
    marks: ["<TOOLCALL>", "</TOOLCALL>", "<TOOL_RESPONSE>", "</TOOL_RESPONSE>"],
  },
  {
    family: "granite3-json",
    toolList: arrayOf("# Available tools\n\n", ""),
    how: "To call tools, write <|tool_call|> and directly after it a JSON array of objects with name and arguments:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write the array even for a single call."],
    preamble: onLines,
    calls: (calls) => `<|tool_call|>[${calls.map((call) => named(call, "arguments")).join(", ")}]`,
    results: jsonResults,
    stop: [],
    marks: ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
  },
  {
    family: "phi4-tag",
    toolList: arrayOf("# Tools\n\n<|tool|>", "<|/tool|>"),
    how: "To call tools, write a JSON array of objects with name and arguments between <|tool_call|> and <|/tool_call|>:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write the array even for a single call."],
    preamble: onLines,
    calls: (calls) => `<|tool_call|>[${calls.map((call) => named(call, "arguments")).join(", ")}]<|/tool_call|>`,
    results: jsonResults,
    stop: [],
    marks: ["functools[", "<tool_response>", "</tool_response>"],
  },
  {
    family: "internlm-plugin",
    toolList: arrayOf("# Plugins\n\n<|plugin|>\n", ""),
    how: "To call a tool, write <|action_start|><|plugin|>, then one JSON object with name and parameters, then <|action_end|>:",
    several: "For several calls write one block after the other.",
    never: [NO_FENCE, "Never write <|interpreter|>: there is none."],
    preamble: (text) => text,
    calls: (calls) =>
      calls.map((call) => `<|action_start|><|plugin|>\n${named(call, "parameters")}<|action_end|>`).join("\n"),
    results: jsonResults,
    stop: [],
    marks: ["<tool_response>", "</tool_response>"],
  },
  {
    family: "apertus-array",
    toolList: typescriptNamespace("# Tools\n\n"),
    how: "To call tools, write a JSON array between <|tools_prefix|> and <|tools_suffix|>; each element is an object whose only key is the tool's name and whose value is the object of its arguments:",
    several: "Several calls are several elements of the one array.",
    never: [NO_FENCE, "Never write the keys name or arguments around a call."],
    preamble: (text) => text,
    calls: (calls) => `<|tools_prefix|>[${calls.map(keyedByName).join(", ")}]<|tools_suffix|>`,
    results: jsonResults,
    stop: [],
    marks: ["<tool_response>", "</tool_response>"],
  },
  {
    family: "cohere-action",
    toolList: arrayOf("# Available Tools\n\n```json\n", "\n```"),
    how: "To call tools, write a JSON array between <|START_ACTION|> and <|END_ACTION|>; each element has tool_call_id (a running number as a string), tool_name and parameters:",
    several: "Several calls are several elements of the one array.",
    never: [NO_FENCE, "Never call a tool named directly_answer: to answer, just write the answer."],
    preamble: (text) => text,
    calls: (calls) => `<|START_ACTION|>[\n    ${calls.map(actionElement).join(",\n    ")}\n]<|END_ACTION|>`,
    results: (results) =>
      `<|START_TOOL_RESULT|>[\n    ${results
        .map(
          ({ call, content }) =>
            `{"tool_call_id": "${call.index}", "results": {"0": ${JSON.stringify(content)}}, "is_error": null}`,
        )
        .join(",\n    ")}\n]<|END_TOOL_RESULT|>`,
    stop: [],
    marks: [],
  },
  {
    family: "gigachat3",
    toolList: typescriptNamespace("# Functions\n\n"),
    how: 'To call a function, write the line "function call<|role_sep|>" and under it one JSON object with name and arguments, then <|message_sep|>:',
    never: [NO_FENCE, "Write arguments as a JSON object, never as a string."],
    preamble: (text) => `${text}<|message_sep|>\n\n`,
    calls: (calls) =>
      calls.map((call) => `function call<|role_sep|>\n${named(call, "arguments")}<|message_sep|>`).join("\n\n"),
    results: jsonResults,
    stop: [],
    marks: ["<tool_response>", "</tool_response>"],
  },
  {
    family: "llama3-json",
    toolList: { before: "# Functions\n\n", one: openAiTool, between: "\n\n", after: "" },
    how: "To call a function, answer with one JSON object that has its name and its parameters, and with nothing else:",
    never: [
      NO_FENCE,
      "Write no word before or after the object.",
      "Call a function only if it helps; greetings and questions you can answer yourself need none.",
    ],
    preamble: onLines,
    calls: (calls) => calls.map((call) => named(call, "parameters")).join("; "),
    results: jsonResults,
    stop: [],
    marks: ["<tool_response>", "</tool_response>"],
  },
  {
    family: "mistral-array",
    toolList: arrayOf("[AVAILABLE_TOOLS] ", "[/AVAILABLE_TOOLS]", openAiTool),
    how: "To call tools, write [TOOL_CALLS] and directly after it a JSON array of objects with name and arguments:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write the array even for a single call, and no word after it."],
    preamble: (text) => text,
    calls: (calls) => `[TOOL_CALLS] [${calls.map(callWithId).join(", ")}]`,
    results: (results) =>
      results
        .map(
          ({ call, content }) =>
            `[TOOL_RESULTS] {"content": ${JSON.stringify(content)}, "call_id": "${nineLetterId(call)}"}[/TOOL_RESULTS]`,
        )
        .join(""),
    stop: [],
    marks: ["[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"],
  },
];

function named(call: CallText, argumentsKey: "arguments" | "parameters"): string {
  return `{"name": ${JSON.stringify(call.name)}, "${argumentsKey}": ${objectText(call.arguments)}}`;
}

function keyedByName(call: CallText): string {
  return `{${JSON.stringify(call.name)}: ${objectText(call.arguments)}}`;
}

function actionElement(call: CallText): string {
  return `{"tool_call_id": "${call.index}", "tool_name": ${JSON.stringify(call.name)}, "parameters": ${objectText(call.arguments)}}`;
}

function callWithId(call: CallText): string {
  const id = call.id === undefined ? "" : `, "id": "${nineLetterId(call)}"`;
  return `{"name": ${JSON.stringify(call.name)}, "arguments": ${objectText(call.arguments)}${id}}`;
}

/** The templates of this family refuse ids that are not nine letters and digits; the call's number replaces others. */
function nineLetterId(call: Pick<CallText, "id" | "index">): string {
  return call.id !== undefined && /^[A-Za-z0-9]{9}$/.test(call.id) ? call.id : String(call.index).padStart(9, "0");
}

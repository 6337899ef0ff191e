// Families whose calls are a JSON array behind or between marks: `<mark>[{"name": …}]`. Rows only; knows no reader.

import { objectText } from "../notation/callArguments.ts";
import { jsonResults, NO_FENCE, namedCall, onLines, taggedResults, toolsBetween } from "../notation/phrases.ts";
import type { CallText } from "../notation/Rendering.ts";
import { arrayOf, openAiTool, typescriptNamespace } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";
import { BAR_TOOL_CALL, BRACKET_TOOL_CALLS, TOOL_CALL, TOOL_CALL_START, TOOL_CALLS } from "./wrapperMarks.ts";

export const WRAPPED_LISTS: readonly FamilyRow[] = [
  {
    id: "granite3-json",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Granite 3.0–3.3",
    mark: "<|tool_call|>",
    example: '<|tool_call|>[{"name": "weather", "arguments": {"city": "Oslo"}}]',
    wrappers: [
      { mark: BAR_TOOL_CALL, holds: ["json"] },
      { mark: TOOL_CALL, holds: ["array"] },
    ],
    shapes: ["json"],
    answers: { element: "response" },
    rendering: {
      toolList: arrayOf("# Available tools\n\n", ""),
      how: "To call tools, write <|tool_call|> and directly after it a JSON array of objects with name and arguments:",
      several: "Several calls are several objects of the one array.",
      never: [NO_FENCE, "Write the array even for a single call."],
      preamble: onLines,
      calls: (calls) => `<|tool_call|>[${calls.map((call) => namedCall(call, "arguments")).join(", ")}]`,
      results: jsonResults,
      stop: [],
      marks: ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
    },
  },
  {
    id: "jamba-array",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Jamba, Apriel, Hunyuan-A13B",
    mark: "<tool_calls>",
    example: '<tool_calls>[{"name": "weather", "arguments": {"city": "Oslo"}}]</tool_calls>',
    wrappers: [{ mark: TOOL_CALLS, holds: ["array"], mayHold: ["json"] }],
    unmarked: true,
    rendering: {
      toolList: toolsBetween("<available_tools>", "</available_tools>", openAiTool),
      how: "To call tools, write a JSON array of objects with name and arguments between <tool_calls> and </tool_calls>:",
      several: "Several calls are several objects of the one array.",
      never: [NO_FENCE, "Write the array even for a single call, and only one <tool_calls> block."],
      preamble: onLines,
      calls: (calls) =>
        `<tool_calls>[\n  ${calls.map((call) => namedCall(call, "arguments")).join(",\n  ")}\n]</tool_calls>`,
      results: taggedResults("<tool_response>", "</tool_response>"),
      stop: [],
      marks: ["<tool_calls>", "</tool_calls>", "<tool_response>", "</tool_response>"],
    },
  },
  {
    id: "nemotron-toolcall",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Nemotron Nano v2, Llama-Nemotron",
    mark: "<TOOLCALL>",
    example: '<TOOLCALL>[{"name": "weather", "arguments": {"city": "Oslo"}}]</TOOLCALL>',
    wrappers: [{ mark: { open: "TOOLCALL", close: ["/TOOLCALL"], looseArray: true }, holds: ["json"] }],
    unmarked: true,
    rendering: {
      toolList: arrayOf("# Tools\n\n<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>"),
      how: "To call tools, write a JSON array of objects with name and arguments between <TOOLCALL> and </TOOLCALL>:",
      several: "Several calls are several objects of the one array.",
      never: [NO_FENCE, "Write both brackets of the array, even for a single call."],
      preamble: onLines,
      calls: (calls) => `<TOOLCALL>[${calls.map((call) => namedCall(call, "arguments")).join(", ")}]</TOOLCALL>`,
      results: (results) =>
        `<TOOL_RESPONSE>[${results.map(({ content }) => JSON.stringify(content)).join(", ")}]</TOOL_RESPONSE>`,
      stop: [],
      marks: ["<TOOLCALL>", "</TOOLCALL>", "<TOOL_RESPONSE>", "</TOOL_RESPONSE>"],
    },
  },
  {
    id: "functools",
    form: "announced",
    grammar: "J",
    writtenBy: "Phi-4-mini, FireFunction v2",
    mark: "functools[",
    example: 'functools[{"name": "weather", "arguments": {"city": "Oslo"}}]',
    announced: { by: "module", open: "functools", header: "functools", next: ["[", "{"], close: [] },
    shapes: ["json"],
  },
  {
    id: "phi4-tag",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Phi-4-mini",
    mark: "<|tool_call|>",
    example: '<|tool_call|>[{"name": "weather", "arguments": {"city": "Oslo"}}]<|/tool_call|>',
    wrappers: [{ mark: BAR_TOOL_CALL, mayHold: ["json"] }],
    shapes: ["json"],
    rendering: {
      toolList: arrayOf("# Tools\n\n<|tool|>", "<|/tool|>"),
      how: "To call tools, write a JSON array of objects with name and arguments between <|tool_call|> and <|/tool_call|>:",
      several: "Several calls are several objects of the one array.",
      never: [NO_FENCE, "Write the array even for a single call."],
      preamble: onLines,
      calls: (calls) => `<|tool_call|>[${calls.map((call) => namedCall(call, "arguments")).join(", ")}]<|/tool_call|>`,
      results: jsonResults,
      stop: [],
      marks: ["functools[", "<tool_response>", "</tool_response>"],
    },
  },
  {
    id: "pangu-array",
    form: "wrapped",
    grammar: "J",
    writtenBy: "openPangu",
    mark: "[unused11]",
    example: '[unused11][{"name": "weather", "arguments": {"city": "Oslo"}}][unused12]',
    wrappers: [
      { mark: { open: "[unused11]", close: ["[unused12]"], special: true }, holds: ["json"] },
      { mark: TOOL_CALL_START, holds: ["json", "array"] },
    ],
  },
  {
    id: "apertus-array",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Apertus",
    mark: "<|tools_prefix|>",
    example: '<|tools_prefix|>[{"weather": {"city": "Oslo"}}]<|tools_suffix|>',
    wrappers: [{ mark: { open: "|tools_prefix|", close: ["|tools_suffix|"], special: true }, holds: ["json"] }],
    shapes: ["json"],
    rendering: {
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
  },
  {
    id: "cohere-action",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Command R7B, Command A",
    mark: "<|START_ACTION|>",
    example:
      '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "weather", "parameters": {"city": "Oslo"}}]<|END_ACTION|>',
    wrappers: [{ mark: { open: "|START_ACTION|", close: ["|END_ACTION|"], special: true }, holds: ["json"] }],
    rendering: {
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
  },
  {
    id: "command-r-fenced",
    form: "announced",
    grammar: "J",
    writtenBy: "Command R, R+",
    mark: "Action: ```json",
    example: 'Action: ```json\n[{"tool_name": "weather", "parameters": {"city": "Oslo"}}]\n```',
    announced: {
      by: "label",
      open: "Action:",
      header: "Action:",
      next: ["```json", "[", "{", '"tool_name"'],
      close: [],
    },
    shapes: ["fence"],
  },
  {
    id: "hyperclovax-role",
    form: "announced",
    grammar: "J",
    writtenBy: "HyperCLOVAX-SEED-Think 14B",
    mark: " -> tool/function_call",
    example: ' -> tool/function_call\n[{"name": "weather", "arguments": {"city": "Oslo"}}]',
    announced: {
      by: "role-header",
      open: "role-call",
      header: "assistant -> tool/function_call\n",
      next: [],
      close: ["|im_end|"],
    },
  },
  {
    id: "mistral-array",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Mistral 7B v0.3, Nemo, Large 2407, Mixtral",
    mark: "[TOOL_CALLS]",
    example: '[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Oslo"}}]',
    wrappers: [{ mark: BRACKET_TOOL_CALLS, holds: ["json"] }],
    unmarked: true,
    rendering: {
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
  },
  {
    id: "doubao-fc",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Doubao 1.5",
    mark: "<|FunctionCallBegin|>",
    example: '<|FunctionCallBegin|>[{"name": "weather", "parameters": {"city": "Oslo"}}]<|FunctionCallEnd|>',
    wrappers: [
      {
        mark: { open: "|FunctionCallBegin|", close: ["|FunctionCallEnd|"], special: true, noisy: true },
        holds: ["json"],
      },
    ],
  },
];

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

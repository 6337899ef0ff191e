// Data: prompts of formats whose arguments are JSON.
import { requireObject } from "../prompts/callArguments.ts";
import {
  type CallText,
  joinLines,
  NO_FENCE,
  type RenderingRow,
  type ResultText,
  renderNamedCall,
  renderTaggedResults,
  renderToolsBetween,
  wrapContents,
} from "../prompts/PromptFormat.ts";
import { openAiObject, openAiTool, renderToolArray, renderTypescriptNamespace } from "../prompts/toolLists.ts";

export const JSON_PROMPTS: readonly RenderingRow[] = [
  {
    id: "hermes-json",
    toolList: renderToolsBetween("<tools>", "</tools>", openAiTool),
    how: "To call a tool, write one JSON object with its name and its arguments between <tool_call> and </tool_call>:",
    several: "For several calls in one answer write one <tool_call> block after the other.",
    never: [NO_FENCE, "Close every block with </tool_call>, and write arguments as a JSON object, never as a string."],
    calls: { one: (call) => `<tool_call>\n${renderNamedCall(call)}\n</tool_call>`, between: "\n" },
    results: renderTaggedResults("<tool_response>", "</tool_response>"),
    marks: ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
  },
  {
    id: "internlm-plugin",
    toolList: renderToolArray("# Plugins\n\n<|plugin|>\n", ""),
    how: "To call a tool, write <|action_start|><|plugin|>, then one JSON object with name and parameters, then <|action_end|>:",
    several: "For several calls write one block after the other.",
    never: [NO_FENCE, "Never write <|interpreter|>: there is none."],
    preamble: joinLines,
    calls: {
      one: (call) => `<|action_start|><|plugin|>\n${renderNamedCall(call, "parameters")}<|action_end|>`,
      between: "\n",
    },
  },
  {
    id: "gigachat3",
    toolList: renderTypescriptNamespace("# Functions\n\n"),
    how: 'To call a function, write the line "function call<|role_sep|>" and under it one JSON object with name and arguments, then <|message_sep|>:',
    never: [NO_FENCE, "Write arguments as a JSON object, never as a string."],
    preamble: (text) => `${text}<|message_sep|>\n\n`,
    calls: { one: (call) => `function call<|role_sep|>\n${renderNamedCall(call)}<|message_sep|>`, between: "\n\n" },
  },
  {
    id: "granite3-json",
    toolList: renderToolArray("# Available tools\n\n", ""),
    how: "To call tools, write <|tool_call|> and directly after it a JSON array of objects with name and arguments:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write the array even for a single call."],
    calls: { before: "<|tool_call|>[", one: renderNamedCall, between: ", ", after: "]" },
    marks: ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
  },
  {
    id: "jamba-array",
    toolList: renderToolsBetween("<available_tools>", "</available_tools>", openAiTool),
    how: "To call tools, write a JSON array of objects with name and arguments between <tool_calls> and </tool_calls>:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write the array even for a single call, and only one <tool_calls> block."],
    calls: { before: "<tool_calls>[\n  ", one: renderNamedCall, between: ",\n  ", after: "\n]</tool_calls>" },
    results: renderTaggedResults("<tool_response>", "</tool_response>"),
    marks: ["<tool_calls>", "</tool_calls>", "<tool_response>", "</tool_response>"],
  },
  {
    id: "nemotron-toolcall",
    toolList: renderToolArray("# Tools\n\n<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>"),
    how: "To call tools, write a JSON array of objects with name and arguments between <TOOLCALL> and </TOOLCALL>:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write both brackets of the array, even for a single call."],
    calls: { before: "<TOOLCALL>[", one: renderNamedCall, between: ", ", after: "]</TOOLCALL>" },
    results: {
      before: "<TOOL_RESPONSE>[",
      one: ({ content }) => JSON.stringify(content),
      between: ", ",
      after: "]</TOOL_RESPONSE>",
    },
    marks: ["<TOOLCALL>", "</TOOLCALL>", "<TOOL_RESPONSE>", "</TOOL_RESPONSE>"],
  },
  {
    id: "phi4-tag",
    toolList: renderToolArray("# Tools\n\n<|tool|>", "<|/tool|>"),
    how: "To call tools, write a JSON array of objects with name and arguments between <|tool_call|> and <|/tool_call|>:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write the array even for a single call."],
    calls: { before: "<|tool_call|>[", one: renderNamedCall, between: ", ", after: "]<|/tool_call|>" },
    marks: ["functools[", "<tool_response>", "</tool_response>"],
  },
  {
    id: "apertus-array",
    toolList: renderTypescriptNamespace("# Tools\n\n"),
    how: "To call tools, write a JSON array between <|tools_prefix|> and <|tools_suffix|>; each element is an object whose only key is the tool's name and whose value is the object of its arguments:",
    several: "Several calls are several elements of the one array.",
    never: [NO_FENCE, "Never write the keys name or arguments around a call."],
    preamble: joinLines,
    calls: { before: "<|tools_prefix|>[", one: keyedByName, between: ", ", after: "]<|tools_suffix|>" },
  },
  {
    id: "cohere-action",
    toolList: renderToolArray("# Available Tools\n\n```json\n", "\n```"),
    how: "To call tools, write a JSON array between <|START_ACTION|> and <|END_ACTION|>; each element has tool_call_id (a running number as a string), tool_name and parameters:",
    several: "Several calls are several elements of the one array.",
    never: [NO_FENCE, "Never call a tool named directly_answer: to answer, just write the answer."],
    preamble: joinLines,
    calls: { before: "<|START_ACTION|>[\n    ", one: actionElement, between: ",\n    ", after: "\n]<|END_ACTION|>" },
    results: {
      before: "<|START_TOOL_RESULT|>[\n    ",
      one: ({ call, content }) =>
        `{"tool_call_id": "${call.index}", "results": {"0": ${JSON.stringify(content)}}, "is_error": null}`,
      between: ",\n    ",
      after: "\n]<|END_TOOL_RESULT|>",
    },
    marks: [],
  },
  {
    id: "mistral-array",
    toolList: renderToolArray("[AVAILABLE_TOOLS] ", "[/AVAILABLE_TOOLS]", openAiTool),
    how: "To call tools, write [TOOL_CALLS] and directly after it a JSON array of objects with name and arguments:",
    several: "Several calls are several objects of the one array.",
    never: [NO_FENCE, "Write the array even for a single call, and no word after it."],
    preamble: joinLines,
    calls: { before: "[TOOL_CALLS] [", one: callWithId, between: ", ", after: "]" },
    results: { one: resultWithId },
    marks: ["[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"],
  },
  {
    id: "mistral-args",
    toolList: renderToolArray("[AVAILABLE_TOOLS] ", "[/AVAILABLE_TOOLS]", openAiTool),
    how: "To call a tool, write [TOOL_CALLS], its name, [ARGS] and the JSON object of its arguments, without spaces between:",
    several: "For several calls write one such line after the other, each with its own [TOOL_CALLS].",
    never: [NO_FENCE, "Write no word after the arguments."],
    preamble: joinLines,
    calls: { one: (call) => `[TOOL_CALLS]${call.name}[ARGS]${requireObject(call.arguments)}` },
    results: wrapContents("[TOOL_RESULTS]", "[/TOOL_RESULTS]", ""),
    marks: [
      ...["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[TOOL_CONTENT]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"],
      ...["[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"],
    ],
  },
  {
    id: "deepseek-v3",
    toolList: { before: "## Tools\n\n", one: openAiTool, between: "\n" },
    how: "To call tools, write one section of this form, with the name after the separator and the arguments as JSON in a json fence:",
    several: "Several calls are several <｜tool▁call▁begin｜>…<｜tool▁call▁end｜> parts of the one section.",
    never: [
      "Write a call only inside the section: never as a bare json fence, never as prose.",
      "Close every part with <｜tool▁call▁end｜> and the section with <｜tool▁calls▁end｜>.",
    ],
    preamble: joinLines,
    calls: {
      before: "<｜tool▁calls▁begin｜>",
      one: (call) =>
        `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${requireObject(call.arguments)}\n\`\`\`<｜tool▁call▁end｜>`,
      between: "\n",
      after: "<｜tool▁calls▁end｜>",
    },
    results: {
      before: "<｜tool▁outputs▁begin｜>",
      ...wrapContents("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
      after: "<｜tool▁outputs▁end｜>",
    },
    marks: [],
  },
  {
    id: "deepseek-v31",
    toolList: {
      before: "## Tools\n\n",
      one: ({ name, description, parameters }) =>
        `### ${name}\nDescription: ${description ?? name}\n\nParameters: ${JSON.stringify(parameters ?? {})}`,
      between: "\n\n",
    },
    how: "To call tools, write one section of this form, with the name before the separator and the arguments as JSON behind it:",
    several:
      "Several calls are several <｜tool▁call▁begin｜>…<｜tool▁call▁end｜> parts of the one section, without anything between.",
    never: [NO_FENCE, "Close every part with <｜tool▁call▁end｜> and the section with <｜tool▁calls▁end｜>."],
    preamble: joinLines,
    calls: {
      before: "<｜tool▁calls▁begin｜>",
      one: (call) =>
        `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${requireObject(call.arguments)}<｜tool▁call▁end｜>`,
      after: "<｜tool▁calls▁end｜>",
    },
    results: wrapContents("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>", ""),
    marks: [],
  },
  {
    id: "kimi-k2",
    toolList: { before: "# Tools\n\n[", one: (tool) => JSON.stringify(openAiObject(tool)), between: ",", after: "]" },
    how: "To call tools, write one section of this form; the id of a call is functions., the tool's name, a colon and a number that counts all calls of the conversation from 0:",
    several: "Several calls are several <|tool_call_begin|>…<|tool_call_end|> parts of the one section.",
    never: [NO_FENCE, "Close every part with <|tool_call_end|> and the section with <|tool_calls_section_end|>."],
    preamble: joinLines,
    calls: {
      before: "<|tool_calls_section_begin|>",
      one: (call) =>
        `<|tool_call_begin|>${countedId(call)}<|tool_call_argument_begin|>${requireObject(call.arguments)}<|tool_call_end|>`,
      after: "<|tool_calls_section_end|>",
    },
    results: { one: ({ call, content }) => `## Return of ${countedId(call)}\n${content}`, between: "\n\n" },
    marks: ["## Return of "],
  },
  {
    id: "harmony",
    toolList: renderTypescriptNamespace("# Tools\n\n## functions\n\n"),
    how: "To call a function, write one message on the commentary channel that is addressed to it, with its arguments as JSON:",
    never: [NO_FENCE, "Never address python, browser or any recipient that is not in the namespace functions."],
    preamble: (text) => `<|channel|>commentary<|message|>${text}<|end|><|start|>assistant`,
    calls: {
      one: (call) =>
        `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${requireObject(call.arguments)}<|call|>`,
      between: "<|start|>assistant",
    },
    results: {
      one: ({ call, content }) =>
        `<|start|>functions.${call.name} to=assistant<|channel|>commentary<|message|>${content}<|end|>`,
    },
    stop: ["<|call|>"],
    marks: ["to=functions.", "to=assistant"],
  },
  {
    id: "llama3-json",
    toolList: { before: "# Functions\n\n", one: openAiTool, between: "\n\n" },
    how: "To call a function, answer with one JSON object that has its name and its parameters, and with nothing else:",
    never: [
      NO_FENCE,
      "Write no word before or after the object.",
      "Call a function only if it helps; greetings and questions you can answer yourself need none.",
    ],
    calls: { one: (call) => renderNamedCall(call, "parameters"), between: "; " },
  },
];

function keyedByName(call: CallText): string {
  return `{${JSON.stringify(call.name)}: ${requireObject(call.arguments)}}`;
}

function actionElement(call: CallText): string {
  return `{"tool_call_id": "${call.index}", "tool_name": ${JSON.stringify(call.name)}, "parameters": ${requireObject(call.arguments)}}`;
}

function callWithId(call: CallText): string {
  const id = call.id === undefined ? "" : `, "id": "${nineLetterId(call)}"`;
  return `{"name": ${JSON.stringify(call.name)}, "arguments": ${requireObject(call.arguments)}${id}}`;
}

function resultWithId({ call, content }: ResultText): string {
  return `[TOOL_RESULTS] {"content": ${JSON.stringify(content)}, "call_id": "${nineLetterId(call)}"}[/TOOL_RESULTS]`;
}

/** The templates of this format refuse ids that are not nine letters and digits; the call's number replaces others. */
function nineLetterId(call: Pick<CallText, "id" | "index">): string {
  return call.id !== undefined && /^[A-Za-z0-9]{9}$/.test(call.id) ? call.id : String(call.index).padStart(9, "0");
}

/** The format's own id stays, since the model counts on from it; the call's number replaces the id of another wire. */
function countedId(call: Pick<CallText, "id" | "index" | "name">): string {
  return call.id !== undefined && /^functions\.[^\s:]+:\d+$/.test(call.id)
    ? call.id
    : `functions.${call.name}:${call.index}`;
}

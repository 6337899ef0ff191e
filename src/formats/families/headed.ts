// Families whose call is a name between marks or on its line, and then the arguments as JSON. Rows only; knows no reader.

import { objectText } from "../notation/callArguments.ts";
import { NO_FENCE } from "../notation/phrases.ts";
import type { CallText } from "../notation/Rendering.ts";
import { arrayOf, openAiObject, openAiTool, typescriptNamespace } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";
import { BRACKET_TOOL_CALLS } from "./wrapperMarks.ts";

export const HEADED: readonly FamilyRow[] = [
  {
    id: "mistral-args",
    form: "wrapped",
    grammar: "J",
    writtenBy: "Mistral Small 3.2 and later, Devstral, Magistral",
    mark: "[TOOL_CALLS]",
    example: '[TOOL_CALLS]weather[ARGS]{"city": "Oslo"}',
    wrappers: [{ mark: BRACKET_TOOL_CALLS, holds: ["header"] }],
    shapes: ["named-json"],
    defaultOf: ["named-json"],
    rendering: {
      toolList: arrayOf("[AVAILABLE_TOOLS] ", "[/AVAILABLE_TOOLS]", openAiTool),
      how: "To call a tool, write [TOOL_CALLS], its name, [ARGS] and the JSON object of its arguments, without spaces between:",
      several: "For several calls write one such line after the other, each with its own [TOOL_CALLS].",
      never: [NO_FENCE, "Write no word after the arguments."],
      preamble: (text) => text,
      calls: (calls) => calls.map((call) => `[TOOL_CALLS]${call.name}[ARGS]${objectText(call.arguments)}`).join(""),
      results: (results) => results.map(({ content }) => `[TOOL_RESULTS]${content}[/TOOL_RESULTS]`).join(""),
      stop: [],
      marks: [
        "[TOOL_CALLS]",
        "[ARGS]",
        "[CALL_ID]",
        "[TOOL_CONTENT]",
        "[TOOL_RESULTS]",
        "[/TOOL_RESULTS]",
        "[AVAILABLE_TOOLS]",
        "[/AVAILABLE_TOOLS]",
      ],
    },
  },
  {
    id: "deepseek-v3",
    form: "typed-section",
    grammar: "J",
    writtenBy: "DeepSeek V2.5, V3, R1",
    mark: "<｜tool▁calls▁begin｜>",
    example:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    rendering: {
      toolList: { before: "## Tools\n\n", one: openAiTool, between: "\n", after: "" },
      how: "To call tools, write one section of this form, with the name after the separator and the arguments as JSON in a json fence:",
      several: "Several calls are several <｜tool▁call▁begin｜>…<｜tool▁call▁end｜> parts of the one section.",
      never: [
        "Write a call only inside the section: never as a bare json fence, never as prose.",
        "Close every part with <｜tool▁call▁end｜> and the section with <｜tool▁calls▁end｜>.",
      ],
      preamble: (text) => text,
      calls: (calls) =>
        `<｜tool▁calls▁begin｜>${calls
          .map(
            (call) =>
              `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${objectText(call.arguments)}\n\`\`\`<｜tool▁call▁end｜>`,
          )
          .join("\n")}<｜tool▁calls▁end｜>`,
      results: (results) =>
        `<｜tool▁outputs▁begin｜>${results
          .map(({ content }) => `<｜tool▁output▁begin｜>${content}<｜tool▁output▁end｜>`)
          .join("\n")}<｜tool▁outputs▁end｜>`,
      stop: [],
      marks: [],
    },
  },
  {
    id: "deepseek-v31",
    form: "section",
    grammar: "J",
    writtenBy: "DeepSeek V3.1",
    mark: "<｜tool▁calls▁begin｜>",
    example:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    section: {
      "|tool_calls_begin|": "section",
      "|tool_calls_end|": "section-end",
      "|tool_call_begin|": "call",
      "|tool_sep|": "separator",
      "|tool_call_end|": "call-end",
    },
    rendering: {
      toolList: {
        before: "## Tools\n\n",
        one: ({ name, description, parameters }) =>
          `### ${name}\nDescription: ${description ?? name}\n\nParameters: ${JSON.stringify(parameters ?? {})}`,
        between: "\n\n",
        after: "",
      },
      how: "To call tools, write one section of this form, with the name before the separator and the arguments as JSON behind it:",
      several:
        "Several calls are several <｜tool▁call▁begin｜>…<｜tool▁call▁end｜> parts of the one section, without anything between.",
      never: [NO_FENCE, "Close every part with <｜tool▁call▁end｜> and the section with <｜tool▁calls▁end｜>."],
      preamble: (text) => text,
      calls: (calls) =>
        `<｜tool▁calls▁begin｜>${calls
          .map(
            (call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${objectText(call.arguments)}<｜tool▁call▁end｜>`,
          )
          .join("")}<｜tool▁calls▁end｜>`,
      results: (results) =>
        results.map(({ content }) => `<｜tool▁output▁begin｜>${content}<｜tool▁output▁end｜>`).join(""),
      stop: [],
      marks: [],
    },
  },
  {
    id: "kimi-k2",
    form: "section",
    grammar: "J",
    writtenBy: "Kimi K2",
    mark: "<|tool_calls_section_begin|>",
    example:
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
    section: {
      "|tool_calls_section_begin|": "section",
      "|tool_call_section_begin|": "section",
      "|tool_calls_section_end|": "section-end",
      "|tool_call_section_end|": "section-end",
      "|tool_call_argument_begin|": "arguments",
    },
    sectionHead: "named-id",
    shapes: ["named-json"],
    wire: {
      ends: ["|im_end|", "[EOS]", "[EOT]"],
      starts: [
        { mark: "|im_assistant|", role: "assistant", until: ["|im_middle|"] },
        { mark: "|im_user|", role: "other", until: ["|im_middle|"] },
        { mark: "|im_system|", role: "other", until: ["|im_middle|"] },
      ],
      opens: ["|im_middle|"],
    },
    rendering: {
      toolList: { before: "# Tools\n\n[", one: (tool) => JSON.stringify(openAiObject(tool)), between: ",", after: "]" },
      how: "To call tools, write one section of this form; the id of a call is functions., the tool's name, a colon and a number that counts all calls of the conversation from 0:",
      several: "Several calls are several <|tool_call_begin|>…<|tool_call_end|> parts of the one section.",
      never: [NO_FENCE, "Close every part with <|tool_call_end|> and the section with <|tool_calls_section_end|>."],
      preamble: (text) => text,
      calls: (calls) =>
        `<|tool_calls_section_begin|>${calls
          .map(
            (call) =>
              `<|tool_call_begin|>${countedId(call)}<|tool_call_argument_begin|>${objectText(call.arguments)}<|tool_call_end|>`,
          )
          .join("")}<|tool_calls_section_end|>`,
      results: (results) =>
        results.map(({ call, content }) => `## Return of ${countedId(call)}\n${content}`).join("\n\n"),
      stop: [],
      marks: ["## Return of "],
    },
  },
  {
    id: "solar-open",
    form: "section",
    grammar: "J",
    writtenBy: "Solar Open 100B",
    mark: "<|tool_calls|>",
    example:
      '<|tool_calls|><|tool_call:begin|>c1<|tool_call:name|>weather<|tool_call:args|>{"city": "Oslo"}<|tool_call:end|><|calls|>',
    section: {
      "|tool_calls|": "section",
      "|calls|": "section-end",
      "|tool_call:begin|": "call",
      "|tool_call:name|": "name",
      "|tool_call:args|": "arguments",
      "|tool_call:end|": "call-end",
    },
    sectionHead: "id",
  },
  {
    id: "plamo3",
    form: "section",
    grammar: "J",
    writtenBy: "PLaMo 3",
    mark: "<|plamo:begin_tool_requests:plamo|>",
    example:
      '<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>weather<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>{"city": "Oslo"}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>',
    section: {
      "|plamo:begin_tool_requests:plamo|": "section",
      "|plamo:end_tool_requests:plamo|": "section-end",
      "|plamo:begin_tool_request:plamo|": "call",
      "|plamo:begin_tool_name:plamo|": "name",
      "|plamo:end_tool_name:plamo|": "ignored",
      "|plamo:begin_tool_arguments:plamo|": "arguments",
      "|plamo:end_tool_arguments:plamo|": "ignored",
      "|plamo:end_tool_request:plamo|": "call-end",
    },
  },
  {
    id: "harmony",
    form: "framed",
    grammar: "J",
    writtenBy: "gpt-oss",
    mark: "to=functions.NAME",
    example: '<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
    // Its header's words, where a server has stripped the tokens between them.
    head: {
      open: "to=functions.",
      before: ["assistantcommentary", "assistant", "analysis", "commentary", "final"],
      name: "word",
      noise: 256,
      without: "text",
    },
    wire: {
      ends: ["|return|", "|call|"],
      starts: [{ mark: "|start|" }, { mark: "|channel|" }, { mark: "|message|" }],
      closes: ["|end|"],
      channels: true,
    },
    rendering: {
      toolList: typescriptNamespace("# Tools\n\n## functions\n\n"),
      how: "To call a function, write one message on the commentary channel that is addressed to it, with its arguments as JSON:",
      never: [NO_FENCE, "Never address python, browser or any recipient that is not in the namespace functions."],
      preamble: (text) => `<|channel|>commentary<|message|>${text}<|end|><|start|>assistant`,
      calls: (calls) =>
        calls
          .map(
            (call) =>
              `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${objectText(call.arguments)}<|call|>`,
          )
          .join("<|start|>assistant"),
      results: (results) =>
        results
          .map(
            ({ call, content }) =>
              `<|start|>functions.${call.name} to=assistant<|channel|>commentary<|message|>${content}<|end|>`,
          )
          .join(""),
      stop: ["<|call|>"],
      marks: ["to=functions.", "to=assistant"],
    },
  },
  {
    id: "functionary-v2",
    form: "recipient-section",
    grammar: "J",
    writtenBy: "Functionary 2",
    mark: "<|recipient|>",
    example: '<|recipient|>weather\n<|content|>{"city": "Oslo"}<|stop|>',
    section: { "|recipient|": "call", "|content|": "arguments", "|from|": "section", "|stop|": "section-end" },
  },
  {
    id: "functionary-v32",
    form: "recipient-line",
    grammar: "J",
    writtenBy: "Functionary 3.2",
    mark: ">>>",
    example: '>>>weather\n{"city": "Oslo"}',
    head: { open: ">>>", name: "line", without: "code", resume: "<>" },
    shapes: ["named-json"],
  },
  {
    id: "glm4-legacy",
    form: "name-and-fence",
    grammar: "J",
    writtenBy: "GLM-4-9B, ChatGLM3",
    mark: "",
    example: 'weather\n{"city": "Oslo"}',
    shapes: ["named-json"],
  },
  {
    id: "qwen-agent",
    form: "flower-labels",
    grammar: "J",
    writtenBy: "Qwen 1.5, Qwen2, Qwen-VL",
    mark: "✿FUNCTION✿:",
    example: '✿FUNCTION✿: weather\n✿ARGS✿: {"city": "Oslo"}',
    head: { open: "✿FUNCTION✿", name: "sign", separators: ["✿ARGS✿", ":"], without: "nothing", resume: "✿" },
  },
];

/** The family's own id is kept, since the model counts on from it; another wire's id is replaced by the call's number. */
function countedId(call: Pick<CallText, "id" | "index" | "name">): string {
  return call.id !== undefined && /^functions\.[^\s:]+:\d+$/.test(call.id)
    ? call.id
    : `functions.${call.name}:${call.index}`;
}

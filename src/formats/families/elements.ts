// Families whose call is an element of another name: `<function=NAME>`, `<use_mcp_tool>`, `<NAME>`. Rows only; knows no reader.
// Strings are written as they are: see invokes.ts.

import { argumentsOf, rawText } from "../notation/callArguments.ts";
import { jsonResults, NO_FENCE, onLines, RAW, taggedResults, toolsBetween } from "../notation/phrases.ts";
import type { CallText } from "../notation/Rendering.ts";
import { openAiTool, pythonStub } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";
import { FUNCTION_CALL, FUNCTION_CALLS, TOOL_CALL, TOOL_CALLS, TOOLS } from "./wrapperMarks.ts";

export const ELEMENTS: readonly FamilyRow[] = [
  {
    id: "qwen3-xml",
    form: "elements",
    grammar: "X",
    writtenBy: "Qwen3-Coder, Qwen3.5 and later, Nemotron 3, Step 3.5, MiMo-V2",
    mark: "<tool_call>",
    example: "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
    wrappers: [TOOL_CALL, TOOL_CALLS, FUNCTION_CALLS, FUNCTION_CALL].map((mark) => ({ mark, holds: ["function"] })),
    elements: { function: "value" },
    rendering: {
      toolList: toolsBetween("<tools>", "</tools>", openAiTool),
      how: "To call a tool, write a block of this form, each tag and each value on lines of their own:",
      several: "For several calls write one <tool_call> block after the other.",
      never: [NO_FENCE, RAW, "Never write a JSON object into the block, and close every tag."],
      preamble: onLines,
      calls: (calls) => calls.map((call) => `<tool_call>\n${functionBody(call, "\n")}\n</tool_call>`).join("\n"),
      results: taggedResults("<tool_response>", "</tool_response>"),
      stop: [],
      marks: [
        "<tool_call>",
        "</tool_call>",
        "<function=",
        "</function>",
        "<parameter=",
        "</parameter>",
        "<tool_response>",
        "</tool_response>",
      ],
    },
  },
  {
    id: "seed-xml",
    form: "wrapped",
    grammar: "X",
    writtenBy: "Seed-OSS, Doubao Seed",
    mark: "<seed:tool_call>",
    example: "<seed:tool_call>\n<function=weather>\n<parameter=city>Oslo</parameter>\n</function>\n</seed:tool_call>",
    wrappers: [{ mark: TOOL_CALL, prefixes: ["seed"] }],
    elements: { loosePrefix: "seed" },
    rendering: {
      toolList: { before: "# Tools\n\n", one: pythonStub, between: "\n\n", after: "" },
      how: "To call a tool, write a block of this form, each parameter on a line of its own:",
      several: "For several calls write one <seed:tool_call> block after the other.",
      never: [NO_FENCE, RAW, "Never write a JSON object into the block, and close every tag."],
      preamble: onLines,
      calls: (calls) =>
        calls.map((call) => `<seed:tool_call>\n${functionBody(call, "")}\n</seed:tool_call>`).join("\n"),
      results: jsonResults,
      stop: [],
      marks: [
        "<seed:tool_call>",
        "</seed:tool_call>",
        "<function=",
        "<parameter=",
        "<tool_response>",
        "</tool_response>",
      ],
    },
  },
  {
    id: "minicpm5-xml",
    form: "elements",
    grammar: "X",
    writtenBy: "MiniCPM 4 and 5",
    mark: '<function name="NAME">',
    example: '<function name="weather"><param name="city">Oslo</param></function>',
    elements: { function: "name" },
  },
  {
    id: "nova-xml",
    form: "elements",
    grammar: "X",
    writtenBy: "Amazon Nova",
    mark: "<__function=NAME>",
    example: "<__function=weather><__parameter=city>Oslo</__parameter></__function>",
    wrappers: [{ mark: TOOLS, holds: ["function"] }],
    elements: { names: ["__function", "_function"] },
  },
  {
    id: "xai-xml",
    form: "elements",
    grammar: "X",
    writtenBy: "Grok",
    mark: '<xai:function_call name="NAME">',
    example: '<xai:function_call name="weather"><parameter name="city">Oslo</parameter></xai:function_call>',
    wrappers: [{ mark: FUNCTION_CALL, prefixes: ["xai"] }],
    elements: { prefix: "xai" },
  },
  {
    id: "function-eq-json",
    form: "json-element",
    grammar: "J",
    writtenBy: "Functionary 3.1, Llama 3.1 and 4",
    mark: "<function=NAME>",
    example: '<function=weather>{"city": "Oslo"}</function>',
  },
  {
    id: "tool-name-xml",
    form: "elements",
    grammar: "X",
    writtenBy: "prompts that ask for elements",
    mark: "<tool_name>",
    example:
      '<tool_calls><tool_call><tool_name>weather</tool_name><parameters>{"city": "Oslo"}</parameters></tool_call></tool_calls>',
    wrappers: [
      ...[TOOL_CALL, TOOL_CALLS, FUNCTION_CALL, TOOLS].map((mark) => ({ mark, holds: ["element"] as const })),
      { mark: { open: "tool_use", close: ["/tool_use"] }, holds: ["json", "element"] },
      { mark: { open: "action", close: ["/action"], word: true }, holds: ["json", "element"] },
    ],
    elements: { function: "child" },
  },
  {
    id: "mcp-xml",
    form: "elements",
    grammar: "X",
    writtenBy: "Cline, Roo, MiroThinker",
    mark: "<use_mcp_tool>",
    example:
      '<use_mcp_tool>\n<server_name>meteo</server_name>\n<tool_name>weather</tool_name>\n<arguments>{"city": "Oslo"}</arguments>\n</use_mcp_tool>',
    elements: { names: ["use_mcp_tool"] },
  },
  {
    id: "cline-xml",
    form: "offered-element",
    grammar: "X",
    writtenBy: "Cline, Roo, Kilo",
    mark: "<NAME>",
    example: "<weather>\n<city>Oslo</city>\n</weather>",
  },
  {
    id: "langchain-xml",
    form: "tool-input",
    grammar: "X",
    writtenBy: "LangChain's XML agent",
    mark: "<tool>",
    example: "<tool>weather</tool><tool_input>Oslo</tool_input>",
    answers: { element: "final_answer" },
  },
  {
    id: "cwm-tool",
    form: "tool-label",
    grammar: "T",
    writtenBy: "CWM",
    mark: "<tool: LABEL>",
    example: "<tool: weather>Oslo</tool>",
  },
];

function functionBody(call: CallText, glue: string): string {
  const parameters = argumentsOf(call.arguments).map(
    ([key, value]) => `<parameter=${key}>${glue}${rawText(value)}${glue}</parameter>\n`,
  );
  return `<function=${call.name}>\n${parameters.join("")}</function>`;
}

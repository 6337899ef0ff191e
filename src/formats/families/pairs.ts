// Families whose call is its name and then pairs of key and value: `NAME<arg_key>…<arg_value>…`. Rows only; knows no reader.

import { argumentsOf, rawText } from "../notation/callArguments.ts";
import { NO_FENCE, onLines, RAW, taggedResults, toolsBetween } from "../notation/phrases.ts";
import type { CallText } from "../notation/Rendering.ts";
import { openAiTool } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";
import { TOOL_CALL, TOOL_CALLS } from "./wrapperMarks.ts";

export const PAIRS: readonly FamilyRow[] = [
  {
    id: "glm45",
    form: "pairs",
    grammar: "X",
    writtenBy: "GLM-4.5, 4.6, Laguna",
    mark: "<arg_key>",
    example: "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
    wrappers: [{ mark: TOOL_CALL, holds: ["pairs"] }],
    pairs: { name: "line" },
    rendering: {
      toolList: toolsBetween("<tools>", "</tools>", openAiTool),
      how: "To call a tool, write a block of this form: the name directly after <tool_call>, then a key and a value for each argument:",
      several: "For several calls write one <tool_call> block after the other.",
      never: [NO_FENCE, RAW, "Never write a JSON object into the block, and close every tag."],
      preamble: onLines,
      calls: (calls) => calls.map(keyValueBlock).join("\n"),
      results: taggedResults("<tool_response>", "</tool_response>"),
      stop: ["<|observation|>"],
      marks: ["<tool_call>", "</tool_call>", "<arg_key>", "<arg_value>", "<tool_response>", "</tool_response>"],
    },
  },
  {
    id: "glm47",
    form: "pairs",
    grammar: "X",
    writtenBy: "GLM-4.7 and 5, Ling 3",
    mark: "<arg_key>",
    example: "<tool_call>weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>",
    pairs: { name: "inline" },
  },
  {
    id: "hy-v3",
    form: "pairs",
    grammar: "X",
    writtenBy: "Hunyuan v3",
    mark: "<tool_sep>",
    example:
      "<tool_calls>\n<tool_call>weather<tool_sep>\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>\n</tool_calls>",
    wrappers: [{ mark: TOOL_CALLS, holds: ["pairs"] }],
    pairs: { name: "separated", suffix: "opensource" },
    answers: { element: "answer" },
  },
  {
    id: "hy-v4",
    form: "pairs",
    grammar: "X",
    writtenBy: "Hunyuan v4",
    mark: "<tool_calls:SUFFIX>",
    example:
      "<tool_calls:a1>\n<tool_call:a1>weather\n<arg_key:a1>city</arg_key:a1>\n<arg_value:a1>Oslo</arg_value:a1>\n</tool_call:a1>\n</tool_calls:a1>",
    pairs: { suffix: "*" },
  },
  {
    id: "k2-horizon",
    form: "pairs",
    grammar: "X",
    writtenBy: "K2 Horizon",
    mark: "<ifm|tool_calls>",
    example:
      "<ifm|tool_calls><ifm|tool_call>weather\n<ifm|arg_key>city</ifm|arg_key><ifm|arg_value>Oslo</ifm|arg_value></ifm|tool_call></ifm|tool_calls>",
    wrappers: [
      { mark: TOOL_CALLS, prefixes: ["ifm"] },
      { mark: TOOL_CALL, prefixes: ["ifm"] },
    ],
    pairs: {},
  },
  {
    id: "iquest-v2",
    form: "pairs",
    grammar: "X",
    writtenBy: "iQuest Coder V2",
    mark: "<iquestcoder_tool_call>",
    example:
      "<iquestcoder_tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</iquestcoder_tool_call>",
    wrappers: [
      {
        mark: { open: "iquestcoder_tool_call", close: ["/iquestcoder_tool_call"], special: true },
        holds: ["json", "pairs"],
      },
    ],
    pairs: {},
  },
  {
    id: "solar-open2",
    form: "wrapped",
    grammar: "X",
    writtenBy: "Solar Open 2",
    mark: "<|tool_call:start|>",
    example:
      "<|tool_call:start|>weather\n<|tool_arg:start|>city<|tool_arg:value|>Oslo<|tool_arg:end|><|tool_call:end|>",
    wrappers: [
      { mark: { open: "|tool_call:start|", close: ["|tool_call:end|"], special: true }, holds: ["json", "pairs"] },
    ],
  },
];

function keyValueBlock(call: CallText): string {
  const pairs = argumentsOf(call.arguments).map(
    ([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${rawText(value)}</arg_value>\n`,
  );
  return `<tool_call>${call.name}\n${pairs.join("")}</tool_call>`;
}

// Data: prompts of formats whose arguments are tags.
// A string is written without escapes, since models were trained so. A string with its own closing tag, followed by another tag of
// the format, cannot be told from the end of the value. No escape would help, since models do not know any.

import type { ValueAt } from "../decoders/jsonTree.ts";
import { getRawText, parseArguments } from "../prompts/callArguments.ts";
import {
  type CallText,
  type Listing,
  NO_FENCE,
  RAW_VALUES_RULE,
  type RenderingRow,
  renderTaggedResults,
  renderToolsBetween,
  wrapContents,
} from "../prompts/PromptFormat.ts";
import { openAiTool, renderBareTool, renderPythonStub } from "../prompts/toolLists.ts";

/** Common members of the formats with ｜DSML｜ in their tags. */
const DSML = {
  how: 'To call tools, write one block of this form; string="true" means that the value is text as it is, string="false" that it is JSON:',
  several: "Several calls are several <｜DSML｜invoke> elements of the one block.",
  never: [NO_FENCE, "Write ｜DSML｜ in every tag, opening and closing, and give every parameter its string attribute."],
  preamble: (text: string) => `${text}\n\n`,
};

export const TAG_PROMPTS: readonly RenderingRow[] = [
  {
    id: "qwen3-xml",
    toolList: renderToolsBetween("<tools>", "</tools>", openAiTool),
    how: "To call a tool, write a block of this form, each tag and each value on lines of their own:",
    several: "For several calls write one <tool_call> block after the other.",
    never: [NO_FENCE, RAW_VALUES_RULE, "Never write a JSON object into the block, and close every tag."],
    calls: { one: (call) => `<tool_call>\n${functionElement(call, "\n")}\n</tool_call>`, between: "\n" },
    results: renderTaggedResults("<tool_response>", "</tool_response>"),
    marks: [
      ...["<tool_call>", "</tool_call>", "<function=", "</function>", "<parameter=", "</parameter>"],
      ...["<tool_response>", "</tool_response>"],
    ],
  },
  {
    id: "seed-xml",
    toolList: { before: "# Tools\n\n", one: renderPythonStub, between: "\n\n" },
    how: "To call a tool, write a block of this form, each parameter on a line of its own:",
    several: "For several calls write one <seed:tool_call> block after the other.",
    never: [NO_FENCE, RAW_VALUES_RULE, "Never write a JSON object into the block, and close every tag."],
    calls: { one: (call) => `<seed:tool_call>\n${functionElement(call, "")}\n</seed:tool_call>`, between: "\n" },
    marks: [
      ...["<seed:tool_call>", "</seed:tool_call>", "<function=", "<parameter="],
      ...["<tool_response>", "</tool_response>"],
    ],
  },
  {
    id: "anthropic-xml",
    toolList: renderToolsBetween(
      "<functions>",
      "</functions>",
      (tool) => `<function>${renderBareTool(tool)}</function>`,
    ),
    how: "To call tools, write one block of this form:",
    several: "Several calls are several <invoke> elements of the one block.",
    never: [NO_FENCE, RAW_VALUES_RULE, "Never leave out the <function_calls> around the calls, and close every tag."],
    preamble: (text) => `${text}\n\n`,
    calls: block("function_calls", invokeElement),
    results: block(
      "function_results",
      ({ call, content }) =>
        `<result>\n<tool_name>${call.name}</tool_name>\n<stdout>\n${content}\n</stdout>\n</result>`,
    ),
    marks: [
      ...["<function_calls>", "</function_calls>", "<invoke", "<function_results>", "</function_results>"],
      ...["<result>", "</result>", "<stdout>", "</stdout>"],
    ],
  },
  {
    id: "minimax-m2",
    toolList: renderToolsBetween("<tools>", "</tools>", (tool) => `<tool>${renderBareTool(tool)}</tool>`),
    how: "To call tools, write one block of this form:",
    several: "Several calls are several <invoke> elements of the one block.",
    never: [
      NO_FENCE,
      RAW_VALUES_RULE,
      "Never leave out the <minimax:tool_call> around the calls, and close every tag.",
    ],
    calls: block("minimax:tool_call", invokeElement),
    results: wrapContents("<response>", "</response>"),
    marks: ["<minimax:tool_call>", "</minimax:tool_call>", "<invoke", "<response>", "</response>", "]~b]", "[e~["],
  },
  {
    id: "deepseek-v32",
    toolList: { before: "## Tools\n\n<functions>\n", one: renderBareTool, between: "\n", after: "\n</functions>" },
    ...DSML,
    calls: block("｜DSML｜function_calls", dsmlElement),
    results: block("function_results", ({ content }) => `<result>${content}</result>`),
    marks: ["｜DSML｜", "<function_results>", "</function_results>", "<result>", "</result>"],
  },
  {
    id: "deepseek-v4",
    toolList: { before: "## Tools\n\n", one: renderBareTool, between: "\n" },
    ...DSML,
    calls: block("｜DSML｜tool_calls", dsmlElement),
    results: wrapContents("<tool_result>", "</tool_result>"),
    marks: ["｜DSML｜", "<tool_result>", "</tool_result>"],
  },
  {
    id: "glm45",
    toolList: renderToolsBetween("<tools>", "</tools>", openAiTool),
    how: "To call a tool, write a block of this form: the name directly after <tool_call>, then a key and a value for each argument:",
    several: "For several calls write one <tool_call> block after the other.",
    never: [NO_FENCE, RAW_VALUES_RULE, "Never write a JSON object into the block, and close every tag."],
    calls: { one: (call) => `<tool_call>${call.name}\n${written(call, keyAndValue)}</tool_call>`, between: "\n" },
    results: renderTaggedResults("<tool_response>", "</tool_response>"),
    stop: ["<|observation|>"],
    marks: ["<tool_call>", "</tool_call>", "<arg_key>", "<arg_value>", "<tool_response>", "</tool_response>"],
  },
];

/** One element, and in it the others on lines of their own. */
function block<Item>(name: string, one: (item: Item) => string): Listing<Item> {
  return { before: `<${name}>\n`, one, between: "\n", after: `\n</${name}>` };
}

function written(call: CallText, one: (key: string, value: ValueAt) => string): string {
  return parseArguments(call.arguments)
    .map(([key, value]) => `${one(key, value)}\n`)
    .join("");
}

function functionElement(call: CallText, glue: string): string {
  const parameters = written(call, (key, value) => `<parameter=${key}>${glue}${getRawText(value)}${glue}</parameter>`);
  return `<function=${call.name}>\n${parameters}</function>`;
}

function invokeElement(call: CallText): string {
  const parameters = written(call, (key, value) => `<parameter name="${key}">${getRawText(value)}</parameter>`);
  return `<invoke name="${call.name}">\n${parameters}</invoke>`;
}

function dsmlElement(call: CallText): string {
  const parameters = written(
    call,
    (key, value) =>
      `<｜DSML｜parameter name="${key}" string="${value.node.kind === "string"}">${getRawText(value)}</｜DSML｜parameter>`,
  );
  return `<｜DSML｜invoke name="${call.name}">\n${parameters}</｜DSML｜invoke>`;
}

function keyAndValue(key: string, value: ValueAt): string {
  return `<arg_key>${key}</arg_key>\n<arg_value>${getRawText(value)}</arg_value>`;
}

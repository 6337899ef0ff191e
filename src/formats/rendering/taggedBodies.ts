// Families whose arguments are elements with raw values. Data only; knows nothing of requests.
// A string is written as it is, for models were trained so: one that holds its own closing tag, followed by another tag of
// the format, cannot be told from the end of the value. No escape would help, since the models know none.
import { argumentsOf, rawText } from "./callArguments.ts";
import { jsonResults, NO_FENCE, onLines, taggedResults, toolsBetween } from "./phrases.ts";
import type { CallText, Rendering } from "./Rendering.ts";
import { bareTool, openAiTool, pythonStub } from "./toolLists.ts";

const RAW = "Write string values as they are, without quotation marks or escapes; all other values as JSON.";
const FLAG = 'string="true" means that the value is text as it is, string="false" that it is JSON';

export const TAGGED_BODIES: readonly Rendering[] = [
  {
    family: "qwen3-xml",
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
  {
    family: "seed-xml",
    toolList: { before: "# Tools\n\n", one: pythonStub, between: "\n\n", after: "" },
    how: "To call a tool, write a block of this form, each parameter on a line of its own:",
    several: "For several calls write one <seed:tool_call> block after the other.",
    never: [NO_FENCE, RAW, "Never write a JSON object into the block, and close every tag."],
    preamble: onLines,
    calls: (calls) => calls.map((call) => `<seed:tool_call>\n${functionBody(call, "")}\n</seed:tool_call>`).join("\n"),
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
  {
    family: "minimax-m2",
    toolList: toolsBetween("<tools>", "</tools>", (tool) => `<tool>${bareTool(tool)}</tool>`),
    how: "To call tools, write one block of this form:",
    several: "Several calls are several <invoke> elements of the one block.",
    never: [NO_FENCE, RAW, "Never leave out the <minimax:tool_call> around the calls, and close every tag."],
    preamble: onLines,
    calls: (calls) => `<minimax:tool_call>\n${calls.map(invoke).join("\n")}\n</minimax:tool_call>`,
    results: (results) => results.map(({ content }) => `<response>${content}</response>`).join("\n"),
    stop: [],
    marks: ["<minimax:tool_call>", "</minimax:tool_call>", "<invoke", "<response>", "</response>", "]~b]", "[e~["],
  },
  {
    family: "anthropic-xml",
    toolList: toolsBetween("<functions>", "</functions>", (tool) => `<function>${bareTool(tool)}</function>`),
    how: "To call tools, write one block of this form:",
    several: "Several calls are several <invoke> elements of the one block.",
    never: [NO_FENCE, RAW, "Never leave out the <function_calls> around the calls, and close every tag."],
    preamble: (text) => `${text}\n\n`,
    calls: (calls) => `<function_calls>\n${calls.map(invoke).join("\n")}\n</function_calls>`,
    results: (results) =>
      `<function_results>\n${results
        .map(
          ({ call, content }) =>
            `<result>\n<tool_name>${call.name}</tool_name>\n<stdout>\n${content}\n</stdout>\n</result>`,
        )
        .join("\n")}\n</function_results>`,
    stop: [],
    marks: [
      "<function_calls>",
      "</function_calls>",
      "<invoke",
      "<function_results>",
      "</function_results>",
      "<result>",
      "</result>",
      "<stdout>",
      "</stdout>",
    ],
  },
  {
    family: "deepseek-v32",
    toolList: { before: "## Tools\n\n<functions>\n", one: bareTool, between: "\n", after: "\n</functions>" },
    how: `To call tools, write one block of this form; ${FLAG}:`,
    several: "Several calls are several <｜DSML｜invoke> elements of the one block.",
    never: [
      NO_FENCE,
      "Write ｜DSML｜ in every tag, opening and closing, and give every parameter its string attribute.",
    ],
    preamble: (text) => `${text}\n\n`,
    calls: dsml("function_calls"),
    results: (results) =>
      `<function_results>\n${results.map(({ content }) => `<result>${content}</result>`).join("\n")}\n</function_results>`,
    stop: [],
    marks: ["｜DSML｜", "<function_results>", "</function_results>", "<result>", "</result>"],
  },
  {
    family: "deepseek-v4",
    toolList: { before: "## Tools\n\n", one: bareTool, between: "\n", after: "" },
    how: `To call tools, write one block of this form; ${FLAG}:`,
    several: "Several calls are several <｜DSML｜invoke> elements of the one block.",
    never: [
      NO_FENCE,
      "Write ｜DSML｜ in every tag, opening and closing, and give every parameter its string attribute.",
    ],
    preamble: (text) => `${text}\n\n`,
    calls: dsml("tool_calls"),
    results: (results) => results.map(({ content }) => `<tool_result>${content}</tool_result>`).join("\n"),
    stop: [],
    marks: ["｜DSML｜", "<tool_result>", "</tool_result>"],
  },
  {
    family: "glm45",
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
];

function functionBody(call: CallText, glue: string): string {
  const parameters = argumentsOf(call.arguments).map(
    ([key, value]) => `<parameter=${key}>${glue}${rawText(value)}${glue}</parameter>\n`,
  );
  return `<function=${call.name}>\n${parameters.join("")}</function>`;
}

function invoke(call: CallText): string {
  const parameters = argumentsOf(call.arguments).map(
    ([key, value]) => `<parameter name="${key}">${rawText(value)}</parameter>\n`,
  );
  return `<invoke name="${call.name}">\n${parameters.join("")}</invoke>`;
}

function dsml(outer: string) {
  return (calls: readonly CallText[]): string =>
    `<｜DSML｜${outer}>\n${calls.map(dsmlInvoke).join("\n")}\n</｜DSML｜${outer}>`;
}

function dsmlInvoke(call: CallText): string {
  const parameters = argumentsOf(call.arguments).map(
    ([key, value]) =>
      `<｜DSML｜parameter name="${key}" string="${value.node.kind === "string"}">${rawText(value)}</｜DSML｜parameter>\n`,
  );
  return `<｜DSML｜invoke name="${call.name}">\n${parameters.join("")}</｜DSML｜invoke>`;
}

function keyValueBlock(call: CallText): string {
  const pairs = argumentsOf(call.arguments).map(
    ([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${rawText(value)}</arg_value>\n`,
  );
  return `<tool_call>${call.name}\n${pairs.join("")}</tool_call>`;
}

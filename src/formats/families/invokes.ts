// Families whose call is `<invoke name="NAME">` with an element for each parameter, in their own spelling. Rows only; knows no reader.
// A string is written as it is, for models were trained so: one that holds its own closing tag, followed by another tag of
// the format, cannot be told from the end of the value. No escape would help, since the models know none.

import { argumentsOf, rawText } from "../notation/callArguments.ts";
import { NO_FENCE, onLines, RAW, toolsBetween } from "../notation/phrases.ts";
import type { CallText } from "../notation/Rendering.ts";
import { bareTool } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";
import { FUNCTION_CALL, FUNCTION_CALLS, TOOL_CALL, TOOL_CALLS } from "./wrapperMarks.ts";

/** What the renderings with ｜DSML｜ in their tags say alike. */
const DSML = {
  how: 'To call tools, write one block of this form; string="true" means that the value is text as it is, string="false" that it is JSON:',
  several: "Several calls are several <｜DSML｜invoke> elements of the one block.",
  never: [NO_FENCE, "Write ｜DSML｜ in every tag, opening and closing, and give every parameter its string attribute."],
  preamble: (text: string) => `${text}\n\n`,
};

export const INVOKES: readonly FamilyRow[] = [
  {
    id: "anthropic-xml",
    form: "invoke",
    grammar: "X",
    writtenBy: "Claude; prompts that copy its form",
    mark: "<function_calls>",
    example:
      '<function_calls>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</function_calls>',
    wrappers: [
      { mark: FUNCTION_CALLS, holds: ["json", "invoke"] },
      { mark: FUNCTION_CALL, holds: ["invoke"] },
    ],
    rendering: {
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
  },
  {
    id: "anthropic-legacy",
    form: "wrapped",
    grammar: "X",
    writtenBy: "Claude 2",
    mark: "<function_calls>",
    example:
      "<function_calls>\n<invoke>\n<tool_name>weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>",
    wrappers: [{ mark: FUNCTION_CALLS, holds: ["element"] }],
  },
  {
    id: "rwkv-xml",
    form: "wrapped",
    grammar: "X",
    writtenBy: "RWKV",
    mark: "<tool_call>",
    example: '<tool_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</tool_call>',
    wrappers: [{ mark: TOOL_CALL, holds: ["invoke"] }],
  },
  {
    id: "dots-xml",
    form: "wrapped",
    grammar: "X",
    writtenBy: "Dots",
    mark: "<dots_function_call>",
    example:
      '<dots_function_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</dots_function_call>',
    wrappers: [{ mark: { open: "dots_function_call", close: ["/dots_function_call"] }, holds: ["json", "invoke"] }],
  },
  {
    id: "minimax-m2",
    form: "wrapped",
    grammar: "X",
    writtenBy: "MiniMax M2",
    mark: "<minimax:tool_call>",
    example:
      '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</minimax:tool_call>',
    wrappers: [{ mark: TOOL_CALL, prefixes: ["minimax"] }],
    elements: { loosePrefix: "minimax" },
    rendering: {
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
  },
  {
    id: "minimax-m3",
    form: "led-elements",
    grammar: "X",
    writtenBy: "MiniMax M3",
    mark: "]<]minimax[>[<tool_call>",
    example:
      ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="weather">]<]minimax[>[<city>Oslo]<]minimax[>[</city>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
  },
  {
    id: "deepseek-v32",
    form: "wrapped",
    grammar: "X",
    writtenBy: "DeepSeek V3.2",
    mark: "<｜DSML｜function_calls>",
    example:
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    wrappers: [{ mark: FUNCTION_CALLS, prefixes: ["|DSML|"] }],
    elements: { loosePrefix: "|DSML|" },
    rendering: {
      toolList: { before: "## Tools\n\n<functions>\n", one: bareTool, between: "\n", after: "\n</functions>" },
      ...DSML,
      calls: dsml("function_calls"),
      results: (results) =>
        `<function_results>\n${results.map(({ content }) => `<result>${content}</result>`).join("\n")}\n</function_results>`,
      stop: [],
      marks: ["｜DSML｜", "<function_results>", "</function_results>", "<result>", "</result>"],
    },
  },
  {
    id: "deepseek-v4",
    form: "wrapped",
    grammar: "X",
    writtenBy: "DeepSeek V4",
    mark: "<｜DSML｜tool_calls>",
    example:
      '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    wrappers: [
      { mark: TOOL_CALLS, holds: ["invoke"], prefixes: ["|DSML|"] },
      { mark: TOOL_CALL, prefixes: ["|DSML|"] },
      { mark: { open: "toolcalls", close: ["/toolcalls"] }, holds: ["json"], prefixes: ["|DSML|"] },
    ],
    rendering: {
      toolList: { before: "## Tools\n\n", one: bareTool, between: "\n", after: "" },
      ...DSML,
      calls: dsml("tool_calls"),
      results: (results) => results.map(({ content }) => `<tool_result>${content}</tool_result>`).join("\n"),
      stop: [],
      marks: ["｜DSML｜", "<tool_result>", "</tool_result>"],
    },
  },
  {
    id: "deepseek-v41",
    form: "wrapped",
    grammar: "X",
    writtenBy: "DeepSeek V4.1",
    mark: "<｜DSML｜ calls>",
    example:
      '<｜DSML｜ calls>\n<｜DSML｜ invoke name="weather">\n<｜DSML｜ parameter name="city" string="true">Oslo</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
    wrappers: [{ mark: { open: "calls", close: ["/calls"] }, holds: ["json"], prefixes: ["|DSML|"] }],
  },
  {
    id: "gcml",
    form: "wrapped",
    grammar: "X",
    writtenBy: "GigaChat 3.5",
    mark: "<｜GCML｜tool_calls>",
    example:
      '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="weather">\n<｜GCML｜parameter name="city" string="true">Oslo</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>',
    wrappers: [
      { mark: TOOL_CALLS, prefixes: ["|GCML|"] },
      { mark: TOOL_CALL, prefixes: ["|GCML|"] },
    ],
    elements: { loosePrefix: "|GCML|" },
  },
  {
    id: "muse-atem",
    form: "wrapped",
    grammar: "X",
    writtenBy: "Muse Glimmer",
    mark: "<atem:function_calls>",
    example:
      '<atem:function_calls><atem:invoke name="weather"><atem:parameter name="city">Oslo</atem:parameter></atem:invoke></atem:function_calls>',
    wrappers: [{ mark: FUNCTION_CALLS, prefixes: ["atem"] }],
    elements: { prefix: "atem" },
  },
  {
    id: "step3-steptml",
    form: "typed-elements",
    grammar: "X",
    writtenBy: "Step-3",
    mark: "<｜tool_calls_begin｜>",
    example:
      '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="weather"><steptml:parameter name="city">Oslo</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    elements: { prefix: "steptml" },
  },
  {
    id: "kimi-k3",
    form: "elements",
    grammar: "X",
    writtenBy: "Kimi K3",
    mark: "<|open|>tools<|sep|>",
    example:
      '<|open|>tools<|sep|><|open|>call tool="weather" index="0"<|sep|><|open|>argument key="city" type="string"<|sep|>Oslo<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    elements: { prefix: "xtml" },
    wire: {
      ends: ["|end_of_msg|"],
      starts: [{ mark: "xtml:message" }],
      opens: ["xtml:response"],
      closes: ["xtml:/response", "xtml:/message"],
    },
  },
];

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

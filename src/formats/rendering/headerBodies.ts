// Families whose call is a header with the name and then the arguments as JSON. Data only; knows nothing of requests.
import { objectText } from "./callArguments.ts";
import { NO_FENCE } from "./phrases.ts";
import type { CallText, Rendering } from "./Rendering.ts";
import { arrayOf, openAiObject, openAiTool, typescriptNamespace } from "./toolLists.ts";

export const HEADER_BODIES: readonly Rendering[] = [
  {
    family: "mistral-args",
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
  {
    family: "deepseek-v3",
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
  {
    family: "deepseek-v31",
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
  {
    family: "kimi-k2",
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
  {
    family: "harmony",
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
];

/** The family's own id is kept, since the model counts on from it; another wire's id is replaced by the call's number. */
function countedId(call: Pick<CallText, "id" | "index" | "name">): string {
  return call.id !== undefined && /^functions\.[^\s:]+:\d+$/.test(call.id)
    ? call.id
    : `functions.${call.name}:${call.index}`;
}

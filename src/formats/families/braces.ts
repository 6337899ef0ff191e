// Families whose call is `call:NAME{key:value}` or its like. Rows only; knows no reader.
// A string that holds the family's string mark cannot be written: the format has no escape.

import { type ArgumentValue, argumentsOf, elementsOf, membersOf, rawText } from "../notation/callArguments.ts";
import { NO_FENCE } from "../notation/phrases.ts";
import type { CallText } from "../notation/Rendering.ts";
import { declaration } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";

const BAR_QUOTE = '<|"|>';
const ESCAPE_QUOTE = "<escape>";

export const BRACES: readonly FamilyRow[] = [
  {
    id: "gemma4",
    form: "braces",
    grammar: "L",
    writtenBy: "Gemma 4",
    mark: "<|tool_call>",
    example: '<|tool_call>call:weather{city:<|"|>Oslo<|"|>}<tool_call|>',
    braces: { open: "|tool_call", close: "tool_call|", quote: BAR_QUOTE },
    shapes: ["named-json"],
    wire: {
      ends: ["turn|", "|tool_response", "eos"],
      starts: [{ mark: "|turn", until: ["\n"] }],
      opens: ["bos"],
    },
    rendering: {
      toolList: {
        before: "",
        one: (tool) => `<|tool>${declaration(tool, BAR_QUOTE)}<tool|>`,
        between: "\n",
        after: "",
      },
      how: `To call a tool, write a block of this form, keys without quotation marks, strings between two ${BAR_QUOTE}:`,
      several: "For several calls write one block directly after the other.",
      never: [NO_FENCE, `Never write JSON: no quotation marks but ${BAR_QUOTE}, and a colon between key and value.`],
      preamble: (text) => text,
      calls: (calls) => calls.map((call) => `<|tool_call>${braceCall(call, BAR_QUOTE)}<tool_call|>`).join(""),
      results: (results) =>
        results
          .map(
            ({ call, content }) =>
              `<|tool_response>response:${call.name}{value:${BAR_QUOTE}${content}${BAR_QUOTE}}<tool_response|>`,
          )
          .join(""),
      stop: ["<|tool_response>"],
      marks: [BAR_QUOTE, "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>"],
    },
  },
  {
    id: "functiongemma",
    form: "braces",
    grammar: "L",
    writtenBy: "FunctionGemma",
    mark: "<start_function_call>",
    example: "<start_function_call>call:weather{city:<escape>Oslo<escape>}<end_function_call>",
    braces: { open: "start_function_call", close: "end_function_call", quote: ESCAPE_QUOTE },
    rendering: {
      toolList: {
        before: "",
        one: (tool) => `<start_function_declaration>${declaration(tool, ESCAPE_QUOTE)}<end_function_declaration>`,
        between: "\n",
        after: "",
      },
      how: `To call a function, write a block of this form, keys without quotation marks, strings between two ${ESCAPE_QUOTE}:`,
      several: "For several calls write one block directly after the other.",
      never: [NO_FENCE, `Never write JSON: no quotation marks but ${ESCAPE_QUOTE}, and a colon between key and value.`],
      preamble: (text) => text,
      calls: (calls) =>
        calls.map((call) => `<start_function_call>${braceCall(call, ESCAPE_QUOTE)}<end_function_call>`).join(""),
      results: (results) =>
        results
          .map(
            ({ call, content }) =>
              `<start_function_response>response:${call.name}{value:${ESCAPE_QUOTE}${content}${ESCAPE_QUOTE}}<end_function_response>`,
          )
          .join(""),
      stop: ["<start_function_response>"],
      marks: [
        ESCAPE_QUOTE,
        "<start_function_call>",
        "<end_function_call>",
        "<start_function_response>",
        "<end_function_response>",
      ],
    },
  },
  {
    id: "gemini-call-text",
    form: "labelled-braces",
    grammar: "L",
    writtenBy: "Gemini 2.5 and 3, Gemma fine-tunes",
    mark: "call:",
    example: 'call:default_api:weather{city: "Oslo"}',
    shapes: ["named-json"],
    wordThought: true,
  },
  {
    id: "minimax-bracket",
    form: "bracketed-braces",
    grammar: "L",
    writtenBy: "MiniMax M2, as a leak",
    mark: "[TOOL_CALL]",
    example: '[TOOL_CALL]\n{tool => "weather", args => {\n  --city "Oslo"\n}}\n[/TOOL_CALL]',
  },
];

function braceCall(call: CallText, quote: string): string {
  return `call:${call.name}${braces(argumentsOf(call.arguments), quote)}`;
}

/** Keys stand in alphabetical order, whatever their case: so the templates sort them. */
function braces(members: readonly (readonly [key: string, value: ArgumentValue])[], quote: string): string {
  const sorted = members.toSorted(([a], [b]) => compare(a.toLowerCase(), b.toLowerCase()));
  return `{${sorted.map(([key, value]) => `${key}:${braceValue(value, quote)}`).join(",")}}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function braceValue(value: ArgumentValue, quote: string): string {
  switch (value.node.kind) {
    case "object":
      return braces(membersOf(value), quote);
    case "array":
      return `[${elementsOf(value)
        .map((element) => braceValue(element, quote))
        .join(",")}]`;
    case "string":
      return `${quote}${rawText(value)}${quote}`;
    case "number":
    case "boolean":
    case "null":
      return rawText(value);
    default:
      return value.node.kind satisfies never;
  }
}

// Families whose call is `call:NAME{key:value}` with strings between marks of their own. Data only; knows nothing of requests.
// A string that holds the family's string mark cannot be written: the format has no escape.
import { type ArgumentValue, argumentsOf, elementsOf, membersOf, rawText } from "./callArguments.ts";
import { NO_FENCE } from "./phrases.ts";
import type { CallText, Rendering } from "./Rendering.ts";
import { declaration } from "./toolLists.ts";

const BAR_QUOTE = '<|"|>';
const ESCAPE_QUOTE = "<escape>";

export const LITERAL_BODIES: readonly Rendering[] = [
  {
    family: "gemma4",
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
  {
    family: "functiongemma",
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

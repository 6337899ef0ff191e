// Families whose call has no mark of its own. Rows only; knows no reader.
import { jsonResults, NO_FENCE, namedCall, onLines } from "../notation/phrases.ts";
import { openAiTool } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";
import { BRACKET_TOOL_CALLS, PYTHON_TAG, TOOL_CALL } from "./wrapperMarks.ts";

export const SHAPED: readonly FamilyRow[] = [
  {
    id: "generic-json",
    form: "shape",
    grammar: "J",
    writtenBy: "llama.cpp's generic handler; prompts that ask for JSON",
    mark: "",
    example: '```json\n{"tool": "weather", "tool_input": {"city": "Oslo"}}\n```',
    shapes: ["json", "fence"],
    defaultOf: ["json", "fence"],
    answers: { dressed: true, inResponse: true },
  },
  {
    id: "openai-echo",
    form: "shape",
    grammar: "J",
    writtenBy: "any model that has seen the API's own shape",
    mark: "",
    example: '{"tool_calls": [{"function": {"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}}]}',
    shapes: ["json"],
  },
  {
    id: "xlam-array",
    form: "shape",
    grammar: "J",
    writtenBy: "xLAM, Hammer",
    mark: "",
    example: '[{"name": "weather", "arguments": {"city": "Oslo"}}]',
    shapes: ["json", "fence"],
    wrappers: [
      { mark: TOOL_CALL, mayHold: ["array"] },
      { mark: BRACKET_TOOL_CALLS, mayHold: ["json"] },
    ],
  },
  {
    id: "llama3-json",
    form: "shape",
    grammar: "J",
    writtenBy: "Llama 3.1–3.3",
    mark: "<|python_tag|>",
    example: '{"name": "weather", "parameters": {"city": "Oslo"}}',
    shapes: ["json"],
    wrappers: [{ mark: PYTHON_TAG, holds: ["json"] }],
    rendering: {
      toolList: { before: "# Functions\n\n", one: openAiTool, between: "\n\n", after: "" },
      how: "To call a function, answer with one JSON object that has its name and its parameters, and with nothing else:",
      never: [
        NO_FENCE,
        "Write no word before or after the object.",
        "Call a function only if it helps; greetings and questions you can answer yourself need none.",
      ],
      preamble: onLines,
      calls: (calls) => calls.map((call) => namedCall(call, "parameters")).join("; "),
      results: jsonResults,
      stop: [],
      marks: ["<tool_response>", "</tool_response>"],
    },
  },
  {
    id: "react-json",
    form: "shape",
    grammar: "J",
    writtenBy: "LangChain's structured chat, smolagents",
    mark: "```json",
    example: '```json\n{"action": "weather", "action_input": {"city": "Oslo"}}\n```',
    shapes: ["fence"],
    answers: { dressed: true },
  },
  {
    id: "yaml-block",
    form: "yaml",
    grammar: "T",
    writtenBy: "prompts that ask for YAML",
    mark: "```yaml",
    example: "```yaml\nname: weather\narguments:\n  city: Oslo\n```",
    shapes: ["fence"],
  },
];

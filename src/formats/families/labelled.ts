// Families whose call is labelled lines, for models that were never taught a call format. Rows only; knows no reader.
import { objectText } from "../notation/callArguments.ts";
import { spacedJson } from "../notation/toolLists.ts";
import type { FamilyRow } from "./FamilyRow.ts";

export const LABELLED: readonly FamilyRow[] = [
  {
    id: "react-text",
    form: "labelled-lines",
    grammar: "T",
    writtenBy: "LangChain, CrewAI, LlamaIndex prompts",
    mark: "Action:",
    example: 'Thought: I need the forecast.\nAction: weather\nAction Input: {"city": "Oslo"}',
    shapes: ["labelled"],
    defaultOf: ["labelled"],
    answers: { dressed: true },
    rendering: {
      toolList: {
        before: "You can use these tools:\n\n",
        one: ({ name, description, parameters }) =>
          `${name}: ${description ?? name}\n  arguments (JSON Schema): ${spacedJson(parameters ?? {})}`,
        between: "\n",
        after: "",
      },
      how: "To use a tool, write these lines, each label at the start of its line, the input as one JSON object:\nThought: what you need and why",
      answer:
        "When you know the answer, write these two lines instead:\nThought: I know the answer\nFinal Answer: the answer",
      never: [
        'Never write "Observation:" yourself: stop after Action Input, and the observation is given to you.',
        "Never write an Action and a Final Answer in one answer.",
        "Write the bare tool name after Action:, without brackets, quotation marks or arguments.",
        "Write the labels as they stand here, in English, without bold or other marks.",
      ],
      preamble: (text) => (text.startsWith("Thought:") ? `${text}\n` : `Thought: ${text}\n`),
      thought: (text) => `Thought: ${text}\n`,
      calls: (calls) =>
        calls.map((call) => `Action: ${call.name}\nAction Input: ${objectText(call.arguments)}`).join("\n"),
      results: (results) => results.map(({ content }) => `Observation: ${content}`).join("\n"),
      stop: ["Observation:"],
      marks: ["Observation:", "Thought:", "Action:", "Action Input:", "Final Answer:"],
    },
  },
  {
    id: "dspy-sections",
    form: "bracket-headers",
    grammar: "T",
    writtenBy: "DSPy's ReAct",
    mark: "[[ ## next_tool_name ## ]]",
    example:
      '[[ ## next_thought ## ]]\nI need the forecast.\n\n[[ ## next_tool_name ## ]]\nweather\n\n[[ ## next_tool_args ## ]]\n{"city": "Oslo"}\n\n[[ ## completed ## ]]',
  },
];

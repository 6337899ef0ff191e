// The family of models that were never taught a call format: labelled lines. Data only; knows nothing of requests.
import { objectText } from "./callArguments.ts";
import type { Rendering } from "./Rendering.ts";
import { spacedJson } from "./toolLists.ts";

export const LABELLED_TEXT: readonly Rendering[] = [
  {
    family: "react-text",
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
];

// Data: formats whose call has no marker of its own: plain JSON and YAML, labelled lines.
import type { FormatSpec } from "./FormatSpec.ts";
import { BRACKET_TOOL_CALLS, PYTHON_TAG, TOOL_CALL } from "./wrapperMarkers.ts";

export const UNMARKED_FORMATS: readonly FormatSpec[] = [
  {
    id: "generic-json",
    shapes: ["json", "fence"],
    defaultOf: ["json", "fence"],
    answers: { dressed: true, inResponse: true },
  },
  { id: "openai-echo", shapes: ["json"] },
  {
    id: "xlam-array",
    shapes: ["json", "fence"],
    wrappers: [
      { mark: TOOL_CALL, mayHold: ["array"] },
      { mark: BRACKET_TOOL_CALLS, mayHold: ["json"] },
    ],
  },
  { id: "llama3-json", shapes: ["json"], wrappers: [{ mark: PYTHON_TAG, holds: ["json"] }] },
  { id: "react-json", shapes: ["fence"], answers: { dressed: true } },
  { id: "yaml-block", form: "yaml", shapes: ["fence"] },
  {
    id: "react-text",
    form: "labelled-lines",
    shapes: ["labelled"],
    defaultOf: ["labelled"],
    answers: { dressed: true },
  },
  { id: "dspy-sections", form: "bracket-headers" },
];

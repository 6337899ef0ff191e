// Data: formats whose call is an expression of a language, such as Python or `call:NAME{key:value}`.
import type { FormatSpec } from "./FormatSpec.ts";
import { FUNCTION_CALL, FUNCTION_CALLS, PYTHON_TAG, TOOL_CALL_START } from "./wrapperMarkers.ts";

export const EXPRESSION_FORMATS: readonly FormatSpec[] = [
  {
    id: "llama-pythonic",
    wrappers: [{ mark: { open: "|python_start|", close: ["|python_end|"], special: true }, holds: ["json", "python"] }],
    shapes: ["python"],
    defaultOf: ["python"],
  },
  {
    id: "lfm2-pythonic",
    wrappers: [{ mark: TOOL_CALL_START, holds: ["python"], mayHold: ["json", "array"] }],
    shapes: ["python"],
  },
  {
    id: "olmo3-pythonic",
    wrappers: [
      { mark: FUNCTION_CALLS, holds: ["python"] },
      { mark: FUNCTION_CALL, holds: ["python"] },
    ],
    shapes: ["python"],
  },
  { id: "granite-pythonic", shapes: ["python"] },
  { id: "minicpm3-python", wrappers: [{ mark: TOOL_CALL_START, mayHold: ["python"] }], shapes: ["python"] },
  { id: "llama-builtin", wrappers: [{ mark: PYTHON_TAG, holds: ["python"] }] },
  { id: "raven", form: "closed-python", shapes: ["python"] },
  {
    id: "gorilla",
    wrappers: [{ mark: { open: "<<function>>", close: [] }, holds: ["json", "python"] }],
    shapes: ["python"],
  },
  { id: "gemini-tool-code", shapes: ["fence", "python"], wordThought: true },
  { id: "smol-code", form: "code-element", shapes: ["fence"], answers: { dressed: true } },
  {
    id: "gemma4",
    braces: { open: "|tool_call", close: "tool_call|", quote: '<|"|>' },
    shapes: ["named-json"],
    wire: { ends: ["turn|", "|tool_response", "eos"], starts: [{ mark: "|turn", until: ["\n"] }], opens: ["bos"] },
  },
  { id: "functiongemma", braces: { open: "start_function_call", close: "end_function_call", quote: "<escape>" } },
  { id: "gemini-call-text", form: "labelled-braces", shapes: ["named-json"], wordThought: true },
  { id: "minimax-bracket", form: "bracketed-braces" },
];

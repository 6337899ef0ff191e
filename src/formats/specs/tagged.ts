// Data: formats whose call is written in tags.
import type { FormatSpec } from "./FormatSpec.ts";
import { FUNCTION_CALL, FUNCTION_CALLS, TOOL_CALL, TOOL_CALLS, TOOLS } from "./wrapperMarkers.ts";

export const TAGGED_FORMATS: readonly FormatSpec[] = [
  // An element of another name: `<function=NAME>`, `<use_mcp_tool>`, `<NAME>`.
  {
    id: "qwen3-xml",
    wrappers: [TOOL_CALL, TOOL_CALLS, FUNCTION_CALLS, FUNCTION_CALL].map((marker) => ({
      mark: marker,
      holds: ["function"],
    })),
    elements: { function: "value" },
  },
  { id: "seed-xml", wrappers: [{ mark: TOOL_CALL, prefixes: ["seed"] }], elements: { loosePrefix: "seed" } },
  { id: "minicpm5-xml", elements: { function: "name" } },
  {
    id: "nova-xml",
    wrappers: [{ mark: TOOLS, holds: ["function"] }],
    elements: { names: ["__function", "_function"] },
  },
  { id: "xai-xml", wrappers: [{ mark: FUNCTION_CALL, prefixes: ["xai"] }], elements: { prefix: "xai" } },
  { id: "function-eq-json", form: "json-element" },
  {
    id: "tool-name-xml",
    wrappers: [
      ...[TOOL_CALL, TOOL_CALLS, FUNCTION_CALL, TOOLS].map((marker) => ({ mark: marker, holds: ["element"] as const })),
      { mark: { open: "tool_use", close: ["/tool_use"] }, holds: ["json", "element"] },
      { mark: { open: "action", close: ["/action"], word: true }, holds: ["json", "element"] },
    ],
    elements: { function: "child" },
  },
  { id: "mcp-xml", elements: { names: ["use_mcp_tool"] } },
  { id: "cline-xml", form: "offered-element" },
  { id: "langchain-xml", form: "tool-input", answers: { element: "final_answer" } },
  { id: "cwm-tool", form: "tool-label" },

  // `<invoke name="NAME">` with an element for each parameter, in their own spelling.
  {
    id: "anthropic-xml",
    form: "invoke",
    wrappers: [
      { mark: FUNCTION_CALLS, holds: ["json", "invoke"] },
      { mark: FUNCTION_CALL, holds: ["invoke"] },
    ],
  },
  { id: "anthropic-legacy", wrappers: [{ mark: FUNCTION_CALLS, holds: ["element"] }] },
  { id: "rwkv-xml", wrappers: [{ mark: TOOL_CALL, holds: ["invoke"] }] },
  {
    id: "dots-xml",
    wrappers: [{ mark: { open: "dots_function_call", close: ["/dots_function_call"] }, holds: ["json", "invoke"] }],
  },
  { id: "minimax-m2", wrappers: [{ mark: TOOL_CALL, prefixes: ["minimax"] }], elements: { loosePrefix: "minimax" } },
  { id: "minimax-m3", form: "led-elements" },
  {
    id: "deepseek-v32",
    wrappers: [{ mark: FUNCTION_CALLS, prefixes: ["|DSML|"] }],
    elements: { loosePrefix: "|DSML|" },
  },
  {
    id: "deepseek-v4",
    wrappers: [
      { mark: TOOL_CALLS, holds: ["invoke"], prefixes: ["|DSML|"] },
      { mark: TOOL_CALL, prefixes: ["|DSML|"] },
      { mark: { open: "toolcalls", close: ["/toolcalls"] }, holds: ["json"], prefixes: ["|DSML|"] },
    ],
  },
  {
    id: "deepseek-v41",
    wrappers: [{ mark: { open: "calls", close: ["/calls"] }, holds: ["json"], prefixes: ["|DSML|"] }],
  },
  {
    id: "gcml",
    wrappers: [
      { mark: TOOL_CALLS, prefixes: ["|GCML|"] },
      { mark: TOOL_CALL, prefixes: ["|GCML|"] },
    ],
    elements: { loosePrefix: "|GCML|" },
  },
  { id: "muse-atem", wrappers: [{ mark: FUNCTION_CALLS, prefixes: ["atem"] }], elements: { prefix: "atem" } },
  { id: "step3-steptml", form: "typed-elements", elements: { prefix: "steptml" } },
  {
    id: "kimi-k3",
    elements: { prefix: "xtml" },
    wire: {
      ends: ["|end_of_msg|"],
      starts: [{ mark: "xtml:message" }],
      opens: ["xtml:response"],
      closes: ["xtml:/response", "xtml:/message"],
    },
  },

  // The name, then pairs of key and value: `NAME<arg_key>…<arg_value>…`.
  { id: "glm45", wrappers: [{ mark: TOOL_CALL, holds: ["pairs"] }], pairs: { name: "line" } },
  { id: "glm47", pairs: { name: "inline" } },
  {
    id: "hy-v3",
    wrappers: [{ mark: TOOL_CALLS, holds: ["pairs"] }],
    pairs: { name: "separated", suffix: "opensource" },
    answers: { element: "answer" },
  },
  { id: "hy-v4", pairs: { suffix: "*" } },
  {
    id: "k2-horizon",
    wrappers: [
      { mark: TOOL_CALLS, prefixes: ["ifm"] },
      { mark: TOOL_CALL, prefixes: ["ifm"] },
    ],
    pairs: {},
  },
  {
    id: "iquest-v2",
    wrappers: [
      {
        mark: { open: "iquestcoder_tool_call", close: ["/iquestcoder_tool_call"], special: true },
        holds: ["json", "pairs"],
      },
    ],
    pairs: {},
  },
  {
    id: "solar-open2",
    wrappers: [
      { mark: { open: "|tool_call:start|", close: ["|tool_call:end|"], special: true }, holds: ["json", "pairs"] },
    ],
  },
];

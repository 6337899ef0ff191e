// Data: formats whose call is JSON between markers, or after one.

import { createSpokenRoles } from "./chatTemplates.ts";
import type { FormatSpec } from "./FormatSpec.ts";
import {
  BAR_TOOL_CALL,
  BRACKET_TOOL_CALLS,
  FUNCTION_CALL,
  TOOL_CALL,
  TOOL_CALL_START,
  TOOL_CALLS,
  TOOLS,
} from "./wrapperMarkers.ts";

export const WRAPPED_FORMATS: readonly FormatSpec[] = [
  // `<mark>{"name": …}</mark>`
  { id: "hermes-json", wrappers: [{ mark: TOOL_CALL, holds: ["json", "python"], mayHold: ["array"] }], unmarked: true },
  { id: "qwen25-coder-tools", wrappers: [{ mark: TOOLS, holds: ["json"] }] },
  { id: "ernie-json", wrappers: [{ mark: TOOL_CALL, mayHold: ["json"] }], answers: { element: "response" } },
  {
    id: "longcat-json",
    wrappers: [{ mark: { open: "longcat_tool_call", close: ["/longcat_tool_call"] }, holds: ["json"] }],
  },
  { id: "granite20b-fc", wrappers: [{ mark: FUNCTION_CALL, holds: ["json"] }] },
  { id: "minimax-m1", wrappers: [{ mark: TOOL_CALLS, holds: ["json"], mayHold: ["array"] }] },
  {
    id: "internlm-plugin",
    wrappers: [{ mark: { open: "|action_start|", close: ["|action_end|"], special: true }, holds: ["json"] }],
    unmarked: true,
  },
  {
    id: "gigachat3",
    wrappers: [{ mark: { open: "|function_call|", close: ["|message_sep|"], special: true }, holds: ["json"] }],
    announced: {
      by: "role",
      open: "role-call",
      header: "function call<|role_sep|>",
      next: [],
      close: ["|message_sep|"],
    },
    unmarked: true,
  },
  {
    id: "inkling",
    wrappers: [
      {
        mark: {
          open: "|content_invoke_tool_json|",
          close: ["|end_message|", "|content_model_end_sampling|"],
          special: true,
        },
        holds: ["json"],
      },
    ],
    wire: {
      ends: [],
      starts: createSpokenRoles(["|message_model|"], ["|message_user|", "|message_tool|", "|message_system|"], ["*"]),
      opens: ["|content_text|", "|content_invoke_tool_text|", "|content_tool_error|"],
      closes: ["|end_message|", "|content_model_end_sampling|"],
    },
    reasoning: { open: ["|content_thinking|"], close: ["|end_message|"] },
  },
  { id: "step-audio2", wrappers: [{ mark: TOOL_CALL, holds: ["header"] }] },

  // `<mark>[{"name": …}]`
  {
    id: "granite3-json",
    wrappers: [
      { mark: BAR_TOOL_CALL, holds: ["json"] },
      { mark: TOOL_CALL, holds: ["array"] },
    ],
    shapes: ["json"],
    answers: { element: "response" },
  },
  { id: "jamba-array", wrappers: [{ mark: TOOL_CALLS, holds: ["array"], mayHold: ["json"] }], unmarked: true },
  {
    id: "nemotron-toolcall",
    wrappers: [{ mark: { open: "TOOLCALL", close: ["/TOOLCALL"], looseArray: true }, holds: ["json"] }],
    unmarked: true,
  },
  {
    id: "functools",
    announced: { by: "module", open: "functools", header: "functools", next: ["[", "{"], close: [] },
    shapes: ["json"],
  },
  { id: "phi4-tag", wrappers: [{ mark: BAR_TOOL_CALL, mayHold: ["json"] }], shapes: ["json"] },
  {
    id: "pangu-array",
    wrappers: [
      { mark: { open: "[unused11]", close: ["[unused12]"], special: true }, holds: ["json"] },
      { mark: TOOL_CALL_START, holds: ["json", "array"] },
    ],
  },
  {
    id: "apertus-array",
    wrappers: [{ mark: { open: "|tools_prefix|", close: ["|tools_suffix|"], special: true }, holds: ["json"] }],
    shapes: ["json"],
  },
  {
    id: "cohere-action",
    wrappers: [{ mark: { open: "|START_ACTION|", close: ["|END_ACTION|"], special: true }, holds: ["json"] }],
  },
  {
    id: "command-r-fenced",
    announced: {
      by: "label",
      open: "Action:",
      header: "Action:",
      next: ["```json", "[", "{", '"tool_name"'],
      close: [],
    },
    shapes: ["fence"],
  },
  {
    id: "hyperclovax-role",
    announced: {
      by: "role-header",
      open: "role-call",
      header: "assistant -> tool/function_call\n",
      next: [],
      close: ["|im_end|"],
    },
  },
  { id: "mistral-array", wrappers: [{ mark: BRACKET_TOOL_CALLS, holds: ["json"] }], unmarked: true },
  {
    id: "doubao-fc",
    wrappers: [
      {
        mark: { open: "|FunctionCallBegin|", close: ["|FunctionCallEnd|"], special: true, noisy: true },
        holds: ["json"],
      },
    ],
  },
];

// Data: formats whose call is a name between markers or on its line, followed by JSON arguments.

import { createSpokenRoles } from "./chatTemplates.ts";
import type { FormatSpec } from "./FormatSpec.ts";
import { BRACKET_TOOL_CALLS } from "./wrapperMarkers.ts";

export const HEADED_FORMATS: readonly FormatSpec[] = [
  {
    id: "mistral-args",
    wrappers: [{ mark: BRACKET_TOOL_CALLS, holds: ["header"] }],
    shapes: ["named-json"],
    defaultOf: ["named-json"],
  },
  { id: "deepseek-v3", form: "typed-section" },
  {
    id: "deepseek-v31",
    section: {
      "|tool_calls_begin|": "section",
      "|tool_calls_end|": "section-end",
      "|tool_call_begin|": "call",
      "|tool_sep|": "separator",
      "|tool_call_end|": "call-end",
    },
  },
  {
    id: "kimi-k2",
    section: {
      "|tool_calls_section_begin|": "section",
      "|tool_call_section_begin|": "section",
      "|tool_calls_section_end|": "section-end",
      "|tool_call_section_end|": "section-end",
      "|tool_call_argument_begin|": "arguments",
    },
    sectionHead: "named-id",
    shapes: ["named-json"],
    wire: {
      ends: ["|im_end|", "[EOS]", "[EOT]"],
      starts: createSpokenRoles(["|im_assistant|"], ["|im_user|", "|im_system|"], ["|im_middle|"]),
      opens: ["|im_middle|"],
    },
  },
  {
    id: "solar-open",
    section: {
      "|tool_calls|": "section",
      "|calls|": "section-end",
      "|tool_call:begin|": "call",
      "|tool_call:name|": "name",
      "|tool_call:args|": "arguments",
      "|tool_call:end|": "call-end",
    },
    sectionHead: "id",
  },
  {
    id: "plamo3",
    section: {
      "|plamo:begin_tool_requests:plamo|": "section",
      "|plamo:end_tool_requests:plamo|": "section-end",
      "|plamo:begin_tool_request:plamo|": "call",
      "|plamo:begin_tool_name:plamo|": "name",
      "|plamo:end_tool_name:plamo|": "ignored",
      "|plamo:begin_tool_arguments:plamo|": "arguments",
      "|plamo:end_tool_arguments:plamo|": "ignored",
      "|plamo:end_tool_request:plamo|": "call-end",
    },
  },
  {
    id: "harmony",
    form: "framed",
    // Text of its header, if a server has removed the tokens between the words.
    head: {
      open: "to=functions.",
      before: ["assistantcommentary", "assistant", "analysis", "commentary", "final"],
      name: "word",
      noise: 256,
      without: "text",
    },
    wire: {
      ends: ["|return|", "|call|"],
      starts: [{ mark: "|start|" }, { mark: "|channel|" }, { mark: "|message|" }],
      closes: ["|end|"],
      channels: true,
    },
  },
  {
    id: "functionary-v2",
    form: "recipient-section",
    section: { "|recipient|": "call", "|content|": "arguments", "|from|": "section", "|stop|": "section-end" },
  },
  {
    id: "functionary-v32",
    form: "recipient-line",
    head: { open: ">>>", name: "line", without: "code", resume: "<>" },
    shapes: ["named-json"],
  },
  { id: "glm4-legacy", form: "name-and-fence", shapes: ["named-json"] },
  {
    id: "qwen-agent",
    form: "flower-labels",
    head: { open: "✿FUNCTION✿", name: "sign", separators: ["✿ARGS✿", ":"], without: "nothing", resume: "✿" },
  },
];

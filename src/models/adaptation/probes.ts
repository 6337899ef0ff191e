// Parts of the gateway's own probe requests after a refusal. They contain no text of a caller.
import type { Message, ToolCall, ToolSpec } from "../../core/messages.ts";
import type { OutputFormat } from "../../core/requests.ts";
import type { ModelRequest } from "../ModelClient.ts";
import type { OmittableField } from "../request/quirks.ts";

export const PROBE_TOOL: ToolSpec = {
  name: "postel_probe",
  description: "Does nothing.",
  parameters: { type: "object", properties: {} },
};
export const PROBE_CALL: ToolCall = {
  id: "postelprb",
  name: PROBE_TOOL.name,
  arguments: "{}",
  origin: "native",
  repairs: [],
  raw: "",
};
export const PROBE_OUTPUT: OutputFormat = {
  type: "json_schema",
  name: "postel_probe",
  schema: {
    type: "object",
    properties: { ok: { type: "boolean" } },
    required: ["ok"],
    additionalProperties: false,
  },
  strict: false,
};
/** A name and an id that a strict upstream takes neither of. */
export const ODD_TOOL: ToolSpec = { ...PROBE_TOOL, name: "postel.probe" };
export const ODD_CALL: ToolCall = {
  ...PROBE_CALL,
  id: "postel.probe:with-an-id-that-no-strict-upstream-takes-for-one",
};
/** A tool whose schema has every keyword that a strict server refuses. */
export const ODD_SCHEMA_TOOL: ToolSpec = {
  ...PROBE_TOOL,
  parameters: {
    type: "object",
    properties: { a: { const: "a" }, b: { type: ["string", "null"] }, c: { $ref: "#/$defs/c" }, d: { type: "array" } },
    $defs: { c: { type: "string" } },
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
    additionalProperties: false,
  },
};
export const GREETING: Message = { role: "user", content: "Hi" };
export const REPLY: Message = { role: "assistant", content: "Hi" };
/** A call and its result. */
export const RESULT_PROBE: Partial<ModelRequest> = {
  messages: [
    GREETING,
    { role: "assistant", content: null, toolCalls: [PROBE_CALL] },
    { role: "tool", content: "Nothing.", toolCallId: PROBE_CALL.id },
  ],
  tools: [PROBE_TOOL],
};
/** An image of one pixel, with the text that a tool result has for it. */
export const IMAGE_RESULT_PROBE: Partial<ModelRequest> = {
  messages: [
    GREETING,
    { role: "assistant", content: null, toolCalls: [PROBE_CALL] },
    {
      role: "tool",
      content: [
        { type: "text", text: "[image/png, 1 KB]" },
        {
          type: "image_url",
          image_url: {
            url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
          },
        },
      ],
      toolCallId: PROBE_CALL.id,
    },
  ],
  tools: [PROBE_TOOL],
};
export const INSTRUCTION: Message = { role: "system", content: "Be brief." };
/** Servers with a JSON mode demand the word "JSON" in the conversation. */
export const ASKS_FOR_JSON: readonly Message[] = [{ role: "user", content: "Answer in JSON." }];

/** Each omittable field at a value that every server which knows it takes. */
export const OMITTED_PROBES: Readonly<Record<OmittableField, Partial<ModelRequest>>> = {
  temperature: { sampling: { temperature: 0.5 } },
  top_p: { sampling: { topP: 0.5 } },
  presence_penalty: { sampling: { presencePenalty: 0.5 } },
  frequency_penalty: { sampling: { frequencyPenalty: 0.5 } },
  seed: { sampling: { seed: 7 } },
  stop: { sampling: { stop: ["\n\n"] } },
  parallel_tool_calls: { tools: [PROBE_TOOL], parallelToolCalls: true },
  stream_options: {},
  top_k: { passthrough: { top_k: 40 } },
  min_p: { passthrough: { min_p: 0.05 } },
  repetition_penalty: { passthrough: { repetition_penalty: 1.1 } },
  reasoning_effort: { passthrough: { reasoning_effort: "low" } },
  verbosity: { passthrough: { verbosity: "low" } },
  top_logprobs: { passthrough: { logprobs: true, top_logprobs: 1 } },
  logprobs: { passthrough: { logprobs: true } },
  logit_bias: { passthrough: { logit_bias: { "0": 0 } } },
  user: { passthrough: { user: "postel" } },
  safety_identifier: { passthrough: { safety_identifier: "postel" } },
  prompt_cache_key: { passthrough: { prompt_cache_key: "postel" } },
  service_tier: { passthrough: { service_tier: "auto" } },
  metadata: { passthrough: { metadata: {} } },
  store: { passthrough: { store: false } },
  prediction: { passthrough: { prediction: { type: "content", content: "ok" } } },
};

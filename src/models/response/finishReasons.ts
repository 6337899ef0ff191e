// Maps other spellings to the finish reasons of the gateway, and lists values that are not an end.

/**
 * Values of other wires that proxies forward unchanged. An unknown value for a cut would pass for a complete answer.
 * Anthropic: end_turn, max_tokens, stop_sequence, tool_use, refusal, model_context_window_exceeded; Gemini: STOP, MAX_TOKENS, SAFETY,
 * RECITATION, BLOCKLIST, PROHIBITED_CONTENT, SPII, and those of images; Mistral: model_length; TGI: eos_token; older OpenAI: function_call.
 */
const SAME: ReadonlyMap<string, string> = new Map([
  ...["stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"].map(as("stop")),
  ...["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"].map(as("length")),
  ...["content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "refusal"].map(
    as("content_filter"),
  ),
  ...["image_safety", "image_recitation", "image_prohibited_content"].map(as("content_filter")),
  ...["tool_calls", "tool_call", "tool_use", "function_call"].map(as("tool_calls")),
]);

/**
 * The server gave up on its answer. OpenRouter: error; vLLM and SGLang: abort; Z.ai: network_error; DeepSeek:
 * insufficient_system_resource.
 */
const BROKE_OFF: ReadonlySet<string> = new Set([
  "error",
  "abort",
  "aborted",
  "network_error",
  "insufficient_system_resource",
]);

/** Returns the equivalent of `FINISH_REASONS`, else the value unchanged. */
export function normalizeFinishReason(stated: string): string {
  return SAME.get(normalizeKey(stated)) ?? stated;
}

export function isBrokenOff(stated: string): boolean {
  return BROKE_OFF.has(normalizeKey(stated));
}

function as(known: string): (word: string) => readonly [string, string] {
  return (word) => [word, known];
}

function normalizeKey(stated: string): string {
  return stated.toLowerCase().replaceAll("-", "_");
}

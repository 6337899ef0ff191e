// Converts the token counts of Anthropic's Messages to those of the chat wire.
import type { Usage } from "@anthropic-ai/sdk/resources/messages";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asObject } from "../../looseJson.ts";

/**
 * Anthropic counts the prompt in three separate parts (docs: prompt caching, "Tracking cache performance"); on the
 * chat wire all are `prompt_tokens`. Undefined if there are no counts.
 */
export function toChatUsage(usage: JsonObject): JsonObject | undefined {
  const text = usage as { readonly [Name in keyof Usage]?: JsonValue };
  const input = asCount(text.input_tokens);
  const output = asCount(text.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  const cacheReadTokens = asCount(text.cache_read_input_tokens);
  const cacheWriteTokens = asCount(text.cache_creation_input_tokens);
  const thinking = asCount(asObject(text.output_tokens_details)?.thinking_tokens);
  const prompt = (input ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: output ?? 0,
    total_tokens: prompt + (output ?? 0),
    ...((cacheReadTokens !== undefined || cacheWriteTokens !== undefined) && {
      prompt_tokens_details: { cached_tokens: cacheReadTokens ?? 0, cache_write_tokens: cacheWriteTokens ?? 0 },
    }),
    ...(thinking !== undefined && { completion_tokens_details: { reasoning_tokens: thinking } }),
  };
}

function asCount(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

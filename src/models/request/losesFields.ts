// Checks if messages of the chat wire have fields that a text prompt or another wire cannot express.
import type { JsonObject } from "../../core/messages.ts";

/** Fields that every wire can express. */
const SAID: ReadonlySet<string> = new Set(["role", "content", "tool_calls", "tool_call_id"]);
/** Fields of answers that histories bring back. Only the upstream that sent them can use them. */
const BORNE: ReadonlySet<string> = new Set([
  ...["reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks", "extra_content"],
  ...["annotations", "audio", "images", "refusal"],
]);

const NONE: ReadonlySet<string> = new Set();

/** @param knownFields further fields that the wire can express. */
export function losesFields(messages: readonly JsonObject[], knownFields: ReadonlySet<string> = NONE): boolean {
  return messages.some((message) =>
    Object.entries(message).some(([field, value]) => {
      if (value === null || SAID.has(field) || BORNE.has(field) || knownFields.has(field)) return false;
      // The name of a result is that of its call.
      return field !== "name" || message.role !== "tool";
    }),
  );
}

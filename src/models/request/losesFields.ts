// Whether messages of the chat wire say what a prompt of text, or another wire, has no word for. Knows no wire's words.
import type { JsonObject } from "../../core/messages.ts";

/** What everybody says in a way of his own. */
const SAID: ReadonlySet<string> = new Set(["role", "content", "tool_calls", "tool_call_id"]);
/** What answers bear and histories bring back: it is of use to the upstream alone that said it. */
const BORNE: ReadonlySet<string> = new Set([
  ...["reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks", "extra_content"],
  ...["annotations", "audio", "images", "refusal"],
]);

const NONE: ReadonlySet<string> = new Set();

/** @param own further fields that the wire says. */
export function losesFields(messages: readonly JsonObject[], own: ReadonlySet<string> = NONE): boolean {
  return messages.some((message) =>
    Object.entries(message).some(([field, value]) => {
      if (value === null || SAID.has(field) || BORNE.has(field) || own.has(field)) return false;
      // The name of a result is that of its call.
      return field !== "name" || message.role !== "tool";
    }),
  );
}

// The ids of calls that a conversation already has. Knows nothing else of messages.
import type { Message } from "../core/messages.ts";

/** Every id, in order; an id may occur more than once. */
export function callIdsIn(messages: readonly Message[]): readonly string[] {
  const ids: string[] = [];
  for (const { toolCalls } of messages) {
    if (toolCalls) for (const { id } of toolCalls) ids.push(id);
  }
  return ids;
}

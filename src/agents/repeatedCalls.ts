// Notices a model that makes the very same calls turn after turn. Stops nothing itself.

import { callKey } from "../core/callKey.ts";
import type { Message } from "../core/messages.ts";

/**
 * How many turns at the end of a conversation made the same calls, the last one included; 0 where the last turn made none.
 * Whatever the user says in between starts the count anew.
 */
export function countRepeats(messages: readonly Message[]): number {
  let last: string | undefined;
  let repeats = 0;
  for (const message of messages.toReversed()) {
    if (message.role === "tool") continue;
    const key = turnKey(message);
    if (key === undefined || (last !== undefined && key !== last)) break;
    last = key;
    repeats += 1;
  }
  return repeats;
}

function turnKey(message: Message): string | undefined {
  const calls = message.toolCalls ?? [];
  return calls.length === 0 ? undefined : calls.map(callKey).join("\n");
}

// Notices a model that makes the very same calls turn after turn, and tells it. Stops nothing itself.

import { callKey } from "../core/callKey.ts";
import type { Message } from "../core/messages.ts";
import { WARN_AT_REPEATS } from "./decideNextStep.ts";

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

/** The results of a turn; where the turn repeats itself, the last one also says so to the model. */
export function withRepeatWarning(results: readonly Message[], repeats: number): readonly Message[] {
  const last = results.at(-1);
  if (!last || repeats < WARN_AT_REPEATS) return results;
  const warning = `Note: you have made this same call ${repeats} times in a row. Its result will not change. Use what you have, try something else, or give your final answer.`;
  return [...results.slice(0, -1), { ...last, content: `${last.content}\n\n${warning}` }];
}

function turnKey(message: Message): string | undefined {
  const calls = message.toolCalls ?? [];
  return calls.length === 0 ? undefined : calls.map(callKey).join("\n");
}

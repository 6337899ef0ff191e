// Detects a model that makes the same calls turn after turn, or in a cycle of a few turns.

import { joinText, type Message } from "../../core/messages.ts";
import { CallKeys } from "../../core/runs/callKey.ts";

/** Returns true if equal calls of this tool may return new results. */
export type IsRepeatable = (name: string) => boolean;

/**
 * Number of turns at the end of a conversation that made the same calls, including the last one; 0 if the last turn made
 * none. If one of the tools is repeatable, the results must be equal too. A user message resets the count.
 */
export function countRepeats(
  messages: readonly Message[],
  keys = new CallKeys(),
  isRepeatable: IsRepeatable = () => false,
): number {
  let later: TurnMade | undefined;
  let repeats = 0;
  for (const turn of turnsBack(messages, keys)) {
    const repeated = !later || (turn.names.some(isRepeatable) ? isSame(later, turn) : later.key === turn.key);
    if (!repeated) break;
    later = turn;
    repeats += 1;
  }
  return repeats;
}

/** Maximum length of a detected cycle, in turns. */
const LONGEST_CIRCLE = 4;
/** Number of turns that are compared: enough for one repetition of the longest cycle. */
const LOOKED_AT = 2 * LONGEST_CIRCLE;

/**
 * Like `countRepeats`, for a cycle of two to four turns. Two turns are equal if their calls and results are equal;
 * results of the last turn may be missing. Calls that bring new results (a page, a state) form no cycle.
 */
export function countCircle(messages: readonly Message[], keys = new CallKeys()): number {
  const turns = lastTurns(messages, keys);
  let longest = 0;
  for (let length = 2; length <= LONGEST_CIRCLE; length += 1) {
    let same = 0;
    while (isSame(turns[same], turns[same + length])) same += 1;
    longest = Math.max(longest, same);
  }
  return longest + 1;
}

interface TurnMade {
  readonly key: string;
  readonly names: readonly string[];
  readonly results: readonly string[];
}

/** Last turn first. */
function lastTurns(messages: readonly Message[], keys: CallKeys): readonly TurnMade[] {
  const turns: TurnMade[] = [];
  for (const turn of turnsBack(messages, keys)) if (turns.push(turn) === LOOKED_AT) break;
  return turns;
}

/** The turns at the end that made calls, last first. */
function* turnsBack(messages: readonly Message[], keys: CallKeys): Generator<TurnMade, undefined> {
  let results: string[] = [];
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.role === "tool") {
      results.unshift(joinText(message.content));
      continue;
    }
    const key = message && turnKey(message, keys);
    if (key === undefined) return;
    yield { key, names: (message?.toolCalls ?? []).map(({ name }) => name), results };
    results = [];
  }
}

function isSame(later: TurnMade | undefined, earlier: TurnMade | undefined): boolean {
  if (!later || later.key !== earlier?.key) return false;
  return later.results.every((result, index) => broughtSame(result, earlier.results[index] ?? ""));
}

/** The gateway may have appended a paragraph to one of the two results. */
function broughtSame(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}\n\n`) || b.startsWith(`${a}\n\n`);
}

function turnKey(message: Message, keys: CallKeys): string | undefined {
  const calls = message.toolCalls ?? [];
  return calls.length === 0 ? undefined : calls.map((call) => keys.of(call)).join("\n");
}

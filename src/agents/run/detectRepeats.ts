// Notices a model that makes the very same calls turn after turn, or in a circle of a few turns. Stops nothing itself.

import { joinText, type Message } from "../../core/messages.ts";
import { CallKeys } from "../../core/runs/callKey.ts";

/** Whether a tool of this name is one whose equal calls may bring something new. */
export type IsRepeatable = (name: string) => boolean;

/**
 * How many turns at the end of a conversation made the same calls, the last one included; 0 where the last turn made none. Where one
 * of them is of a tool that may be repeated, the turns are the same only so far as they brought the same. Whatever the user says in
 * between starts the count anew.
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

/** Turns of the longest circle that is noticed. */
const LONGEST_CIRCLE = 4;
/** Turns that are looked at: a circle that has come round, and no more than a run is stopped for. */
const LOOKED_AT = 2 * LONGEST_CIRCLE;

/**
 * As `countRepeats` for a model that goes round in a circle of two to four turns: how many turns at the end did what was done as
 * many turns before, and one. A turn is the same where its calls are and they brought the same; what the last turn's calls bring
 * may not be known yet. Calls that bring something new (a page, a state) are no circle, however alike they are.
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

/** The last first. */
function lastTurns(messages: readonly Message[], keys: CallKeys): readonly TurnMade[] {
  const turns: TurnMade[] = [];
  for (const turn of turnsBack(messages, keys)) if (turns.push(turn) === LOOKED_AT) break;
  return turns;
}

/** The turns at the end that made calls, the last first. */
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

/** Behind one of the two the gateway may have said a paragraph of its own. */
function broughtSame(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}\n\n`) || b.startsWith(`${a}\n\n`);
}

function turnKey(message: Message, keys: CallKeys): string | undefined {
  const calls = message.toolCalls ?? [];
  return calls.length === 0 ? undefined : calls.map((call) => keys.of(call)).join("\n");
}

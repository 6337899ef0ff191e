// Where the last turn of a session begins among its messages. Takes nothing away.

import type { Message } from "../core/messages.ts";
import type { InterruptRecord } from "../core/runs/interrupts.ts";
import type { SessionRecord, Store } from "../core/stores.ts";
import { serializeMessage, toAnswerMessages } from "./sessionMessages.ts";

/** Runs whose questions may have been part of the last turn; those that failed since are among them. */
const RECENT_RUNS = 10;

export interface LastTurn {
  /** What its caller said. */
  readonly words: Message;
  /** How many messages the session had had before it. */
  readonly before: number;
}

/**
 * Undefined where the session has none.
 * @param most messages that are looked at
 */
export async function readLastTurn(
  { sessions, runs, interrupts }: Pick<Store, "sessions" | "runs" | "interrupts">,
  session: SessionRecord,
  most: number,
): Promise<LastTurn | undefined> {
  const stored = await sessions.messages(session, most);
  const recent = await runs.list(session.owner, { most: RECENT_RUNS, session: session.id });
  const asked = await Promise.all(recent.map((run) => interrupts.ofRun(run)));
  const begin = findTurnStart(stored, asked.flat());
  const words = stored[begin];
  return words && { words, before: session.messages - (stored.length - begin) };
}

/** At what its caller said, and not at an answer to a question that the turn asked; -1 where there is none. */
function findTurnStart(messages: readonly Message[], asked: readonly InterruptRecord[]): number {
  const answers = new Set(asked.flatMap(toAnswerMessages).map(serializeMessage));
  const isAnswer = (at: number): boolean =>
    messages.slice(at - 1, at + 1).every((message) => answers.has(serializeMessage(message)));
  return messages.findLastIndex(({ role }, at) => role === "user" && !(at > 0 && isAnswer(at)));
}

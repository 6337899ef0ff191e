// Finds the beginning of a session's last turn.

import type { Message } from "../core/messages.ts";
import type { InterruptRecord } from "../core/runs/interrupts.ts";
import type { SessionRecord } from "../core/stores/SessionStore.ts";
import type { Store } from "../core/stores/Store.ts";
import { serializeMessage, toAnswerMessages } from "./sessionMessages.ts";

/** Maximum number of recent runs whose questions may belong to the last turn, including failed ones. */
const RECENT_RUNS = 10;

export interface LastTurn {
  /** The user's message of the turn. */
  readonly userMessage: Message;
  /** Number of messages of the session before the turn. */
  readonly before: number;
}

/**
 * Undefined if the session has no turn.
 * @param maxMessages maximum number of messages to read
 */
export async function readLastTurn(
  { sessions, runs, interrupts }: Pick<Store, "sessions" | "runs" | "interrupts">,
  session: SessionRecord,
  maxMessages: number,
): Promise<LastTurn | undefined> {
  const stored = await sessions.messages(session, maxMessages);
  const recent = await runs.list(session.owner, { limit: RECENT_RUNS, session: session.id });
  const interruptRecords = await Promise.all(recent.map((run) => interrupts.ofRun(run)));
  const begin = findTurnStart(stored, interruptRecords.flat());
  const userMessage = stored[begin];
  return userMessage && { userMessage, before: session.messages - (stored.length - begin) };
}

/** Index of the user's message that began the turn, not of an answer to a question; -1 if there is none. */
function findTurnStart(messages: readonly Message[], interruptRecords: readonly InterruptRecord[]): number {
  const answers = new Set(interruptRecords.flatMap(toAnswerMessages).map(serializeMessage));
  const isAnswer = (at: number): boolean =>
    messages.slice(at - 1, at + 1).every((message) => answers.has(serializeMessage(message)));
  return messages.findLastIndex(({ role }, at) => role === "user" && !(at > 0 && isAnswer(at)));
}

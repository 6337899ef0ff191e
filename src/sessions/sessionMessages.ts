// Selects the messages of a turn that a session stores.
import type { Collected } from "../core/events/Collector.ts";
import { joinAnswerText } from "../core/events/refusals.ts";
import { isInstruction, joinText, type Message } from "../core/messages.ts";
import type { InterruptRecord } from "../core/runs/interrupts.ts";

/** The new messages of `sent`: instructions that the client sends with every request are stored once. */
export function selectNewMessages(sentMessages: readonly Message[], stored: readonly Message[]): readonly Message[] {
  const known = new Set(stored.filter(isInstruction).map(serializeMessage));
  return sentMessages.filter((message) => !isInstruction(message) || !known.has(serializeMessage(message)));
}

/** The latest messages that fit next to `further` ones. They never begin with a tool's result, because its call would be missing. */
export function trimToLimit(stored: readonly Message[], further: number, maxMessages: number): readonly Message[] {
  const instructions = stored.filter(isInstruction);
  const freeCount = Math.max(0, maxMessages - further);
  if (stored.length <= freeCount) return stored;
  const conversation = stored.filter((message) => !isInstruction(message));
  const youngest = conversation.slice(Math.max(0, conversation.length - Math.max(0, freeCount - instructions.length)));
  const begin = youngest.findIndex(({ role }) => role !== "tool");
  return [...instructions, ...(begin < 0 ? [] : youngest.slice(begin))];
}

/** The messages that a run adds to the conversation: answered questions, and the answer. Calls of gateway tools are left out; client calls are included in the native form. */
export function answerMessages(collected: Collected, interrupts: readonly InterruptRecord[]): readonly Message[] {
  const ids = new Set(interrupts.map(({ id }) => id));
  const toolCalls = collected.calls
    .filter(({ id }) => !ids.has(id))
    .map((call) => ({ ...call, origin: "native", repairs: [], raw: call.arguments }));
  const answerText = joinAnswerText(collected);
  if (answerText === "" && toolCalls.length === 0) return interrupts.flatMap(toAnswerMessages);
  const content = answerText === "" ? null : answerText;
  const { sources } = collected;
  const answer = {
    role: "assistant",
    content,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(sources && { sources }),
  } as const;
  return [...interrupts.flatMap(toAnswerMessages), answer];
}

/** The two messages of an answered question. */
export function toAnswerMessages({ question, decision }: InterruptRecord): readonly Message[] {
  if (decision?.type !== "answer") return [];
  return [
    { role: "assistant", content: question },
    { role: "user", content: decision.response },
  ];
}

/** The same text for messages with the same role and content. */
export function serializeMessage({ role, content }: Message): string {
  return `${role} ${joinText(content)}`;
}

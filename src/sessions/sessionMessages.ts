// Selects the messages of a turn that a session stores.
import type { Collected } from "../core/events/Collector.ts";
import { joinAnswerText } from "../core/events/refusals.ts";
import { isInstruction, joinText, type Message } from "../core/messages.ts";
import type { InterruptRecord } from "../core/runs/interrupts.ts";

/** The new messages of `sent`: instructions that the client sends with every request are stored once. */
export function selectNewMessages(sent: readonly Message[], stored: readonly Message[]): readonly Message[] {
  const known = new Set(stored.filter(isInstruction).map(serializeMessage));
  return sent.filter((message) => !isInstruction(message) || !known.has(serializeMessage(message)));
}

/** The latest messages that fit next to `further` ones. They never begin with a tool's result, because its call would be missing. */
export function trimToLimit(stored: readonly Message[], further: number, most: number): readonly Message[] {
  const instructions = stored.filter(isInstruction);
  const room = Math.max(0, most - further);
  if (stored.length <= room) return stored;
  const talk = stored.filter((message) => !isInstruction(message));
  const youngest = talk.slice(Math.max(0, talk.length - Math.max(0, room - instructions.length)));
  const begin = youngest.findIndex(({ role }) => role !== "tool");
  return [...instructions, ...(begin < 0 ? [] : youngest.slice(begin))];
}

/** The messages that a run adds to the conversation: answered questions, and the answer. Calls of gateway tools are left out; client calls are included in the native form. */
export function answerMessages(said: Collected, asked: readonly InterruptRecord[]): readonly Message[] {
  const ids = new Set(asked.map(({ id }) => id));
  const toolCalls = said.calls
    .filter(({ id }) => !ids.has(id))
    .map((call) => ({ ...call, origin: "native", repairs: [], raw: call.arguments }));
  const words = joinAnswerText(said);
  if (words === "" && toolCalls.length === 0) return asked.flatMap(toAnswerMessages);
  const content = words === "" ? null : words;
  const { sources } = said;
  const answer = {
    role: "assistant",
    content,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(sources && { sources }),
  } as const;
  return [...asked.flatMap(toAnswerMessages), answer];
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

// What of a history can be left out only together: a call and its results, a user's turn and all that answers it. Pure; leaves nothing out.
import type { Message } from "../../core/messages.ts";

/**
 * The messages from `from` up to `to`. `kept`: never left out. `summary`: stands for what was left out before. `old`: can be left out
 * whole.
 */
export interface Unit {
  readonly from: number;
  readonly to: number;
  readonly is: "kept" | "summary" | "old";
}

/**
 * All messages in their order, each in one unit. Kept are instructions, the first question with the answer that closes it, the question
 * that is being answered, and the last turn.
 */
export function groupMessages(messages: readonly Message[]): readonly Unit[] {
  const first = messages.findIndex(isQuestion);
  const question = messages.findLastIndex(isQuestion);
  const last = findLastTurn(messages);
  const closing = first < question ? closingAnswer(messages, first) : -1;
  const units: Unit[] = [];
  for (let at = 0; at < messages.length; ) {
    const message = messages[at] as Message;
    const isKept = isInstruction(message) || at === first || at === question || at === closing || at >= last;
    const is = isKept ? "kept" : message.isSummary ? "summary" : "old";
    const to = is === "old" ? findGroupEnd(messages, at, Math.min(last, messages.length)) : at + 1;
    units.push({ from: at, to, is });
    at = to;
  }
  return units;
}

/** Where the last turn begins: what was said last, with the calls that it answers. */
export function findLastTurn(messages: readonly Message[]): number {
  const last = messages.length - 1;
  if (messages[last]?.role !== "tool") return last;
  const before = messages.findLastIndex(({ role }) => role !== "tool");
  return messages[before]?.toolCalls?.length ? before : before + 1;
}

export function isInstruction({ role }: Message): boolean {
  return role === "system" || role === "developer";
}

function isQuestion({ role, isSummary }: Message): boolean {
  return role === "user" && !isSummary;
}

/** What closes the first exchange stays with it: of two questions in a row a model answers either. */
function closingAnswer(messages: readonly Message[], first: number): number {
  const next = messages.findIndex((message, at) => at > first && message.role === "user");
  const before = messages[next - 1];
  return before?.role === "assistant" && !before.toolCalls?.length ? next - 1 : -1;
}

/** Of what cannot be kept without the message at `from`. */
function findGroupEnd(messages: readonly Message[], from: number, most: number): number {
  const isExchange = messages[from]?.role === "user";
  let to = from + 1;
  while (to < most && belongs(messages[to] as Message, isExchange)) to += 1;
  return to;
}

/** Results stand behind their calls, whatever is left out before; what answers a user goes with the user. */
function belongs({ role }: Message, isExchange: boolean): boolean {
  return role === "tool" || (isExchange && role === "assistant");
}

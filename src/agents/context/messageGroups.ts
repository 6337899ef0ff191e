// Groups the messages that can only be dropped together: a call with its results, a user turn with its answers. Pure.
import { isInstruction, type Message } from "../../core/messages.ts";

/** The messages from `from` up to `to`. `kept`: never dropped. `summary`: replaces dropped messages. `old`: can be dropped as a group. */
export interface Unit {
  readonly from: number;
  readonly to: number;
  readonly is: "kept" | "summary" | "old";
}

/** Groups all messages, in order. Instructions, the first question with its final answer, the current question and the last turn are marked `kept`. */
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

/** Index at which the last turn begins: the last message, or the calls that it answers. */
export function findLastTurn(messages: readonly Message[]): number {
  const last = messages.length - 1;
  if (messages[last]?.role !== "tool") return last;
  const before = messages.findLastIndex(({ role }) => role !== "tool");
  return messages[before]?.toolCalls?.length ? before : before + 1;
}

function isQuestion({ role, isSummary }: Message): boolean {
  return role === "user" && !isSummary;
}

/** Index of the answer that closes the first exchange. Without it, two questions would follow each other, and a model may answer either. */
function closingAnswer(messages: readonly Message[], first: number): number {
  const next = messages.findIndex((message, at) => at > first && message.role === "user");
  const before = messages[next - 1];
  return before?.role === "assistant" && !before.toolCalls?.length ? next - 1 : -1;
}

/** End of the group that begins at `from`. */
function findGroupEnd(messages: readonly Message[], from: number, limit: number): number {
  const isExchange = messages[from]?.role === "user";
  let to = from + 1;
  while (to < limit && belongs(messages[to] as Message, isExchange)) to += 1;
  return to;
}

/** Results stay with their calls, and answers stay with the user's message. */
function belongs({ role }: Message, isExchange: boolean): boolean {
  return role === "tool" || (isExchange && role === "assistant");
}

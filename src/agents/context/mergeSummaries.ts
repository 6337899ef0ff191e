// Merges a summary with the adjacent user message before it is sent, because some chat templates require alternating roles. Pure.
import { joinText, type Message } from "../../core/messages.ts";

/** Returns the same array if there is no summary. */
export function mergeSummaryMessages(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ isSummary }) => isSummary)) return messages;
  const joined: Message[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    const belongs = before?.role === "user" && message.role === "user" && (before.isSummary || message.isSummary);
    if (before && belongs) joined.splice(-1, 1, mergePair(before, message));
    else joined.push(message);
  }
  return joined;
}

function mergePair(first: Message, second: Message): Message {
  const { isSummary: _, ...message } = first;
  const isText = typeof first.content === "string" && typeof second.content === "string";
  if (isText) return { ...message, content: `${joinText(first.content)}\n\n${joinText(second.content)}` };
  return { ...message, content: [...toParts(first), ...toParts(second)] };
}

function toParts({ content }: Message) {
  return Array.isArray(content) ? content : [{ type: "text", text: joinText(content) } as const];
}

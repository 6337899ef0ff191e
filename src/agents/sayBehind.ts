// Words of the gateway at the end of what a model reads. Decides neither the words nor when they are said.
import type { Message } from "../core/messages.ts";

/**
 * `messages` with the words behind the last one where that is the user's or a tool's result: a message of their own would stand there
 * where some chat templates take none.
 */
export function sayBehind(messages: readonly Message[], words: string): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user" && last?.role !== "tool") return [...messages, { role: "user", content: words }];
  const { content } = last;
  const said: Message["content"] =
    typeof content === "string" || content === null
      ? [content ?? "", words].filter((text) => text !== "").join("\n\n")
      : [...content, { type: "text", text: words }];
  return [...messages.slice(0, -1), { ...last, content: said }];
}

// Words of the gateway at the end of what a model reads. Decides neither the words nor when they are said.
import type { Message } from "../../core/messages.ts";
import type { OutputFormat } from "../../core/requests.ts";
import { describeOutput } from "./outputInstructions.ts";

/**
 * `messages` with the words behind the last one where that is the user's or a tool's result: a message of their own would stand there
 * where some chat templates take none.
 */
export function appendInstruction(messages: readonly Message[], words: string): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user" && last?.role !== "tool") return [...messages, { role: "user", content: words }];
  const { content } = last;
  const said: Message["content"] =
    typeof content === "string" || content === null
      ? [content ?? "", words].filter((text) => text !== "").join("\n\n")
      : [...content, { type: "text", text: words }];
  return [...messages.slice(0, -1), { ...last, content: said }];
}

/** `messages` with the words behind the last one, if the model is to answer that. */
export function askForAnswer(messages: readonly Message[], output: OutputFormat): readonly Message[] {
  const last = messages.at(-1);
  const form = describeOutput(output);
  if (last?.role === "tool") {
    const demand = form ?? "Now answer the question in plain words.";
    return appendInstruction(messages, `You have the result above. ${demand}`);
  }
  // A model that has not called yet may want to: nothing keeps it from that.
  const words = `Your answer was empty. ${form ?? "Answer now."}`;
  return appendInstruction(messages, words);
}

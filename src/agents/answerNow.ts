// The words that bring a model to its answer, at the end of what it reads. Decides nothing: when they are said is the turn's and the run's.
import type { Message } from "../core/messages.ts";
import type { OutputFormat } from "../core/requests.ts";
import { outputDemand } from "./instructOutput.ts";

/**
 * `messages` with the words behind the last one, if the model is to answer that. A message of their own would stand behind a
 * tool's result or behind the user, where some chat templates take none.
 */
export function askForAnswer(messages: readonly Message[], output: OutputFormat): readonly Message[] {
  const last = messages.at(-1);
  const form = outputDemand(output);
  if (last?.role === "tool") {
    const demand = form ?? "Now answer the question in plain words.";
    return sayBehind(messages, last, `You have the result above. ${demand}`);
  }
  // A model that has not called yet may want to: nothing keeps it from that.
  const words = `Your answer was empty. ${form ?? "Answer now."}`;
  return last?.role === "user" ? sayBehind(messages, last, words) : [...messages, { role: "user", content: words }];
}

function sayBehind(messages: readonly Message[], last: Message, words: string): readonly Message[] {
  const { content } = last;
  const said: Message["content"] =
    typeof content === "string" || content === null
      ? [content ?? "", words].filter((text) => text !== "").join("\n\n")
      : [...content, { type: "text", text: words }];
  return [...messages.slice(0, -1), { ...last, content: said }];
}

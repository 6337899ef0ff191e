// Appends an instruction of the gateway to a conversation.
import type { Message } from "../../core/messages.ts";
import type { OutputFormat } from "../../core/requests.ts";
import { describeOutput } from "./outputInstructions.ts";

/**
 * Appends the text to the last message if that is a user message or a tool result, because some chat templates do not
 * accept a further message there. Otherwise it adds a user message.
 */
export function appendInstruction(messages: readonly Message[], instruction: string): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user" && last?.role !== "tool") return [...messages, { role: "user", content: instruction }];
  const { content } = last;
  const said: Message["content"] =
    typeof content === "string" || content === null
      ? [content ?? "", instruction].filter((text) => text !== "").join("\n\n")
      : [...content, { type: "text", text: instruction }];
  return [...messages.slice(0, -1), { ...last, content: said }];
}

/** Appends the demand for an answer to the conversation. */
export function askForAnswer(messages: readonly Message[], output: OutputFormat): readonly Message[] {
  const last = messages.at(-1);
  const form = describeOutput(output);
  if (last?.role === "tool") {
    const demand = form ?? "Now answer the question in plain words.";
    return appendInstruction(messages, `You have the result above. ${demand}`);
  }
  // A model that has not called a tool yet may still do so; the instruction does not forbid it.
  const instruction = `Your answer was empty. ${form ?? "Answer now."}`;
  return appendInstruction(messages, instruction);
}

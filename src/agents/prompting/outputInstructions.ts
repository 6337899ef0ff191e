// Tells a model which form its final answer must have, if the upstream cannot enforce it.
import type { Message } from "../../core/messages.ts";
import { joinText } from "../../core/messages.ts";
import type { OutputFormat } from "../../core/requests.ts";

/** Adds the demand to the end of the leading system text; returns `messages` unchanged if any text is allowed. */
export function appendOutputInstruction(messages: readonly Message[], output: OutputFormat): readonly Message[] {
  const demand = describeOutput(output);
  return demand === undefined ? messages : insertInstruction(messages, demand, "last");
}

/** The demand as a sentence; undefined if any text is allowed. */
export function describeOutput(output: OutputFormat): string | undefined {
  switch (output.type) {
    case "text":
      return undefined;
    case "json_object":
      return "Write your final answer as one JSON object and nothing else: no fence, no text around it.";
    case "json_schema":
      return `Write your final answer as one JSON value and nothing else: no fence, no text around it. It must satisfy this JSON Schema:\n${JSON.stringify(output.schema)}`;
    default:
      return output satisfies never;
  }
}

/** Adds a text to the leading system message, or creates it, because many chat templates accept only one. */
export function insertInstruction(
  messages: readonly Message[],
  text: string,
  position: "first" | "last",
): readonly Message[] {
  const [first, ...rest] = messages;
  if (first?.role !== "system" && first?.role !== "developer") return [{ role: "system", content: text }, ...messages];
  const instructions = joinText(first.content);
  const parts = position === "first" ? [text, instructions] : [instructions, text];
  return [{ ...first, content: parts.filter((part) => part !== "").join("\n\n") }, ...rest];
}

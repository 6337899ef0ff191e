// The images that results of tools show: in the message of the result alone, for they are large. Knows no wire and no model.
import { isObject, type Message } from "../../core/messages.ts";
import type { ToolResult } from "../../core/runs/RunState.ts";

/** What the message of a result says: its words, which name each image, and the images behind them. */
export function buildResultContent({ content, images = [] }: ToolResult): Message["content"] {
  return images.length > 0 ? [{ type: "text", text: content }, ...images] : content;
}

/** The result as everything else keeps it: its words say what it showed. */
export function stripImages({ images: _, ...result }: ToolResult): ToolResult {
  return result;
}

/** Characters of the images that the results of a conversation show. */
export function countImageChars(messages: readonly Message[]): number {
  return messages.reduce(
    (sum, { role, content }) => (role === "tool" ? sum + countContentImageChars(content) : sum),
    0,
  );
}

function countContentImageChars(content: Message["content"]): number {
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum, part) => {
    const url = part.type === "image_url" && isObject(part.image_url) ? part.image_url.url : undefined;
    return sum + (typeof url === "string" ? url.length : 0);
  }, 0);
}

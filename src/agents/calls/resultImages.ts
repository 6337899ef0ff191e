// Handles images in tool results: only the message of the result contains them, because they are large.
import { isObject, type Message } from "../../core/messages.ts";
import type { ToolResult } from "../../core/runs/RunState.ts";

/** Content of the result's message: the text, which names each image, then the images. */
export function buildResultContent({ content, images = [] }: ToolResult): Message["content"] {
  return images.length > 0 ? [{ type: "text", text: content }, ...images] : content;
}

/** The result without its images, for everywhere else. Its text names them. */
export function stripImages({ images: _, ...result }: ToolResult): ToolResult {
  return result;
}

/** Number of characters of the images in the tool results of a conversation. */
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

// Escapes text that a server would read as control tokens, in the tool results of a conversation in native mode.

import { runCooperatively, type YIELD } from "../../core/async/yieldToEventLoop.ts";
import type { ContentPart, Message } from "../../core/messages.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import { MarkerEscaper, type TokenPattern } from "../../formats/prompts/escapeMarkers.ts";
import { wireTokens } from "../../formats/prompts/templateTokens.ts";

type Profile = Pick<ModelCapabilities, "tokenizesText" | "wire">;

/** The tokens to escape in native mode, besides tag characters: those of the profile's wire, if its server tokenizes text. */
export function selectTokenPattern({ tokenizesText, wire }: Profile): TokenPattern {
  return tokenizesText ? wireTokens(wire) : NO_TOKENS;
}

const NO_TOKENS: TokenPattern = () => "";

/** Returns the same array if there is nothing to escape. */
export async function escapeResults(messages: readonly Message[], profile: Profile): Promise<readonly Message[]> {
  const isLooked = (text: string): boolean => profile.tokenizesText === true || mayHoldTags(text);
  const isConcerned = messages.some(({ role, content }) => role === "tool" && getTexts(content).some(isLooked));
  return isConcerned
    ? await runCooperatively(breaking(messages, new MarkerEscaper([], { tokens: selectTokenPattern(profile) })))
    : messages;
}

/** Tag characters contain this half of a surrogate pair; in escaped form they begin with this text. */
function mayHoldTags(text: string): boolean {
  return text.includes("\uDB40") || text.includes("U+E00");
}

function getTexts(content: Message["content"]): readonly string[] {
  if (content === null) return [];
  if (typeof content === "string") return [content];
  return content.flatMap((part) => (isText(part) ? [part.text] : []));
}

function isText(part: ContentPart): part is ContentPart & { readonly type: "text"; readonly text: string } {
  return part.type === "text" && typeof part.text === "string";
}

function* breaking(
  messages: readonly Message[],
  neutraliser: MarkerEscaper,
): Generator<typeof YIELD, readonly Message[]> {
  const broken: Message[] = [];
  for (const message of messages) {
    const content = message.role === "tool" ? yield* escapeContent(message.content, neutraliser) : message.content;
    broken.push(content === message.content ? message : { ...message, content });
  }
  return broken;
}

function* escapeContent(
  content: Message["content"],
  neutraliser: MarkerEscaper,
): Generator<typeof YIELD, Message["content"]> {
  if (content === null) return content;
  if (typeof content === "string") {
    const text = yield* neutraliser.neutralise(content);
    return text === content ? content : text;
  }
  const parts: ContentPart[] = [];
  for (const part of content) {
    parts.push(isText(part) ? { ...part, text: yield* neutraliser.neutralise(part.text) } : part);
  }
  return parts;
}

// Breaks what a server would take for control tokens in the tool results of a conversation that goes up with the wire's own tools.
import type { ModelCapabilities } from "../core/capabilities.ts";
import { finishSoon, type TURN } from "../core/loopTurn.ts";
import { type ContentPart, type Message, wholeMessage } from "../core/messages.ts";
import { Neutraliser, type TokenPattern } from "../formats/rendering/neutralise.ts";
import { wireTokens } from "../formats/rendering/wireTokens.ts";

type Profile = Pick<ModelCapabilities, "tokenizesText" | "wire">;

/** What is broken in native mode beside tag characters: the tokens of the profile's wire, where its server makes tokens of text. */
export function brokenTokens({ tokenizesText, wire }: Profile): TokenPattern {
  return tokenizesText ? wireTokens(wire) : NO_TOKENS;
}

const NO_TOKENS: TokenPattern = () => "";

/** The messages themselves where nothing is to be broken; a promise only where much is looked at. */
export function breakResults(
  messages: readonly Message[],
  profile: Profile,
): readonly Message[] | Promise<readonly Message[]> {
  const isLooked = (text: string): boolean => profile.tokenizesText === true || mayHoldTags(text);
  const isConcerned = messages.some(({ role, content }) => role === "tool" && textsOf(content).some(isLooked));
  return isConcerned
    ? finishSoon(breaking(messages, new Neutraliser([], { tokens: brokenTokens(profile) })))
    : messages;
}

/** Tag characters have this half of a surrogate pair; written out they begin so. */
function mayHoldTags(text: string): boolean {
  return text.includes("\uDB40") || text.includes("U+E00");
}

function textsOf(content: Message["content"]): readonly string[] {
  if (content === null) return [];
  if (typeof content === "string") return [content];
  return content.flatMap((part) => (isText(part) ? [part.text] : []));
}

function isText(part: ContentPart): part is ContentPart & { readonly type: "text"; readonly text: string } {
  return part.type === "text" && typeof part.text === "string";
}

function* breaking(messages: readonly Message[], neutraliser: Neutraliser): Generator<typeof TURN, readonly Message[]> {
  const broken: Message[] = [];
  for (const message of messages) {
    const content = message.role === "tool" ? yield* contentOf(message.content, neutraliser) : message.content;
    broken.push(content === message.content ? message : wholeMessage({ ...message, content }));
  }
  return broken;
}

function* contentOf(content: Message["content"], neutraliser: Neutraliser): Generator<typeof TURN, Message["content"]> {
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

// The translation between chat completions and Anthropic's Messages.
import type { Translation } from "../UpstreamWire.ts";
import { MessagesReader } from "./MessagesReader.ts";
import { buildMessagesBody } from "./messagesBody.ts";

/** @param path of the endpoint, after the base URL */
export function createMessagesTranslation(path: string): Translation {
  return { ask: (chat) => ({ path, ...buildMessagesBody(chat) }), answer: () => new MessagesReader() };
}

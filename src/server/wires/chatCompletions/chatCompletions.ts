// The wire of OpenAI's chat completions, as a value. Knows no HTTP.
import type { Message } from "../../../core/messages.ts";
import { readWishes, wantsRaw } from "../../postelHeaders.ts";
import type { AnswerEncoder, Wire } from "../Wire.ts";
import { ChoicesEncoder } from "./ChoicesEncoder.ts";
import { completion } from "./completion.ts";
import { errorBody } from "./errorBody.ts";
import { readChatRequest } from "./readChatRequest.ts";

export const chatCompletions: Wire = {
  async accept(body, header, context) {
    const { chat, choices, includeUsage, calls } = await readChatRequest(body, {
      ...context,
      wishes: readWishes(header),
    });
    const created = Math.floor(context.clock.now() / 1000);
    const frame = { id: `chatcmpl-${chat.id}`, model: chat.model, created };
    const raw = wantsRaw(header);
    const answer = {
      whole: (collected) => completion(frame, collected, { raw, calls }),
      stream: () =>
        new ChoicesEncoder(frame, { choices, usage: includeUsage, runEvents: context.gatewayTools, raw, calls }),
    } satisfies AnswerEncoder;
    return { chat, choices, answer };
  },
  unwritablePart({ messages, passthrough }) {
    const { modalities, audio } = passthrough;
    if (audio !== undefined && audio !== null) return "audio";
    if (Array.isArray(modalities) && modalities.includes("audio")) return "modalities";
    const index = messages.findIndex(hasUnwritable);
    return index < 0 ? undefined : `messages[${index}].content`;
  },
  failureBody: errorBody,
};

/** A user's pictures stand beside the text that the conversation becomes; sound and files do not, nor anything that an assistant's text would lose. */
function hasUnwritable({ role, content }: Message): boolean {
  if (typeof content !== "object" || content === null) return false;
  return content.some(({ type }) => type !== "text" && !(role === "user" && type === "image_url"));
}

// The OpenAI chat completions API as a front API.
import type { Message } from "../../../core/messages.ts";
import { readWishes, wantsRaw } from "../../validation/postelHeaders.ts";
import type { AcceptContext, Accepted, AnswerEncoder, FrontApi } from "../FrontApi.ts";
import { ChoicesEncoder, type StreamOptions } from "./ChoicesEncoder.ts";
import { buildCompletion } from "./completion.ts";
import { buildErrorBody } from "./errorBody.ts";
import { type ReadRequest, readChatRequest } from "./readChatRequest.ts";

export const chatCompletions: FrontApi = {
  async accept(body, header, context) {
    const { id, caller, limits, gatewayTools, routeFields } = context;
    const wishes = readWishes(header);
    const parsedSpecs = await readChatRequest(body, { id, caller, limits, gatewayTools, routeFields, wishes });
    return accepted(parsedSpecs, context, wantsRaw(header));
  },
  unwritablePart({ messages, passthrough }) {
    const { modalities, audio } = passthrough;
    if (audio !== undefined && audio !== null) return "audio";
    if (Array.isArray(modalities) && modalities.includes("audio")) return "modalities";
    const index = messages.findIndex(hasUnwritable);
    return index < 0 ? undefined : `messages[${index}].content`;
  },
  failureBody: buildErrorBody,
};

function accepted(
  { chat, choices, includeUsage, calls }: ReadRequest,
  { clock, gatewayTools }: AcceptContext,
  raw: boolean,
): Accepted {
  const frame = { id: chat.id, model: chat.model, now: clock.now() };
  const options = { choices, usage: includeUsage, runEvents: gatewayTools, raw, calls };
  return { chat, choices, answer: createChatAnswer(frame, options) };
}

/** An answer to the request `id`. `now` is its start in epoch milliseconds. */
export function createChatAnswer(
  { id, model, now }: { readonly id: string; readonly model: string; readonly now: number },
  options: StreamOptions,
): AnswerEncoder {
  const frame = { id: `chatcmpl-${id}`, model, created: Math.floor(now / 1_000) };
  return {
    whole: (collected) => buildCompletion(frame, collected, options),
    stream: () => new ChoicesEncoder(frame, options),
  };
}

/** Images of a user can be sent with the text of the conversation. Audio, files and non-text parts of an assistant cannot. */
function hasUnwritable({ role, content }: Message): boolean {
  if (typeof content !== "object" || content === null) return false;
  return content.some(({ type }) => type !== "text" && !(role === "user" && type === "image_url"));
}

// The messages of an OpenAI request → Messages of the house. Knows nothing of the request around them.
import { z } from "zod";
import type { ContentPart, JsonObject, Message, ToolCall } from "../core/messages.ts";

const partShape = z.looseObject({ type: z.string() });
const textPartShape = z.looseObject({ type: z.literal("text", { error: "must be a text part" }), text: z.string() });

function content<Part extends z.ZodType>(part: Part) {
  return z.union([z.string(), z.array(part).min(1)], { error: "must be a string or a list of content parts" });
}

const callShape = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function", { error: 'must be "function"' }).optional(),
  function: z.looseObject({
    name: z.string().min(1),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())], { error: "must be JSON text" }).nullish(),
  }),
});

const name = z.string().max(256).nullish();

export const messageShape = z.discriminatedUnion(
  "role",
  [
    z.looseObject({ role: z.literal("system"), content: content(textPartShape), name }),
    z.looseObject({ role: z.literal("developer"), content: content(textPartShape), name }),
    z.looseObject({ role: z.literal("user"), content: content(partShape), name }),
    z.looseObject({
      role: z.literal("assistant"),
      content: content(partShape).nullish(),
      name,
      reasoning_content: z.string().nullish(),
      reasoning: z.string().nullish(),
      tool_calls: z.array(callShape).nullish(),
    }),
    z.looseObject({ role: z.literal("tool"), content: content(textPartShape), tool_call_id: z.string().min(1), name }),
  ],
  { error: "must have a `role` of system, developer, user, assistant or tool" },
);

export type WireMessage = z.infer<typeof messageShape>;

export function readMessage(message: WireMessage): Message {
  // Parts were parsed from JSON text, so they hold nothing but JSON.
  const body = (message.content ?? null) as string | readonly ContentPart[] | null;
  const common = { role: message.role, content: body, ...(message.name && { name: message.name }) };
  if (message.role === "tool") return { ...common, toolCallId: message.tool_call_id };
  if (message.role !== "assistant") return common;
  const reasoning = message.reasoning_content ?? message.reasoning;
  return {
    ...common,
    ...(reasoning && { reasoning }),
    ...(message.tool_calls?.length && { toolCalls: message.tool_calls.map(readCall) }),
  };
}

/** True where a message holds an image, audio or another part that is no text. */
export function hasNonText(message: Message): boolean {
  return Array.isArray(message.content) && message.content.some((part: JsonObject) => part.type !== "text");
}

/** Calls of the history are taken as they are; only what cannot be JSON text of an object is made one. */
function readCall(call: z.infer<typeof callShape>): ToolCall {
  const given = call.function.arguments ?? "";
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const complete = text.trim() === "" ? "{}" : text;
  return { id: call.id, name: call.function.name, arguments: complete, origin: "native", repairs: [], raw: text };
}

// The messages of an OpenAI request → Messages of the house. Knows nothing of the request around them.
import { z } from "zod";
import { foreignFields, foreignFunctionFields } from "../../../core/foreignFields.ts";
import { loopTurn } from "../../../core/loopTurn.ts";
import type { ContentPart, JsonObject, Message, ToolCall } from "../../../core/messages.ts";
import { Pace } from "../../../core/Pace.ts";
import { anyObject, checkShape, listOf } from "../../checkShape.ts";

const partShape = z.looseObject({ type: z.string() });
const textPartShape = z.looseObject({ type: z.literal("text", { error: "must be a text part" }), text: z.string() });

function content<Part extends z.ZodType>(part: Part) {
  return z.union([z.string(), listOf(part).refine((parts) => parts.length > 0)], {
    error: "must be a string or a list of content parts",
  });
}

const callShape = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function", { error: 'must be "function"' }).optional(),
  function: z.looseObject({
    name: z.string().min(1),
    arguments: z.union([z.string(), anyObject], { error: "must be JSON text" }).nullish(),
  }),
});

const name = z.string().max(256).nullish();

/** One message of a request. */
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
      tool_calls: listOf(callShape).nullish(),
    }),
    z.looseObject({
      role: z.literal("tool"),
      content: content(textPartShape),
      tool_call_id: z.string().min(1),
      name,
    }),
  ],
  { error: "must have a `role` of system, developer, user, assistant or tool" },
);

type WireMessage = z.infer<typeof messageShape>;

/** Modelled in every role, so that none of them slips through where it has no place. */
const MESSAGE_FIELDS = new Set([
  "role",
  "content",
  "name",
  "reasoning_content",
  "reasoning",
  "tool_calls",
  "tool_call_id",
]);

/** Messages that are read in one go. */
const A_TURN = 512;

/**
 * Many are read with turns of the event loop in between.
 * @throws PostelError `invalid_request` that names the message and its field.
 */
export async function readMessages(values: readonly unknown[]): Promise<readonly Message[]> {
  const pace = new Pace(A_TURN);
  const messages: Message[] = [];
  for (const [index, value] of values.entries()) {
    if (pace.due(1)) await loopTurn();
    messages.push(readMessage(checkShape(messageShape, value, ["messages", index])));
  }
  return messages;
}

function readMessage(message: WireMessage): Message {
  // What was parsed from JSON text holds nothing but JSON.
  const json = message as unknown as JsonObject;
  const extra = foreignFields(json, MESSAGE_FIELDS);
  const common = {
    role: message.role,
    content: (message.content ?? null) as string | readonly ContentPart[] | null,
    ...(message.name && { name: message.name }),
    ...(extra && { extra }),
  };
  if (message.role === "tool") return { ...common, toolCallId: message.tool_call_id };
  if (message.role !== "assistant") return common;
  return {
    ...common,
    ...readReasoning(message),
    ...(message.tool_calls?.length && {
      toolCalls: message.tool_calls.map(readCall),
    }),
  };
}

function readReasoning(message: Extract<WireMessage, { role: "assistant" }>): Partial<Message> {
  for (const field of ["reasoning_content", "reasoning"] as const) {
    const reasoning = message[field];
    if (reasoning) return { reasoning, reasoningField: field };
  }
  return {};
}

/** Calls of the history are taken as they are; only what cannot be JSON text of an object is made one. */
function readCall(call: z.infer<typeof callShape>): ToolCall {
  const given = call.function.arguments ?? "";
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const complete = text.trim() === "" ? "{}" : text;
  const extra = foreignFunctionFields(call as unknown as JsonObject);
  const { id } = call;
  const { name } = call.function;
  return {
    id,
    name,
    arguments: complete,
    origin: "native",
    repairs: [],
    raw: text,
    ...(extra && { extra }),
  };
}

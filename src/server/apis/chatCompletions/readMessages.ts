// Converts the messages of an OpenAI request to the gateway's messages.

import { z } from "zod";
import { yieldToEventLoop } from "../../../core/async/yieldToEventLoop.ts";
import { extractFunctionFields, extractProviderFields } from "../../../core/events/providerFields.ts";
import { refuseField } from "../../../core/failures.ts";
import type { ContentPart, JsonObject, Message, ToolCall } from "../../../core/messages.ts";
import { anyObject, checkShape, listField } from "../../validation/checkShape.ts";
import { wrapCustomInput } from "./customTools.ts";

const partShape = z.looseObject({ type: z.string() });
const textPartShape = z.looseObject({ type: z.literal("text", { error: "must be a text part" }), text: z.string() });

function content<Part extends z.ZodType>(part: Part) {
  return z.union([z.string(), listField(part).refine((parts) => parts.length > 0)], {
    error: "must be a string or a list of content parts",
  });
}

const functionCallShape = z.looseObject({
  name: z.string().min(1),
  arguments: z.union([z.string(), anyObject], { error: "must be JSON text" }).nullish(),
});

const id = z.string().min(1);
const callShape = z.discriminatedUnion(
  "type",
  [
    z.looseObject({ id, type: z.literal("function").optional(), function: functionCallShape }),
    z.looseObject({
      id,
      type: z.literal("custom"),
      custom: z.looseObject({ name: z.string().min(1), input: z.string() }),
    }),
  ],
  { error: 'must be "function" or "custom"' },
);

const name = z.string().max(256).nullish();

/** One message of a request. */
const messageShape = z.discriminatedUnion(
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
      tool_calls: listField(callShape).nullish(),
      function_call: functionCallShape.nullish(),
    }),
    z.looseObject({
      role: z.literal("tool"),
      content: content(textPartShape),
      tool_call_id: z.string().min(1),
      name,
    }),
    z.looseObject({
      role: z.literal("function"),
      content: content(textPartShape).nullish(),
      name: z.string().min(1).max(256),
    }),
  ],
  { error: "must have a `role` of system, developer, user, assistant, tool or function" },
);

type WireMessage = z.infer<typeof messageShape>;
type Assistant = Extract<WireMessage, { role: "assistant" }>;

/** Declared for every role, so that a field in the wrong role is detected. */
const MESSAGE_FIELDS = new Set([
  "role",
  "content",
  "name",
  "reasoning_content",
  "reasoning",
  "refusal",
  "tool_calls",
  "tool_call_id",
  "function_call",
]);

/** Number of messages that are read in one slice. */
const A_TURN = 512;

/** Maximum number of content parts of one message. Checking this many takes less than 50 ms of CPU. */
const MAX_PARTS = 8_192;

/**
 * Long lists are read in slices that yield to the event loop. @throws PostelError `invalid_request` that names the message
 * and its field.
 */
export async function readMessages(values: readonly unknown[]): Promise<readonly Message[]> {
  const messages: Message[] = [];
  const ids = new FunctionCallIds();
  for (const [at, value] of values.entries()) {
    if (at > 0 && at % A_TURN === 0) await yieldToEventLoop();
    refuseTooManyParts(value, at);
    messages.push(readMessage(checkShape(messageShape, value, ["messages", at]), ids));
  }
  return messages;
}

function refuseTooManyParts(value: unknown, at: number): void {
  const parts = (value as { readonly content?: unknown } | null | undefined)?.content;
  if (!Array.isArray(parts) || parts.length <= MAX_PARTS) return;
  const field = `messages[${at}].content`;
  refuseField(field, `\`${field}\` has ${parts.length} parts; at most ${MAX_PARTS} are read. Join the text parts.`);
}

/**
 * Ids for the calls of the legacy API, which has none. The same history gives the same ids, so that upstreams can reuse a
 * prompt.
 */
class FunctionCallIds {
  #calls = 0;
  /** Calls without a result yet. */
  readonly #open: { readonly id: string; readonly name: string }[] = [];

  call(name: string): string {
    this.#calls += 1;
    // Nine letters and digits, as the strictest chat templates require.
    const id = `fn${String(this.#calls).padStart(7, "0")}`;
    this.#open.push({ id, name });
    return id;
  }

  /** Id of the latest open call of that function; a placeholder id if the history has no such call. */
  result(name: string): string {
    const at = this.#open.findLastIndex((call) => call.name === name);
    return this.#open.splice(at, at < 0 ? 0 : 1)[0]?.id ?? "fn0000000";
  }
}

function readMessage(message: WireMessage, ids: FunctionCallIds): Message {
  const { role } = message;
  const content = readContent(message);
  const reasoningField = role === "assistant" ? findReasoningField(message) : undefined;
  return {
    role: role === "function" ? "tool" : role,
    content: role === "function" ? (content ?? "") : content,
    name: message.name || undefined,
    extra: extractProviderFields(message as unknown as JsonObject, MESSAGE_FIELDS),
    reasoning: reasoningField && (message[reasoningField] as string),
    reasoningField,
    toolCalls: role === "assistant" ? readCalls(message, ids) : undefined,
    toolCallId: getAnsweredCall(message, ids),
  };
}

/** A refusal in the history is sent as the text of its message: few upstreams know the field, and some reject it. */
function readContent(message: WireMessage): string | readonly ContentPart[] | null {
  // The value was parsed from JSON text, so it contains JSON values only.
  const content = (message.content ?? null) as string | readonly ContentPart[] | null;
  const refusalField = message.role === "assistant" ? message.refusal : undefined;
  if (typeof refusalField !== "string" || refusalField === "") return content;
  if (Array.isArray(content)) return [...content, { type: "text", text: refusalField }];
  return content ? `${content}\n\n${refusalField}` : refusalField;
}

/** Id of the call whose result the message contains. */
function getAnsweredCall(message: WireMessage, ids: FunctionCallIds): string | undefined {
  if (message.role === "tool") return message.tool_call_id;
  return message.role === "function" ? ids.result(message.name) : undefined;
}

function readCalls({ tool_calls, function_call }: Assistant, ids: FunctionCallIds): readonly ToolCall[] | undefined {
  if (tool_calls?.length) return tool_calls.map(readCall);
  return function_call ? [readCall({ id: ids.call(function_call.name), function: function_call })] : undefined;
}

function findReasoningField(message: Assistant): "reasoning_content" | "reasoning" | undefined {
  if (message.reasoning_content) return "reasoning_content";
  return message.reasoning ? "reasoning" : undefined;
}

/** Calls of the history are used unchanged; only arguments that are no JSON object are converted to one. */
function readCall(call: z.infer<typeof callShape>): ToolCall {
  const argumentsValue = call.type === "custom" ? wrapCustomInput(call.custom.input) : (call.function.arguments ?? "");
  const text = typeof argumentsValue === "string" ? argumentsValue : JSON.stringify(argumentsValue);
  const complete = text.trim() === "" ? "{}" : text;
  const extra = extractFunctionFields(call as unknown as JsonObject);
  const { id } = call;
  const { name } = call.type === "custom" ? call.custom : call.function;
  return { id, name, arguments: complete, origin: "native", repairs: NO_REPAIRS, raw: text, extra };
}

const NO_REPAIRS: readonly string[] = [];

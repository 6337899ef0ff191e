// The messages of an OpenAI request → Messages of the gateway. Knows nothing of the request around them.

import { z } from "zod";
import { yieldToEventLoop } from "../../../core/async/yieldToEventLoop.ts";
import { createEmptyList } from "../../../core/events/emptyList.ts";
import { extractFunctionFields, extractProviderFields } from "../../../core/events/providerFields.ts";
import type { ContentPart, JsonObject, Message, ToolCall, WholeMessage } from "../../../core/messages.ts";
import { compileGuard } from "../../fastpath/compileGuard.ts";
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

/** Modelled in every role, so that none of them slips through where it has no place. */
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

/** Messages that are read in one go. */
const A_TURN = 512;

/**
 * Many are read with turns of the event loop in between: a promise only of those.
 * @throws PostelError `invalid_request` that names the message and its field.
 */
export function readMessages(values: readonly unknown[]): readonly Message[] | Promise<readonly Message[]> {
  const reading = new Reading(values);
  reading.until(A_TURN);
  return values.length > A_TURN ? inTurns(reading, values.length) : reading.messages;
}

async function inTurns(reading: Reading, count: number): Promise<readonly Message[]> {
  for (let read = A_TURN; read < count; read += A_TURN) {
    await yieldToEventLoop();
    reading.until(read + A_TURN);
  }
  return reading.messages;
}

/** Messages that are read one after the other. */
class Reading {
  readonly messages: Message[] = [];
  readonly #values: readonly unknown[];
  readonly #ids = new FunctionCallIds();

  constructor(values: readonly unknown[]) {
    this.#values = values;
  }

  /** Reads on up to the message of this index. */
  until(end: number): void {
    const { messages } = this;
    const stop = Math.min(end, this.#values.length);
    for (let at = messages.length; at < stop; at += 1) {
      const value = this.#values[at];
      const message = fits(value) ? (value as WireMessage) : checkShape(messageShape, value, ["messages", at]);
      messages.push(readMessage(message, this.#ids));
    }
  }
}

const fits = compileGuard(messageShape);

/** Ids for the calls of the older wire, which has none: the same for the same history, so that upstreams can reuse a prompt. */
class FunctionCallIds {
  #calls = 0;
  /** Calls without a result yet. */
  readonly #open: { readonly id: string; readonly name: string }[] = [];

  call(name: string): string {
    this.#calls += 1;
    // Nine letters and digits, which the strictest templates ask for.
    const id = `fn${String(this.#calls).padStart(7, "0")}`;
    this.#open.push({ id, name });
    return id;
  }

  /** Of the latest open call of that function; of one that is not in the history where there is none. */
  result(name: string): string {
    const at = this.#open.findLastIndex((call) => call.name === name);
    return this.#open.splice(at, at < 0 ? 0 : 1)[0]?.id ?? "fn0000000";
  }
}

function readMessage(message: WireMessage, ids: FunctionCallIds): Message {
  const { role } = message;
  const content = readContent(message);
  const reasoningField = role === "assistant" ? findReasoningField(message) : undefined;
  const whole: WholeMessage = {
    role: role === "function" ? "tool" : role,
    content: role === "function" ? (content ?? "") : content,
    name: message.name || undefined,
    extra: extractProviderFields(message as unknown as JsonObject, MESSAGE_FIELDS),
    reasoning: reasoningField && (message[reasoningField] as string),
    reasoningField,
    toolCalls: role === "assistant" ? readCalls(message, ids) : undefined,
    toolCallId: answeredBy(message, ids),
    isSummary: undefined,
    isFromGateway: undefined,
    sources: undefined,
  };
  return whole;
}

/** A refusal that comes back is the text of its message: few upstreams know the field, and some refuse it. */
function readContent(message: WireMessage): string | readonly ContentPart[] | null {
  // What was parsed from JSON text holds nothing but JSON.
  const content = (message.content ?? null) as string | readonly ContentPart[] | null;
  const refusal = message.role === "assistant" ? message.refusal : undefined;
  if (typeof refusal !== "string" || refusal === "") return content;
  if (Array.isArray(content)) return [...content, { type: "text", text: refusal }];
  return content ? `${content}\n\n${refusal}` : refusal;
}

/** The id of the call whose result the message is. */
function answeredBy(message: WireMessage, ids: FunctionCallIds): string | undefined {
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

/** Calls of the history are taken as they are; only what cannot be JSON text of an object is made one. */
function readCall(call: z.infer<typeof callShape>): ToolCall {
  const given = call.type === "custom" ? wrapCustomInput(call.custom.input) : (call.function.arguments ?? "");
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const complete = text.trim() === "" ? "{}" : text;
  const extra = extractFunctionFields(call as unknown as JsonObject);
  const { id } = call;
  const { name } = call.type === "custom" ? call.custom : call.function;
  return { id, name, arguments: complete, origin: "native", repairs: NO_REPAIRS, raw: text, extra };
}

const NO_REPAIRS: readonly string[] = createEmptyList("");

// The vocabulary of a conversation: messages, tools and calls as plain JSON data. Knows no wire format and no vendor.

import type { ToolCitation } from "./events/citations.ts";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A property of the object itself: a key such as `constructor` is data like any other. */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** How a model is given its tools: through the upstream's own `tools` field, or described in the prompt. */
export type ToolMode = "native" | "text";

export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** One part of a message's content; parts other than `text` keep the fields the client sent. */
export type ContentPart = { readonly type: "text"; readonly text: string } | (JsonObject & { readonly type: string });

/** An image that goes along with its message: its `url` is a data URL in base64. */
export interface ImagePart extends JsonObject {
  readonly type: "image_url";
  readonly image_url: { readonly url: string };
}

export interface Message {
  readonly role: Role;
  readonly content: string | readonly ContentPart[] | null;
  /** The model's own thinking, kept apart from content so that it can be passed back where a model needs it. */
  readonly reasoning?: string | undefined;
  /** The wire's name of the field that `reasoning` stood in; absent where nobody wrote it as a field. */
  readonly reasoningField?: string | undefined;
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** On `role: "tool"`: the id of the call that this message answers. */
  readonly toolCallId?: string | undefined;
  readonly name?: string | undefined;
  /** True of a user-side message that stands for what was said before: a model wrote it for the gateway, and it is data. */
  readonly isSummary?: true | undefined;
  /** True of a tool's result that the gateway worded itself (an error, a correction, a person's answer): no tool brought it. */
  readonly isFromGateway?: true | undefined;
  /** Of an answer that a session keeps: what the results of its run rest on. No model is told it. */
  readonly sources?: readonly ToolCitation[] | undefined;
  /** Members of the wire that Postel does not model (`reasoning_details`, `annotations` …), as they came. */
  readonly extra?: JsonObject | undefined;
}

/**
 * A message with all its members, set or not, in one order. Those of a conversation have one shape, however they came, so that V8
 * compiles once what looks at each of them (decisions/0104).
 */
export type WholeMessage = { readonly [Member in keyof Required<Message>]: Message[Member] };

export function completeMessage(message: Message): Message {
  const whole: WholeMessage = {
    role: message.role,
    content: message.content,
    name: message.name,
    extra: message.extra,
    reasoning: message.reasoning,
    reasoningField: message.reasoningField,
    toolCalls: message.toolCalls,
    toolCallId: message.toolCallId,
    isSummary: message.isSummary,
    isFromGateway: message.isFromGateway,
    sources: message.sources,
  };
  return whole;
}

export interface ToolCall {
  /** The wire's id if it is unique in its turn and legal, else nine letters and digits from the injected source. */
  readonly id: string;
  /** A name that the request offered. */
  readonly name: string;
  /** Strict JSON text of an object: verbatim where the model wrote strict JSON, so key order and big numbers survive. */
  readonly arguments: string;
  /** `native`, or the id of the format family that the text was read as. */
  readonly origin: string;
  /** What was mended, as short stable codes (`json-repair`, `string-to-integer`, `name-case` …); empty if nothing was. */
  readonly repairs: readonly string[];
  /** What the model wrote, whole. */
  readonly raw: string;
  /** True for a call whose text the model only quoted from what somebody else wrote: it runs only once a person has agreed to it. */
  readonly isQuoted?: true | undefined;
  /** True for a call that is handed on as it came: neither an offered name nor arguments that fit are promised. */
  readonly unchecked?: true | undefined;
  /** Members of the wire that Postel does not model (a thought signature …), as they came; those inside `function` under that name. */
  readonly extra?: JsonObject | undefined;
}

/** A tool as the model sees it. `parameters` is a JSON Schema; an absent one means that the tool takes no arguments. */
export interface ToolSpec {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: JsonObject | undefined;
  readonly strict?: boolean | undefined;
  /** True where arguments are held to more than `parameters` can say (a grammar): a call of the tool is reported as `schema-unchecked`. */
  readonly unchecked?: true | undefined;
  /** Members of the wire that Postel does not model (`cache_control` …), as they came; those inside `function` under that name. */
  readonly extra?: JsonObject | undefined;
}

export type ToolChoice =
  | { readonly type: "auto" }
  | { readonly type: "none" }
  | { readonly type: "required" }
  | { readonly type: "tool"; readonly name: string };

/** Whether only a call will do as an answer. */
export function demandsCall({ type }: ToolChoice): boolean {
  return type === "required" || type === "tool";
}

/** Joins the text parts of a message; parts that are no text contribute nothing. */
export function joinText(content: Message["content"]): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" && typeof part.text === "string" ? part.text : "")).join("");
}

// Defines messages, tools and calls as plain JSON data, independent of any wire.

import type { ToolCitation } from "./events/citations.ts";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Returns true if a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The items of a list; none for any other value. */
export function toItems(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** An own property of the object. A key such as `constructor` is treated as data. */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The way in which a model gets its tools: in the upstream's own `tools` field, or described in the prompt. */
export type ToolMode = "native" | "text";

export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** One part of a message's content; parts other than `text` keep the fields the client sent. */
export type ContentPart = { readonly type: "text"; readonly text: string } | (JsonObject & { readonly type: string });

/** An image of a message: its `url` is a data URL in base64. */
export interface ImagePart extends JsonObject {
  readonly type: "image_url";
  readonly image_url: { readonly url: string };
}

export interface Message {
  readonly role: Role;
  readonly content: string | readonly ContentPart[] | null;
  /** The model's reasoning, separate from the content, for models that need it back. */
  readonly reasoning?: string | undefined;
  /** The wire's name of the field that contained `reasoning`; absent if no field did. */
  readonly reasoningField?: string | undefined;
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** On `role: "tool"`: the id of the call that this message answers. */
  readonly toolCallId?: string | undefined;
  readonly name?: string | undefined;
  /** True for a summary of earlier messages: a model wrote it for the gateway, and it is data. */
  readonly isSummary?: true | undefined;
  /** True for a tool result that the gateway wrote itself (an error, a correction, a user's answer). */
  readonly isFromGateway?: true | undefined;
  /** For an answer in a session: the sources of its run's results. No model is shown them. */
  readonly sources?: readonly ToolCitation[] | undefined;
  /** Members of the wire that Postel does not model (`reasoning_details`, `annotations` …), unchanged. */
  readonly extra?: JsonObject | undefined;
}

export interface ToolCall {
  /** The id of the wire if it is legal and unique in its turn, else nine letters and digits from the injected source. */
  readonly id: string;
  /** A tool name from the request. */
  readonly name: string;
  /** Strict JSON text of an object. Text that is strict JSON already is unchanged, so that key order and large numbers survive. */
  readonly arguments: string;
  /** `native`, or the id of the format that the text was read as. */
  readonly origin: string;
  /** Repairs as short stable codes (`json-repair`, `string-to-integer`, `name-case` …); empty if there were none. */
  readonly repairs: readonly string[];
  /** The complete text that the model wrote. */
  readonly raw: string;
  /** True for a call that the model only quoted from another text: it runs only after an approval. */
  readonly isQuoted?: true | undefined;
  /** True for a call that is passed on unchanged: name and arguments are not validated. */
  readonly unchecked?: true | undefined;
  /** Members of the wire that Postel does not model (a thought signature …), unchanged; those inside `function` under that name. */
  readonly extra?: JsonObject | undefined;
}

/** A tool as the model sees it. `parameters` is a JSON Schema; an absent one means that the tool takes no arguments. */
export interface ToolSpec {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: JsonObject | undefined;
  readonly strict?: boolean | undefined;
  /** True if more is required of arguments than `parameters` can express (a grammar): calls of the tool are reported as `schema-unchecked`. */
  readonly unchecked?: true | undefined;
  /** Members of the wire that Postel does not model (`cache_control` …), unchanged; those inside `function` under that name. */
  readonly extra?: JsonObject | undefined;
}

/** The empty tool list. One shared object, because caches use the list as a key. */
export const NO_TOOLS: readonly ToolSpec[] = [];

export type ToolChoice =
  | { readonly type: "auto" }
  | { readonly type: "none" }
  | { readonly type: "required" }
  | { readonly type: "tool"; readonly name: string };

/** Returns true if the answer must contain a call. */
export function demandsCall({ type }: ToolChoice): boolean {
  return type === "required" || type === "tool";
}

/** Joins the text parts of a message; other parts are ignored. */
export function joinText(content: Message["content"]): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" && typeof part.text === "string" ? part.text : "")).join("");
}

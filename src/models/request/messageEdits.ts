// Edits the messages of a body for strict upstreams, without loss of text.
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { asArray, asObject, asObjects, asString } from "../looseJson.ts";

export function stripReasoning(body: JsonObject): JsonObject {
  const messages = getMessages(body).map(
    ({ reasoning_content: _content, reasoning: _reasoning, ...message }) => message,
  );
  return { ...body, messages };
}

/** Merges all system messages to one at the front, in their order. */
export function mergeSystem(body: JsonObject): JsonObject {
  const messages = getMessages(body);
  const system = messages.filter(isSystem);
  const first = system[0];
  if (!first) return body;
  const content = system.map((message) => message.content).reduce(joinContent);
  return {
    ...body,
    messages: [{ ...first, content: content ?? "" }, ...messages.filter((message) => !isSystem(message))],
  };
}

/** Strict templates begin with the user, so an assistant message at the start gets this user message before it. */
const OCCASION: JsonObject = { role: "user", content: "Begin." };
const CONTINUE: JsonObject = { role: "user", content: "Continue." };

/**
 * Neighbours of one role as one message, the first of them the user's. Calls and tool results stay apart: each answers for
 * itself.
 */
export function mergeAdjacentRoles(body: JsonObject): JsonObject {
  const joined: JsonObject[] = [];
  for (const message of getMessages(body)) {
    const last = joined.at(-1);
    if (last && last.role === message.role && isPlain(last) && isPlain(message)) {
      joined[joined.length - 1] = { ...last, content: joinContent(last.content, message.content) };
    } else joined.push(message);
  }
  const first = joined.findIndex((message) => !isSystem(message));
  if (joined[first]?.role === "assistant") joined.splice(first, 0, OCCASION);
  return { ...body, messages: joined };
}

export function endWithUser(body: JsonObject): JsonObject {
  const messages = getMessages(body);
  return messages.at(-1)?.role === "assistant" ? { ...body, messages: [...messages, CONTINUE] } : body;
}

/** Converts tool results to user messages, each with its call, for templates without either. Text of the model next to its calls stays. */
export function convertResultsToText(body: JsonObject): JsonObject {
  const calls = new Map<JsonValue | undefined, JsonObject>();
  const messages = getMessages(body).flatMap(({ tool_calls: mapAnswer, ...message }): readonly JsonObject[] => {
    for (const call of asObjects(mapAnswer)) calls.set(call.id, asObject(call.function) ?? {});
    if (message.role === "tool") return [resultAsText(message, calls.get(message.tool_call_id))];
    return mapAnswer === undefined || saysSomething(message.content) ? [message] : [];
  });
  return { ...body, messages };
}

function resultAsText(message: JsonObject, call: JsonObject | undefined): JsonObject {
  const name = asString(call?.name) ?? asString(message.name) ?? "a tool";
  const argumentText = asString(call?.arguments);
  const head = `The result of ${name}${argumentText === undefined ? "" : ` with ${argumentText}`}:`;
  return { role: "user", content: joinContent(head, message.content) };
}

/** Writes `""` for the missing content of a message with calls. */
export function stripNullContent(body: JsonObject): JsonObject {
  return mapMessages(body, (message) => (message.content === null ? [{ ...message, content: "" }] : [message]));
}

/** Content of a message that must not be empty. */
const NOTHING = "(nothing)";

/**
 * Removes empty messages and parts. A message with calls gets `null`, empty system and assistant messages are dropped, and empty user and
 * tool messages get a placeholder.
 */
export function stripEmptyContent(body: JsonObject): JsonObject {
  return mapMessages(body, (message) => {
    const parts = Array.isArray(message.content)
      ? asArray(message.content).filter((part) => !isEmptyText(part))
      : undefined;
    if (parts && parts.length > 0) {
      return parts.length === asArray(message.content).length ? [message] : [{ ...message, content: parts }];
    }
    if (!parts && message.content !== "") return [message];
    if (message.tool_calls !== undefined) return [{ ...message, content: null }];
    return message.role === "user" || message.role === "tool" ? [{ ...message, content: NOTHING }] : [];
  });
}

/** Parts that are all text as the one text that they make, a line each, as vLLM joins them. */
export function flattenParts(body: JsonObject): JsonObject {
  return mapMessages(body, (message) => {
    if (!Array.isArray(message.content)) return [message];
    const texts = asObjects(message.content).map((part) => (part.type === "text" ? part.text : undefined));
    const isText = texts.every((text) => typeof text === "string");
    return [isText ? { ...message, content: texts.join("\n") } : message];
  });
}

/** Returns the same body if no message changes. */
function mapMessages(body: JsonObject, edit: (message: JsonObject) => readonly JsonObject[]): JsonObject {
  const before = getMessages(body);
  const messages = before.flatMap(edit);
  const isSame = messages.length === before.length && messages.every((message, at) => message === before[at]);
  return isSame ? body : { ...body, messages };
}

function isEmptyText(part: JsonValue): boolean {
  const said = asObject(part);
  return said?.type === "text" && said.text === "";
}

function saysSomething(content: JsonValue | undefined): boolean {
  return typeof content === "string" ? content.trim() !== "" : asArray(content).length > 0;
}

function getMessages(body: JsonObject): readonly JsonObject[] {
  return asObjects(body.messages);
}

function isSystem(message: JsonObject): boolean {
  return message.role === "system" || message.role === "developer";
}

function isPlain(message: JsonObject): boolean {
  return message.role !== "tool" && message.tool_calls === undefined;
}

function joinContent(a: JsonValue | undefined, b: JsonValue | undefined): JsonValue {
  if (!a || !b) return a || b || "";
  if (typeof a === "string" && typeof b === "string") return `${a}\n\n${b}`;
  return [...getParts(a), ...getParts(b)];
}

function getParts(content: JsonValue): readonly JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asArray(content);
}

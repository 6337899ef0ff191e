// Compares a request with the recorded one by the parts of a chat request that carry meaning.
import { isObject, type JsonObject, type JsonValue, toItems } from "../../core/messages.ts";
import type { EgressRequest } from "../../core/ports.ts";
import type { RecordedExchange } from "../format/Transcript.ts";
import { redactUrl } from "../redaction/redactExchange.ts";

/**
 * Returns the differences between a recorded request and a current one, one short line each. Empty if they are the same.
 * Compared are the method, the path and the query (without secrets). For a chat request, also the model, the messages (role, text, calls,
 * the call of each result) and the tool names; likewise if the messages are `contents` in `parts`. Reasoning and its signatures do not
 * count: a client may have dropped them, and a replay does not remember the fields that the gateway restored. Each run creates new call
 * ids, so ids count by the order of their first appearance. Sampling fields may change without making recordings stale, and so may the
 * gateway's own text (its prompt, its corrections): if the caller's texts are known, only they count in messages that are not the
 * model's. Any other JSON body must be equal. A recording without a body matches every body.
 * @param caller the texts that the caller wrote; absent if they were not recorded, and then every text counts.
 */
export function diffRequests(
  recorded: RecordedExchange,
  actual: EgressRequest,
  caller?: readonly string[],
): readonly string[] {
  const differences: string[] = [];
  compare("method", recorded.method, actual.method, differences);
  compare("path", getPath(recorded.url), getPath(actual.url), differences);
  if (recorded.body === undefined) return differences;
  const [then, now] = [recorded.body, parse(actual.body)].map((body) => normalizeBody(removeSignatures(body), caller));
  compareJson("body", then ?? null, now ?? null, differences);
  return differences;
}

/** Returns the texts of a request's messages, of all roles. */
export function collectTexts(body: JsonValue): readonly string[] {
  const contents = toItems(field(body, "messages")).flatMap((message) => {
    const content = field(message, "content");
    return typeof content === "string" ? [content] : toItems(content).map((part) => field(part, "text"));
  });
  return contents.flatMap((text) => (typeof text === "string" && text.trim() !== "" ? [text] : []));
}

function getPath(url: string): string {
  const { pathname, search } = new URL(redactUrl(url));
  return `${pathname}${search}`;
}

function parse(body: string | undefined): JsonValue {
  try {
    return JSON.parse(body ?? "null") as JsonValue;
  } catch {
    return body ?? null;
  }
}

const THOUGHTS: ReadonlySet<JsonValue | undefined> = new Set(["thinking", "redacted_thinking"]);
const SIGNATURE = "thoughtSignature";

/** Without thinking blocks, thought parts and signatures, as the wires that have them spell them. */
function removeSignatures(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.filter((one) => !isThought(one)).map(removeSignatures);
  if (!isObject(value)) return value;
  const keptEntries = Object.entries(value).filter(([name]) => name !== SIGNATURE);
  return Object.fromEntries(keptEntries.map(([name, member]) => [name, removeSignatures(member)]));
}

function isThought(value: JsonValue): boolean {
  return isObject(value) && (THOUGHTS.has(value.type) || value.thought === true);
}

/** Returns the parts of a conversation that carry meaning. Any other body is returned unchanged. */
function normalizeBody(body: JsonValue, caller: readonly string[] | undefined): JsonValue {
  if (!isObject(body)) return body;
  const ids = new Map<string, string>();
  const nameId = (id: JsonValue | undefined): string => {
    if (typeof id !== "string") return "none";
    const known = ids.get(id) ?? `call ${ids.size}`;
    ids.set(id, known);
    return known;
  };
  if (Array.isArray(body.messages)) return meaningOfChat(body, { nameId, caller });
  return Array.isArray(body.contents) ? meaningOfContents(body, { nameId, caller }) : body;
}

interface Reading {
  /** Returns the same name for the same id, by the order of their first appearance. */
  readonly nameId: (id: JsonValue | undefined) => string;
  readonly caller: readonly string[] | undefined;
}

function meaningOfChat(body: JsonObject, { nameId, caller }: Reading): JsonObject {
  return {
    model: body.model ?? null,
    messages: toItems(body.messages).map((message) => {
      const { content, ...rest } = meaningOfMessage(message, nameId);
      const comparedContent = caller === undefined || rest.role === "assistant" ? content : maskQuotes(content, caller);
      return { ...rest, content: comparedContent ?? null };
    }),
    tools: toItems(body.tools).map((tool) => field(field(tool, "function"), "name")),
  };
}

/** A conversation whose messages have parts: the instruction, the turns, and the names of the functions. */
function meaningOfContents(body: JsonObject, { nameId, caller }: Reading): JsonObject {
  const texts = (parts: JsonValue): JsonValue => {
    const text = toItems(parts)
      .map((part) => field(part, "text") ?? "")
      .join("");
    return caller === undefined ? text : maskQuotes(text, caller);
  };
  const replaceId = (value: JsonValue): JsonValue => (isObject(value) ? { ...value, id: nameId(value.id) } : value);
  return {
    system: texts(field(body.systemInstruction, "parts")),
    contents: toItems(body.contents).map((content) => {
      const role = field(content, "role");
      const parts = toItems(field(content, "parts"));
      const others = parts.filter((part) => role === "model" || field(part, "text") === null);
      return {
        role,
        ...(role !== "model" && { text: texts(parts) }),
        parts: others.map((part) => ({
          ...(isObject(part) && part),
          functionCall: replaceId(field(part, "functionCall")),
          functionResponse: replaceId(field(part, "functionResponse")),
        })),
      };
    }),
    tools: toItems(body.tools).flatMap((tool) =>
      toItems(field(tool, "functionDeclarations")).map((declared) => field(declared, "name")),
    ),
  };
}

function meaningOfMessage(message: JsonValue, nameId: (id: JsonValue | undefined) => string): JsonObject {
  const calls = toItems(field(message, "tool_calls"));
  const answers = field(message, "tool_call_id");
  return {
    role: field(message, "role"),
    content: normalizeText(field(message, "content")),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({
        id: nameId(field(call, "id")),
        name: field(field(call, "function"), "name"),
        arguments: field(field(call, "function"), "arguments"),
      })),
    }),
    ...(answers !== null && { tool_call_id: nameId(answers) }),
  };
}

/** Content that is no text stays as it is. */
function maskQuotes(content: JsonValue | undefined, caller: readonly string[]): JsonValue {
  return typeof content === "string" ? caller.filter((text) => content.includes(text)) : (content ?? null);
}

/** Text as one string, whether it came as one or as parts; parts of other kinds stay. */
function normalizeText(content: JsonValue): JsonValue {
  if (content === null) return "";
  const parts = toItems(content);
  if (parts.length === 0 || parts.some((part) => field(part, "type") !== "text")) return content;
  return parts.map((part) => field(part, "text")).join("");
}

function compareJson(at: string, then: JsonValue, now: JsonValue, differences: string[]): void {
  if (isObject(then) && isObject(now)) {
    for (const key of new Set([...Object.keys(then), ...Object.keys(now)])) {
      compareJson(`${at}.${key}`, then[key] ?? null, now[key] ?? null, differences);
    }
    return;
  }
  if (Array.isArray(then) && Array.isArray(now) && then.length === now.length) {
    for (const [index, item] of then.entries()) compareJson(`${at}[${index}]`, item, now[index], differences);
    return;
  }
  if (Array.isArray(then) && Array.isArray(now)) {
    compare(`${at}.length`, String(then.length), String(now.length), differences);
    return;
  }
  const bothText = typeof then === "string" && typeof now === "string";
  compare(at, bothText ? then : JSON.stringify(then), bothText ? now : JSON.stringify(now), differences);
}

/** Characters shown around a difference, so that a long prompt shows the position of its change. */
const SHOWN_BEFORE = 20;
const SHOWN_AFTER = 60;

function compare(at: string, then: string, now: string, differences: string[]): void {
  if (then === now) return;
  let same = 0;
  while (same < then.length && then[same] === now[same]) same += 1;
  const from = Math.max(0, same - SHOWN_BEFORE);
  const excerpt = (text: string): string => JSON.stringify(text.slice(from, same + SHOWN_AFTER));
  differences.push(`${at}: recorded ${excerpt(then)}, sent ${excerpt(now)}`);
}

function field(value: JsonValue | undefined, name: string): JsonValue {
  return isObject(value) ? (value[name] ?? null) : null;
}

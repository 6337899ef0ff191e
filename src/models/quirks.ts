// What some models refuse in a request that is right by the wire: a closed list of edits, each with its source. Knows no model names; models.yaml has those.
import type { JsonObject, JsonValue } from "../core/messages.ts";
import { listIn, objectIn, objectsIn } from "./wireJson.ts";

export interface Quirk {
  /** Who refuses what, in which words. */
  readonly source: string;
  /** The edited body; the given one is left as it was. */
  readonly apply: (body: JsonObject) => JsonObject;
}

/** Fields that an answer can do without: hints, and what only the caller's bookkeeping needs. */
export const OMITTABLE = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "top_k",
  "min_p",
  "repetition_penalty",
  "seed",
  "stop",
  "parallel_tool_calls",
  "stream_options",
  "reasoning_effort",
  "verbosity",
  "top_logprobs",
  "logprobs",
  "logit_bias",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "service_tier",
  "metadata",
  "store",
] as const;

export type OmittableField = (typeof OMITTABLE)[number];

/** The quirk that leaves a field out. */
export function quirkOmitting(field: OmittableField): string {
  return `no-${field.replaceAll("_", "-")}`;
}

/** The one quirk that is no edit of a body: whoever writes the `tools` field heeds it. */
export const TOOLS_BESIDE_CALLS = "tools-beside-calls";

export const QUIRKS: ReadonlyMap<string, Quirk> = new Map([
  [
    "max-completion-tokens",
    {
      source:
        "OpenAI reasoning models: 400 \"Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead.\"",
      apply: ({ max_tokens: limit, ...body }) =>
        limit === undefined ? body : { ...body, max_completion_tokens: body.max_completion_tokens ?? limit },
    },
  ],
  [
    "max-tokens",
    {
      source:
        'Servers of the older wire: 422 "extra_forbidden" at max_completion_tokens; others ignore it, and with it the limit.',
      apply: ({ max_completion_tokens: limit, ...body }) =>
        limit === undefined ? body : { ...body, max_tokens: body.max_tokens ?? limit },
    },
  ],
  [
    "no-sampling",
    {
      source:
        "OpenAI reasoning models: 400 \"Unsupported value: 'temperature' does not support …\"; the penalties and top_p alike.",
      apply: ({ temperature: _t, top_p: _p, presence_penalty: _pp, frequency_penalty: _fp, ...body }) => body,
    },
  ],
  [
    TOOLS_BESIDE_CALLS,
    {
      source:
        'Bedrock: 400 "The toolConfig field must be defined when using toolUse and toolResult content blocks"; proxies before it say it of `tools=`.',
      apply: (body) => body,
    },
  ],
  [
    "json-object-as-schema",
    {
      source: "LM Studio: 400 \"'response_format.type' must be 'json_schema' or 'text'\" to `json_object`.",
      apply: (body) =>
        objectIn(body.response_format)?.type === "json_object" ? { ...body, response_format: ANY_OBJECT } : body,
    },
  ],
  [
    "no-format-with-tools",
    {
      source: 'Groq: 400 "json mode cannot be combined with tool/function calling"; Gemini alike.',
      apply: ({ response_format: format, ...body }) =>
        format === undefined || body.tools !== undefined ? body : { ...body, response_format: format },
    },
  ],
  [
    "no-reasoning-back",
    {
      source:
        'Mistral\'s own API: 422 "Extra inputs are not permitted" at messages, assistant, reasoning_content, though Postel gave the client that field.',
      apply: withoutReasoning,
    },
  ],
  [
    "merge-system",
    {
      source: 'Chat templates of Qwen, Mistral and Llama derivatives: "System message must be at the beginning."',
      apply: mergeSystem,
    },
  ],
  [
    "alternate-roles",
    {
      source:
        'Chat templates of Gemma and Mistral: "Conversation roles must alternate user/assistant/user/assistant/…"',
      apply: alternateRoles,
    },
  ],
  [
    "user-last",
    {
      source: 'Mistral: 400 "Expected last role User or Tool (or Assistant with prefix True) …"; Anthropic alike.',
      apply: endWithUser,
    },
  ],
  ...OMITTABLE.map((field): [string, Quirk] => [
    quirkOmitting(field),
    {
      source: `Servers and models that take no \`${field}\`: 400 "Unsupported parameter", 422 "Extra inputs are not permitted".`,
      apply: ({ [field]: _, ...body }) => body,
    },
  ]),
]);

function withoutReasoning(body: JsonObject): JsonObject {
  const messages = messagesOf(body).map(
    ({ reasoning_content: _content, reasoning: _reasoning, ...message }) => message,
  );
  return { ...body, messages };
}

const ANY_OBJECT = { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" }, strict: false } };

/** All system messages as one, in front, in the order in which they were said. */
function mergeSystem(body: JsonObject): JsonObject {
  const messages = messagesOf(body);
  const system = messages.filter(isSystem);
  const first = system[0];
  if (!first) return body;
  const content = system.map((message) => message.content).reduce(joinContent);
  return {
    ...body,
    messages: [{ ...first, content: content ?? "" }, ...messages.filter((message) => !isSystem(message))],
  };
}

/** Strict templates begin with the user, so what an assistant said unasked is given an occasion. */
const OCCASION: JsonObject = { role: "user", content: "Begin." };
const CONTINUE: JsonObject = { role: "user", content: "Continue." };

/**
 * Neighbours of one role as one message, the first of them the user's. Calls and tool results stay apart: each answers for
 * itself.
 */
function alternateRoles(body: JsonObject): JsonObject {
  const joined: JsonObject[] = [];
  for (const message of messagesOf(body)) {
    const last = joined.at(-1);
    if (last && last.role === message.role && isPlain(last) && isPlain(message)) {
      joined[joined.length - 1] = { ...last, content: joinContent(last.content, message.content) };
    } else joined.push(message);
  }
  const first = joined.findIndex((message) => !isSystem(message));
  if (joined[first]?.role === "assistant") joined.splice(first, 0, OCCASION);
  return { ...body, messages: joined };
}

function endWithUser(body: JsonObject): JsonObject {
  const messages = messagesOf(body);
  return messages.at(-1)?.role === "assistant" ? { ...body, messages: [...messages, CONTINUE] } : body;
}

function messagesOf(body: JsonObject): readonly JsonObject[] {
  return objectsIn(body.messages);
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
  return [...partsOf(a), ...partsOf(b)];
}

function partsOf(content: JsonValue): readonly JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listIn(content);
}

// Converts the body of a chat completion to the body of Anthropic's Messages. Sends nothing.
import type { MessageCreateParams, OutputConfig } from "@anthropic-ai/sdk/resources/messages";
import { createFailure, PostelError } from "../../../core/failures.ts";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asArray, asObject, asObjects, asString } from "../../looseJson.ts";
import { losesFields } from "../../request/losesFields.ts";
import type { WireRequest } from "../UpstreamWire.ts";
import { getMaxOutputTokens } from "./claudeModels.ts";
import { toOutputSchema } from "./outputSchema.ts";
import { buildSamplingFields, type SamplingFields } from "./samplingFields.ts";
import { buildThinkingFields } from "./thinkingFields.ts";
import { toConversation } from "./toMessages.ts";
import { buildToolFields, isCallForced } from "./toolFields.ts";

/** Fields of the chat wire that other parts of the body express. */
const TRANSLATED: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "response_format",
  "reasoning_effort",
  "thinking",
  "output_config",
  "user",
  "safety_identifier",
  "metadata",
  "service_tier",
]);

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["cache_control"]);

/** Hints and bookkeeping of the caller: the answer has the same form without them. */
const NOT_KNOWN: readonly string[] = [
  "presence_penalty",
  "frequency_penalty",
  "min_p",
  "repetition_penalty",
  "seed",
  "logit_bias",
  "verbosity",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_retention",
  "store",
];

/** Fields that request data the answer cannot have, and a test for the values that request nothing. */
const REFUSED: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map<string, (value: JsonValue) => boolean>([
  ["logprobs", (value) => value === false],
  ["top_logprobs", (value) => value === 0],
  ["audio", () => false],
  ["modalities", (value) => asArray(value).every((one) => one === "text")],
  ["web_search_options", () => false],
]);

/**
 * A field that neither wire is known to have is sent unchanged: callers set fields of Anthropic's API by its own names (`cache_control`,
 * `container` …), and the API reports those that it refuses.
 * @throws PostelError `unsupported_parameter` for a field that would change the form of the answer, named in `details.param`.
 */
export function buildMessagesBody(chat: JsonObject): Omit<WireRequest, "path"> {
  checkRequired(chat);
  const dropped = new Set(NOT_KNOWN.filter((field) => chat[field] !== undefined));
  const drop = (field: string): unknown => dropped.add(field);
  const model = asString(chat.model) ?? "";
  // The API demands a limit; a chat completion without one may be as long as its model makes it.
  const maxTokens = asNumber(chat.max_completion_tokens) ?? asNumber(chat.max_tokens) ?? getMaxOutputTokens(model);
  const text = asObjects(chat.messages);
  if (losesFields(text, MESSAGE_FIELDS)) drop("messages");
  const tools = buildToolFields(chat);
  const { thinking, effort } = buildThinkingFields(chat, { maxTokens, forced: isCallForced(tools), drop });
  const thinks = thinking?.type === "enabled" || thinking?.type === "adaptive";
  const { system, messages } = toConversation(text);
  const outputConfig = buildOutputConfig(chat, effort, drop);
  const metadata = buildMetadata(chat, drop);
  const tier = mapServiceTier(chat, drop);
  const body: MessageCreateParams & SamplingFields = {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system: [...system] }),
    messages: [...messages],
    ...tools,
    ...buildSamplingFields(chat, { thinks, drop }),
    ...(thinking && { thinking }),
    ...(outputConfig && { output_config: outputConfig }),
    ...(metadata && { metadata }),
    ...(tier && { service_tier: tier }),
    stream: chat.stream === true,
  };
  return { body: { ...ownFields(chat), ...(body as unknown as JsonObject) }, dropped: [...dropped].sort() };
}

function checkRequired(chat: JsonObject): void {
  for (const [field, asksNothing] of REFUSED) {
    const value = chat[field];
    if (value === undefined || value === null || asksNothing(value)) continue;
    const message = `\`${field}\` cannot be kept: the upstream of this model speaks Anthropic's Messages, which have no such answer. Leave it out.`;
    throw new PostelError(createFailure("unsupported_parameter", message, { param: field }));
  }
}

/** Returns fields that are not translated, unknown to the API, or refused. */
function ownFields(chat: JsonObject): JsonObject {
  const known = (name: string) => TRANSLATED.has(name) || NOT_KNOWN.includes(name) || REFUSED.has(name);
  return Object.fromEntries(Object.entries(chat).filter(([name, value]) => value !== null && !known(name)));
}

function buildOutputConfig(
  { response_format, output_config }: JsonObject,
  effort: OutputConfig["effort"],
  drop: (field: string) => unknown,
): OutputConfig | undefined {
  const inputObject = asObject(response_format);
  const schema = asObject(asObject(inputObject?.json_schema)?.schema);
  const format = schema && toOutputSchema(schema);
  // The API has no form for any JSON object, nor for a schema that it cannot enforce.
  if (inputObject && inputObject.type !== "text" && !format) drop("response_format");
  const config: OutputConfig = {
    ...(asObject(output_config) as OutputConfig | undefined),
    ...(effort && { effort }),
    ...(format && { format: { type: "json_schema", schema: format } }),
  };
  return Object.keys(config).length > 0 ? config : undefined;
}

/** The API accepts the user's id as metadata. The chat wire's tags are bookkeeping of the caller. */
function buildMetadata(
  { metadata, user, safety_identifier }: JsonObject,
  drop: (field: string) => unknown,
): MessageCreateParams["metadata"] | undefined {
  const { user_id, ...tags } = asObject(metadata) ?? {};
  if (Object.keys(tags).length > 0) drop("metadata");
  const id = asString(user_id) ?? asString(safety_identifier) ?? asString(user);
  return id === undefined ? undefined : { user_id: id };
}

function mapServiceTier({ service_tier: tier }: JsonObject, drop: (field: string) => unknown) {
  if (tier === "auto" || tier === "standard_only") return tier;
  if (tier === "default") return "standard_only";
  if (tier !== undefined && tier !== null) drop("service_tier");
  return undefined;
}

function asNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

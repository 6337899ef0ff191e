// What Anthropic's Messages API refuses of a request, in its own words. Knows the rules of the API; answers nothing.
import { createHash } from "node:crypto";
import type { ContentBlockParam, MessageCreateParams, MessageParam } from "@anthropic-ai/sdk/resources/messages";

/** What arrives: anything, read as what it should be. Version 2023-06-01 has sampling, of which the SDK's types know nothing. */
export type MessagesRequest = MessageCreateParams & {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
};

const FIELDS: ReadonlySet<string> = new Set([
  ...["model", "messages", "max_tokens", "system", "metadata", "stop_sequences", "stream", "tools", "tool_choice"],
  ...["temperature", "top_p", "top_k", "thinking", "output_config", "service_tier", "cache_control", "container"],
]);

const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control", "citations"],
  image: ["source", "cache_control"],
  document: ["source", "title", "context", "citations", "cache_control"],
  tool_use: ["id", "name", "input", "caller", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
};
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const TOOL_FIELDS = ["type", "name", "description", "input_schema", "cache_control", "strict"];

/** The signature that the server gives to what its model thought. */
export function signatureOf(thinking: string): string {
  return createHash("sha256").update(`signed by the fake: ${thinking}`).digest("base64");
}

/** The message of the 400; undefined for a request that the API takes. */
export function refusalOf(request: MessagesRequest, version: string): string | undefined {
  return (
    faultOfFields(request, version) ?? faultOfTools(request) ?? faultOfThinking(request) ?? faultOfMessages(request)
  );
}

function faultOfFields(request: MessagesRequest, version: string): string | undefined {
  const unknown = Object.keys(request).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`;
  if (!Number.isInteger(request.max_tokens)) return "max_tokens: Field required";
  const { temperature, top_p: topP, top_k: topK } = request;
  for (const [field, value] of Object.entries({ temperature, top_p: topP, top_k: topK })) {
    if (value === undefined) continue;
    if (version !== "2023-06-01") return `${field}: Extra inputs are not permitted`;
    if (isNewest(request)) return `\`${field}\` is deprecated for this model.`;
  }
  if (temperature !== undefined && (temperature < 0 || temperature > 1)) return "temperature: range: 0..1";
  if (temperature !== undefined && topP !== undefined)
    return "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
  if (request.stop_sequences?.some((stop) => stop.trim() === ""))
    return "stop_sequences: each stop sequence must contain non-whitespace";
  const metadata = Object.keys(request.metadata ?? {}).find((field) => field !== "user_id");
  if (metadata !== undefined) return `metadata.${metadata}: Extra inputs are not permitted`;
  const format = request.output_config?.format;
  return format ? faultOfSchema(format.schema) : undefined;
}

/** Of the models that take no sampling and no prefill and think of their own accord. */
function isNewest({ model }: MessagesRequest): boolean {
  return /claude-(opus|sonnet|haiku|fable)-5/.test(model);
}

function faultOfSchema(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const { type, additionalProperties, minimum, maxLength } = schema as Record<string, unknown>;
  const place = "output_config.format.schema:";
  if (type === "object" && additionalProperties !== false)
    return `${place} For 'object' type, 'additionalProperties' must be explicitly set to false`;
  if (typeof minimum === "number") return `${place} For 'integer' type, property 'minimum' is not supported`;
  if (typeof maxLength === "number") return `${place} For 'string' type, property 'maxLength' is not supported`;
  return first(Object.values(schema), faultOfSchema);
}

function faultOfTools({ tools = [], tool_choice: choice }: MessagesRequest): string | undefined {
  if (choice && tools.length === 0) return "tool_choice may only be specified while providing tools.";
  return first([...tools.entries()], ([index, tool]) => {
    const unknown = Object.keys(tool).find((field) => !TOOL_FIELDS.includes(field));
    if (unknown !== undefined) return `tools.${index}.custom.${unknown}: Extra inputs are not permitted`;
    const { name, input_schema: schema } = tool as {
      readonly name: string;
      readonly input_schema?: { readonly type?: string };
    };
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      return `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    return schema?.type === "object" ? undefined : `tools.${index}.custom.input_schema.type: Field required`;
  });
}

function faultOfThinking(request: MessagesRequest): string | undefined {
  const { thinking, tool_choice: choice, max_tokens: max, temperature, model } = request;
  if (thinking?.type === "enabled") {
    if (isNewest(request))
      return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
    if (thinking.budget_tokens < 1024)
      return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
    if (thinking.budget_tokens >= max) return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  }
  if (thinking?.type === "adaptive" && /4-5|4-1|4-0/.test(model))
    return "adaptive thinking is not supported on this model";
  if (!thinks(request)) return undefined;
  if (choice?.type === "any" || choice?.type === "tool")
    return "Thinking may not be enabled when tool_choice forces tool use.";
  if (temperature !== undefined && temperature !== 1)
    return "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.";
  return undefined;
}

function thinks({ thinking }: MessagesRequest): boolean {
  return thinking?.type === "enabled" || thinking?.type === "adaptive";
}

function faultOfMessages(request: MessagesRequest): string | undefined {
  const { messages } = request;
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  return (
    first([...messages.entries()], ([index, message]) => {
      if (message.role === "system") return `messages.${index}.role: role 'system' is not supported on this model`;
      if (message.role === messages[index - 1]?.role)
        return `messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`;
      return faultOfBlocks(message, index) ?? faultOfResults(messages, index);
    }) ?? faultOfEnd(request)
  );
}

function faultOfBlocks(message: MessageParam, index: number): string | undefined {
  const blocks = blocksOf(message);
  if (blocks.length === 0)
    return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
  return first([...blocks.entries()], ([at, block]) => {
    const place = `messages.${index}.content.${at}`;
    const unknown = Object.keys(block).find((field) => field !== "type" && !BLOCK_FIELDS[block.type]?.includes(field));
    if (unknown !== undefined) return `${place}.${block.type}.${unknown}: Extra inputs are not permitted`;
    return faultOfBlock(block, place);
  });
}

function faultOfBlock(block: ContentBlockParam, place: string): string | undefined {
  switch (block.type) {
    case "text":
      if (block.text === "") return "messages: text content blocks must be non-empty";
      return block.text.trim() === "" ? "messages: text content blocks must contain non-whitespace text" : undefined;
    case "image":
      if (block.source.type === "base64" && !IMAGE_TYPES.includes(block.source.media_type))
        return `${place}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
      return block.source.type === "url" && !block.source.url.startsWith("https:")
        ? "Only HTTPS URLs are supported."
        : undefined;
    case "tool_use":
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id))
        return `${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      return typeof block.input === "object"
        ? undefined
        : `${place}.tool_use.input: Input should be a valid dictionary`;
    case "tool_result":
      return first(Array.isArray(block.content) ? block.content : [], (one) =>
        one.type === "text" ? faultOfBlock(one, place) : undefined,
      );
    case "thinking":
      return block.signature === signatureOf(block.thinking)
        ? undefined
        : `${place}: Invalid \`signature\` in \`thinking\` block`;
    default:
      return undefined;
  }
}

/** Each call has its result in the next message, before anything else there; and no result is without a call. */
function faultOfResults(messages: readonly MessageParam[], index: number): string | undefined {
  const calls = callsIn(messages[index]);
  const next = blocksOf(messages[index + 1]);
  const leading = next.findIndex(({ type }) => type !== "tool_result");
  const results = new Set(next.slice(0, leading === -1 ? next.length : leading).map((block) => resultId(block)));
  const open = calls.find((id) => !results.has(id));
  if (open !== undefined)
    return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  const before = callsIn(messages[index - 1]);
  const stray = blocksOf(messages[index])
    .map(resultId)
    .find((id) => id !== undefined && !before.includes(id));
  return stray === undefined
    ? undefined
    : `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
}

function resultId(block: ContentBlockParam): string | undefined {
  return block.type === "tool_result" ? block.tool_use_id : undefined;
}

function callsIn(message: MessageParam | undefined): readonly string[] {
  return blocksOf(message).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}

function faultOfEnd(request: MessagesRequest): string | undefined {
  const { messages, thinking } = request;
  const last = messages.at(-1);
  const closing = blocksOf(last).at(-1);
  if (last?.role === "assistant" && isNewest(request))
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  if (last?.role === "assistant" && closing?.type === "text" && closing.text !== closing.text.trimEnd())
    return "messages: final assistant content cannot end with trailing whitespace";
  const waiting = blocksOf(last).some(({ type }) => type === "tool_result") ? messages.at(-2) : undefined;
  const opening = blocksOf(waiting)[0]?.type;
  if (thinking?.type !== "enabled" || opening === undefined || opening.endsWith("thinking")) return undefined;
  return `messages.${messages.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${opening}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
}

function blocksOf(message: MessageParam | undefined): readonly ContentBlockParam[] {
  const content = message?.content ?? [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function first<Item>(items: Iterable<Item>, faultOf: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

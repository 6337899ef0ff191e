// Closed list of request edits for models that refuse valid requests, each with its source. `models.yaml` assigns them to models.
import type { JsonObject } from "../../core/messages.ts";
import { asArray, asObject, asString } from "../looseJson.ts";
import { projectTools } from "../schemas/projectTools.ts";
import { SCHEMA_DIALECTS } from "../schemas/schemaDialects.ts";
import {
  convertResultsToText,
  endWithUser,
  flattenParts,
  mergeAdjacentRoles,
  mergeSystem,
  stripEmptyContent,
  stripNullContent,
  stripReasoning,
} from "./messageEdits.ts";
import { type IdRule, rewriteIds } from "./rewriteCallIds.ts";
import { type NameRule, renameTools } from "./toolNames.ts";
import { stripResultImages } from "./toolResultImages.ts";

export interface Quirk {
  /** Server that refuses, and the text of its refusal. */
  readonly source: string;
  /** Returns the edited body. The given one does not change. */
  readonly apply: (body: JsonObject) => JsonObject;
  /** True if the caller cannot notice: the answer is as without the edit. */
  readonly hidden?: true | undefined;
}

/** Fields that an answer can do without: hints, and bookkeeping of the caller. */
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
  "prediction",
] as const;

export type OmittableField = (typeof OMITTABLE)[number];

/** The quirk that leaves a field out. */
export function getOmitQuirk(field: OmittableField): string {
  return `no-${field.replaceAll("_", "-")}`;
}

/** The one quirk that is no edit of a body: the code that writes the `tools` field applies it. */
export const TOOLS_BESIDE_CALLS = "tools-beside-calls";

/** Omits the output form if there are tools. Tools that may not be called were dropped before. */
export const NO_FORMAT_WITH_TOOLS = "no-format-with-tools";

/** Requests no reasoning if there are tools. */
export const NO_EFFORT_WITH_TOOLS = "no-effort-with-tools";

/** Quirks by id, in the order of application, whatever the order in a profile: an edit may build on earlier ones. */
export const QUIRKS: ReadonlyMap<string, Quirk> = new Map<string, Quirk>([
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
        asObject(body.response_format)?.type === "json_object" ? { ...body, response_format: ANY_OBJECT } : body,
    },
  ],
  [
    NO_FORMAT_WITH_TOOLS,
    {
      source: 'Groq: 400 "json mode cannot be combined with tool/function calling"; Gemini alike.',
      apply: ({ response_format: format, ...body }) =>
        format === undefined || body.tools !== undefined ? body : { ...body, response_format: format },
    },
  ],
  [
    NO_EFFORT_WITH_TOOLS,
    {
      source:
        "OpenAI, GPT-5.4 and later: 400 \"Function tools with reasoning_effort are not supported for … in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.\", for the model's own default too (https://github.com/openai/openai-openapi/issues/541, https://github.com/laurent22/joplin/pull/16451).",
      apply: (body) => {
        if (body.tools === undefined) return body;
        // OpenRouter's spelling of the same wish.
        const { reasoning: _, ...rest } = body;
        return { ...rest, reasoning_effort: "none" };
      },
    },
  ],
  [
    "no-reasoning-back",
    {
      source:
        'Mistral\'s own API: 422 "Extra inputs are not permitted" at messages, assistant, reasoning_content, though Postel gave the client that field.',
      apply: stripReasoning,
    },
  ],
  [
    "no-result-images",
    {
      source:
        'Models that see nothing, when a tool of the gateway shows an image: 400 "image_url is only supported by certain models" and its like; the words of the result say what was not shown.',
      apply: stripResultImages,
    },
  ],
  [
    "no-tool-role",
    {
      source:
        'Chat templates of Gemma 2 and 3 and of the first Mistrals know no tool: "Conversation roles must alternate user/assistant/user/assistant/…" to a result (https://github.com/huggingface/text-generation-inference/issues/3198), "Only user and assistant roles are supported!"',
      apply: convertResultsToText,
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
      apply: mergeAdjacentRoles,
    },
  ],
  [
    "user-last",
    {
      source: 'Mistral: 400 "Expected last role User or Tool (or Assistant with prefix True) …"; Anthropic alike.',
      apply: endWithUser,
    },
  ],
  [
    "content-as-text",
    {
      source:
        'Servers that know content as text alone: 400 "messages[0].content: invalid type: sequence, expected a string" (https://github.com/0x676e67/duckai/issues/16), "unknown content type" (https://github.com/qualcomm/GenieX/issues/683).',
      apply: flattenParts,
    },
  ],
  [
    "no-null-content",
    {
      source:
        'LM Studio: "\'content\' field must be a string or an array of objects." to `null` beside calls (https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/261); Ollama: 400 "invalid message content type: <nil>" (https://github.com/SAIL-Research-Lab/cheetahclaws/pull/72).',
      apply: stripNullContent,
      hidden: true,
    },
  ],
  [
    "no-empty-content",
    {
      source:
        'Anthropic, by Bedrock and others too: 400 "messages: text content blocks must be non-empty" (https://github.com/NousResearch/hermes-agent/issues/9486); proxies before it: "messages[N]: content is required" (https://github.com/spring-projects/spring-ai/pull/5510).',
      apply: stripEmptyContent,
      hidden: true,
    },
  ],
  [
    "temperature-to-1",
    atMost(
      1,
      'Anthropic: 400 "temperature: range: 0..1" (https://github.com/anthropics/anthropic-sdk-python/issues/893).',
    ),
  ],
  [
    "temperature-to-1-5",
    atMost(
      1.5,
      'Mistral: 422 "less_than_equal" at body, temperature: "Input should be less than or equal to 1.5" (https://github.com/vegu-ai/talemate/issues/102, its limit of today: https://github.com/SillyTavern/SillyTavern/pull/4856).',
    ),
  ],
  [
    "no-blank-stop",
    {
      source:
        'Anthropic: 400 "stop_sequences: each stop sequence must contain non-whitespace". All stops are the gateway\'s then.',
      apply: ({ stop, ...body }) =>
        stop === undefined || asArray(stop).some((text) => asString(text)?.trim() === "") ? body : { ...body, stop },
    },
  ],
  [
    "names-64",
    renaming(
      { invalidCharacters: /[^a-zA-Z0-9_-]/g, start: /^/, maxLength: 64 },
      'OpenAI: 400 "Invalid \'tools[0].function.name\': string does not match pattern. Expected a string that matches the pattern \'^[a-zA-Z0-9_-]+$\'."; Mistral: "Function name was … but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64."; Bedrock: "… failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+" (https://github.com/openclaw/openclaw/issues/12892).',
    ),
  ],
  [
    "names-gemini",
    renaming(
      { invalidCharacters: /[^a-zA-Z0-9_.-]/g, start: /^[a-zA-Z_]/, maxLength: 64 },
      'Google: 400 "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64." (https://github.com/google-gemini/gemini-cli/issues/7869)',
    ),
  ],
  [
    "ids-9",
    rewriting(
      { type: "like", legal: /^[a-zA-Z0-9]{9}$/ },
      'Mistral: 400 "Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9." (https://github.com/karthink/gptel/issues/1203)',
    ),
  ],
  [
    "ids-40",
    rewriting(
      { type: "like", legal: /^.{1,40}$/s },
      "OpenAI: 400 \"Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 43 instead.\" (https://github.com/vercel/ai/issues/5171)",
    ),
  ],
  [
    "ids-64",
    rewriting(
      { type: "like", legal: /^[a-zA-Z0-9_-]{1,64}$/ },
      "Anthropic: 400 \"messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'\"; Bedrock alike, 64 at the most (https://github.com/awsl-project/maxx/pull/557).",
    ),
  ],
  [
    "ids-kimi",
    rewriting(
      { type: "made", make: (name, before) => `functions.${name}:${before}` },
      "Kimi K2 reads and continues ids of the form functions.NAME:IDX, counted through the conversation; others lead it to write its marks as text (https://github.com/vybestack/llxprt-code/issues/713, https://github.com/sgl-project/sglang/pull/10612).",
    ),
  ],
  ...[...SCHEMA_DIALECTS].map(([id, dialect]): [string, Quirk] => [
    id,
    { source: dialect.source, apply: (body) => projectTools(body, dialect) },
  ]),
  ...OMITTABLE.map((field): [string, Quirk] => [
    getOmitQuirk(field),
    {
      source: `Servers and models that take no \`${field}\`: 400 "Unsupported parameter", 422 "Extra inputs are not permitted".`,
      apply: ({ [field]: _, ...body }) => body,
    },
  ]),
]);

/** Applies the known ones of the quirks to the body. */
export function applyQuirks(body: JsonObject, ids: readonly string[]): JsonObject {
  if (ids.length === 0) return body;
  let edited = body;
  for (const [id, quirk] of QUIRKS) if (ids.includes(id)) edited = quirk.apply(edited);
  return edited;
}

/** Returns true if the caller cannot notice the edit. */
export function isHidden(id: string): boolean {
  return QUIRKS.get(id)?.hidden === true;
}

function atMost(limit: number, source: string): Quirk {
  const apply = (body: JsonObject) =>
    typeof body.temperature === "number" && body.temperature > limit ? { ...body, temperature: limit } : body;
  return { source, apply };
}

function renaming(rule: NameRule, source: string): Quirk {
  return { source, apply: (body) => renameTools(body, rule), hidden: true };
}

function rewriting(rule: IdRule, source: string): Quirk {
  return { source, apply: (body) => rewriteIds(body, rule), hidden: true };
}

const ANY_OBJECT = { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" }, strict: false } };

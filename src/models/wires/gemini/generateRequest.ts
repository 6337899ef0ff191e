// Converts a chat body to a request of generateContent.
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asObject, asObjects, asString } from "../../looseJson.ts";
import { losesFields } from "../../request/losesFields.ts";
import { OMITTABLE } from "../../request/quirks.ts";
import type { WireRequest } from "../UpstreamWire.ts";
import { buildConversationFields } from "./contents.ts";
import { buildFunctionFields } from "./functionDeclarations.ts";
import { buildGenerationConfig, GENERATION_FIELDS } from "./generationConfig.ts";
import { thinks } from "./modelGeneration.ts";
import { createUnsupportedError } from "./unsupported.ts";

/** Read in other places than among the native fields; `n` is one here, as many as an answer has. */
const READ: ReadonlySet<string> = new Set([
  ...["model", "messages", "stream", "stream_options", "tools", "tool_choice", "n", ...GENERATION_FIELDS],
  ...["generationConfig", "generation_config", "toolConfig", "tool_config"],
]);
/** Hints and bookkeeping fields that the API cannot express, in addition to those that any upstream may omit. */
const DROPPED: ReadonlySet<string> = new Set<string>([...OMITTABLE, "prediction", "prompt_cache_retention"]);
/** Fields that would change the kind of answer. */
const REFUSED: ReadonlySet<string> = new Set(["audio", "web_search_options"]);

/**
 * Returns the request. Unknown fields are sent under their own names (`safetySettings`, `cachedContent` …), and the API decides about them.
 * @throws PostelError `unsupported_parameter` for a field that would change the answer and cannot be expressed.
 */
export function generateRequest(body: JsonObject): WireRequest {
  const model = asString(body.model) ?? "";
  const native: Record<string, JsonValue> = {};
  const dropped: string[] = [];
  for (const [field, value] of Object.entries(body)) {
    if (value === null || READ.has(field)) continue;
    if (REFUSED.has(field)) throw createUnsupportedError(field, `has no word for \`${field}\``);
    // Parallel calls are the default.
    if (field === "parallel_tool_calls" && value === true) continue;
    if (DROPPED.has(field)) dropped.push(field);
    else native[field] = value;
  }
  const messages = asObjects(body.messages);
  if (losesFields(messages)) dropped.push("messages");
  if (typeof body.reasoning_effort === "string" && !thinks(model)) dropped.push("reasoning_effort");
  const config = buildGenerationConfig(body, nativeObject(body, "generationConfig", "generation_config"), model);
  const { toolConfig, ...functions } = buildFunctionFields(body);
  const calling = { ...nativeObject(body, "toolConfig", "tool_config"), ...asObject(toolConfig) };
  return {
    path: buildPath(model, body.stream === true),
    body: {
      ...native,
      ...buildConversationFields(messages, model),
      ...functions,
      ...(Object.keys(calling).length > 0 && { toolConfig: calling }),
      ...(Object.keys(config).length > 0 && { generationConfig: config }),
    },
    dropped: dropped.sort(),
  };
}

/** Google's JSON takes a name in both spellings, but not twice. */
function nativeObject(body: JsonObject, name: string, spelledOut: string): JsonObject {
  return { ...asObject(body[spelledOut]), ...asObject(body[name]) };
}

/** A name may include its collection, as in the API's list (`models/…`, `tunedModels/…`). */
function buildPath(model: string, streamed: boolean): string {
  const [, collection = "models", name = model] = /^(models|tunedModels)\/(.+)$/.exec(model) ?? [];
  const verb = streamed ? "streamGenerateContent?alt=sse" : "generateContent";
  return `/${collection}/${encodeURIComponent(name)}:${verb}`;
}

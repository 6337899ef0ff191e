// How an answer is to be made, as Gemini's generation configuration. Knows no conversation.
import type { GenerationConfig } from "@google/genai";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { listIn, objectIn } from "../../wireJson.ts";
import { geminiSchema } from "./schemaProjection.ts";
import { thinkingConfig } from "./thinking.ts";
import { unsupported } from "./unsupported.ts";

/** Fields that mean the same and are only called otherwise. */
const SAME: ReadonlyMap<string, keyof GenerationConfig> = new Map([
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["top_k", "topK"],
  ["max_tokens", "maxOutputTokens"],
  ["max_completion_tokens", "maxOutputTokens"],
  ["seed", "seed"],
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
  ["logprobs", "responseLogprobs"],
  ["top_logprobs", "logprobs"],
]);

/** The fields of a chat body that are read here. */
export const GENERATION_FIELDS: ReadonlySet<string> = new Set([
  ...SAME.keys(),
  "stop",
  "response_format",
  "reasoning_effort",
  "modalities",
]);

/** "The maximum number of stop sequences is 5." */
const MOST_STOPS = 5;

/**
 * The configuration; `native` is what the caller wrote of it under its own names, and gives way.
 * @throws PostelError `unsupported_parameter` for what would change the answer and cannot be said.
 */
export function generationConfig(body: JsonObject, native: JsonObject, model: string): JsonObject {
  const config: Record<string, JsonValue> = { ...native };
  for (const [field, name] of SAME) {
    const value = body[field];
    if (isSaid(value)) config[name] = value;
  }
  // How many likely words are told beside each is refused where none are told at all.
  if (body.logprobs !== true) delete config.logprobs;
  const stops = listIn(body.stop);
  if (stops.length > MOST_STOPS)
    throw unsupported("stop", `takes ${MOST_STOPS} stop sequences at most, not ${stops.length}`);
  if (stops.length > 0) config.stopSequences = stops;
  const thinking = isSaid(body.reasoning_effort) ? thinkingConfig(body.reasoning_effort, model) : undefined;
  if (thinking) config.thinkingConfig = { ...objectIn(native.thinkingConfig), ...thinking };
  if (listIn(body.modalities).some((modality) => modality !== "text"))
    throw unsupported("modalities", "is asked for text here; ask for others by `generationConfig.responseModalities`");
  return { ...config, ...formOf(objectIn(body.response_format)) };
}

function isSaid(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null;
}

/** The form that the answer is held to. */
function formOf(format: JsonObject | undefined): JsonObject {
  switch (format?.type) {
    case undefined:
    case "text":
      return {};
    case "json_object":
      return { responseMimeType: "application/json" };
    case "json_schema": {
      const schema = objectIn(objectIn(format.json_schema)?.schema);
      return { responseMimeType: "application/json", ...(schema && { responseJsonSchema: geminiSchema(schema) }) };
    }
    default:
      throw unsupported("response_format", `knows no \`response_format\` of the type ${JSON.stringify(format?.type)}`);
  }
}

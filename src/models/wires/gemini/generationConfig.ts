// Builds Gemini's generation configuration from a chat body.
import type { GenerationConfig } from "@google/genai";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asArray, asObject } from "../../looseJson.ts";
import { toGeminiSchema } from "./geminiSchema.ts";
import { buildThinkingConfig } from "./thinking.ts";
import { createUnsupportedError } from "./unsupported.ts";

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
 * Returns the configuration. `native` has the caller's own Gemini fields, which have lower precedence.
 * @throws PostelError `unsupported_parameter` for a field that would change the answer and cannot be expressed.
 */
export function buildGenerationConfig(body: JsonObject, native: JsonObject, model: string): JsonObject {
  const config: Record<string, JsonValue> = { ...native };
  for (const [field, name] of SAME) {
    const value = body[field];
    if (isSaid(value)) config[name] = value;
  }
  // The API refuses a number of top log-probabilities if log-probabilities are off.
  if (body.logprobs !== true) delete config.logprobs;
  const stops = asArray(body.stop);
  if (stops.length > MOST_STOPS)
    throw createUnsupportedError("stop", `takes ${MOST_STOPS} stop sequences at most, not ${stops.length}`);
  if (stops.length > 0) config.stopSequences = stops;
  const thinking = isSaid(body.reasoning_effort) ? buildThinkingConfig(body.reasoning_effort, model) : undefined;
  if (thinking) config.thinkingConfig = { ...asObject(native.thinkingConfig), ...thinking };
  if (asArray(body.modalities).some((modality) => modality !== "text"))
    throw createUnsupportedError(
      "modalities",
      "is asked for text here; ask for others by `generationConfig.responseModalities`",
    );
  return { ...config, ...buildResponseFormat(asObject(body.response_format)) };
}

function isSaid(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null;
}

/** Builds the fields for the required form of the answer. */
function buildResponseFormat(format: JsonObject | undefined): JsonObject {
  switch (format?.type) {
    case undefined:
    case "text":
      return {};
    case "json_object":
      return { responseMimeType: "application/json" };
    case "json_schema": {
      const schema = asObject(asObject(format.json_schema)?.schema);
      return { responseMimeType: "application/json", ...(schema && { responseJsonSchema: toGeminiSchema(schema) }) };
    }
    default:
      throw createUnsupportedError(
        "response_format",
        `knows no \`response_format\` of the type ${JSON.stringify(format?.type)}`,
      );
  }
}

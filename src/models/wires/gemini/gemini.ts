// The Gemini wire: addresses of generateContent, and its translators.

import type { JsonObject } from "../../../core/messages.ts";
import { asArray, asObjects, asString } from "../../looseJson.ts";
import type { UpstreamWire } from "../UpstreamWire.ts";

/** Its base URL has the version: `https://generativelanguage.googleapis.com/v1beta`. */
export const gemini: UpstreamWire = {
  id: "gemini",
  name: "the Gemini API",
  headers: ({ apiKey }): Readonly<Record<string, string>> => (apiKey ? { "x-goog-api-key": apiKey } : {}),
  quirks: ["names-gemini", "schema-object"],
  // Loaded with the first request: it takes 12 ms, and most gateways have no upstream of this wire.
  translation: async () => (await import("./geminiTranslation.ts")).geminiTranslation,
  list: {
    // As many as one page may have; Google lists a tenth of it.
    path: "/models?pageSize=1000",
    entries: ({ models }) => (Array.isArray(models) ? asObjects(models).filter(answers).map(toModelEntry) : undefined),
  },
  getBaseUrl: (url) => REQUEST.exec(url)?.[1],
};

const REQUEST = /^(.*)\/(?:models|tunedModels)\/[^/]+:(?:generateContent|streamGenerateContent)(?:\?|$)/;

/** The list also contains models that only embed or count tokens. */
function answers({ supportedGenerationMethods: methods }: JsonObject): boolean {
  return methods === undefined || asArray(methods).includes("generateContent");
}

function toModelEntry({ name, description, inputTokenLimit }: JsonObject): JsonObject {
  const text = asString(description);
  return {
    id: (asString(name) ?? "").replace(/^models\//, ""),
    object: "model",
    owned_by: "google",
    ...(text !== undefined && { description: text }),
    ...(inputTokenLimit !== undefined && { inputTokenLimit }),
  };
}

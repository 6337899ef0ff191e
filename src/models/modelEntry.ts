// An entry of a model list, as a server writes it and as the gateway uses it.
import type { JsonObject } from "../core/messages.ts";
import { asString, asTokenCount } from "./looseJson.ts";

export interface ModelEntry {
  readonly id: string;
  /** The id of the upstream that serves it. */
  readonly upstream: string;
  /** Name of the model at its upstream, if it differs. */
  readonly model?: string | undefined;
  /** Owner as the upstream states it, else the id of the upstream; `postel` for an alias. */
  readonly ownedBy: string;
  /** Epoch seconds. */
  readonly created?: number | undefined;
  readonly description?: string | undefined;
  /** Tokens of prompt and answer together, if the upstream states them. */
  readonly contextTokens?: number | undefined;
}

/** Returns undefined if the entry has no id. */
export function toModelEntry(entry: JsonObject, upstream: string): ModelEntry | undefined {
  const id = asString(entry.id);
  if (id === undefined) return undefined;
  const { created } = entry;
  const contextTokens = readContextTokens(entry);
  return {
    id,
    upstream,
    ownedBy: asString(entry.owned_by) ?? upstream,
    ...(typeof created === "number" && { created }),
    description: asString(entry.description),
    ...(contextTokens !== undefined && { contextTokens }),
  };
}

/**
 * Field names for the context window in model lists: vLLM and SGLang; LM Studio (loaded model); OpenRouter, Together and Cerebras; Groq;
 * Mistral and LM Studio; Anthropic; Google.
 */
const LISTED_AS = [
  "max_model_len",
  "loaded_context_length",
  "context_length",
  "context_window",
  "max_context_length",
  "max_input_tokens",
  "inputTokenLimit",
];

/** Returns the context window in an entry of a server's list. */
function readContextTokens(entry: JsonObject): number | undefined {
  return LISTED_AS.map((name) => asTokenCount(entry[name])).find((tokens) => tokens !== undefined);
}

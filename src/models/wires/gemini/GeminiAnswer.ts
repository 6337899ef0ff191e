// Converts an answer of generateContent, streaming or not, to chat chunks.
import type { Candidate, GenerateContentResponseUsageMetadata, LogprobsResult, Part } from "@google/genai";
import { extractProviderFields } from "../../../core/events/providerFields.ts";
import { createFailure, PostelError } from "../../../core/failures.ts";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asObject, asObjects, asString } from "../../looseJson.ts";
import type { WireAnswer } from "../UpstreamWire.ts";
import { describeMalformedCall, toChatFinishReason } from "./finishReasons.ts";

/** Fields of a candidate that are translated, or that repeat other counts. */
const CANDIDATE_FIELDS: ReadonlySet<string> = new Set<keyof Candidate>([
  ...(["content", "finishReason", "finishMessage", "index", "tokenCount"] as const),
  ...(["logprobsResult", "avgLogprobs", "safetyRatings"] as const),
]);

export class GeminiAnswer implements WireAnswer {
  /** The wire has no end marker; the connection ends. */
  readonly done = false;
  #calls = 0;
  /** Last signature of a part that is not a call. A message can store one, and the API sends one. */
  #signature: JsonValue | undefined;

  isAnswer(document: JsonObject): boolean {
    return Array.isArray(document.candidates) || asObject(document.promptFeedback) !== undefined;
  }

  /** @throws PostelError `upstream_refused` where the prompt was blocked. */
  read(value: JsonObject): readonly JsonObject[] {
    const candidate = asObjects(value.candidates).find(({ index }) => (index ?? 0) === 0);
    const blocked = asObject(value.promptFeedback)?.blockReason;
    if (!candidate && asString(blocked) !== undefined) throw createRefusedError(value);
    const chunks = candidate ? this.#charCount(candidate) : [];
    const usage = toUsage(asObject(value.usageMetadata));
    if (usage) chunks.push({ choices: [], usage });
    return chunks;
  }

  #charCount(candidate: JsonObject): JsonObject[] {
    const deltas = asObjects(asObject(candidate.content)?.parts).flatMap((part) => this.#delta(part));
    const reason = asString(candidate.finishReason);
    const call = reason && describeMalformedCall(reason, asString(candidate.finishMessage));
    if (call) deltas.push({ content: `\n${call}` });
    const chunks: JsonObject[] = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }));
    const logprobs = toLogprobs(asObject(candidate.logprobsResult));
    const textIndex = deltas.findIndex(({ content }) => content !== undefined);
    if (logprobs && textIndex !== -1)
      chunks[textIndex] = { choices: [{ index: 0, delta: deltas[textIndex] ?? {}, logprobs }] };
    const providerFields = extractProviderFields(candidate, CANDIDATE_FIELDS);
    if (reason !== undefined || providerFields) {
      const finish = reason === undefined ? null : toChatFinishReason(reason);
      const delta = (reason !== undefined && signature(this.#signature)) || {};
      chunks.push({ choices: [{ ...providerFields, index: 0, delta, finish_reason: finish }] });
    }
    return chunks;
  }

  /** Converts one part to deltas. Parts without an equivalent in the chat wire give none. */
  #delta(part: JsonObject): readonly JsonObject[] {
    const { thoughtSignature, text, functionCall, inlineData, executableCode, codeExecutionResult } = part satisfies {
      readonly [Field in keyof Part]?: JsonValue;
    };
    const call = asObject(functionCall);
    if (call) return [{ tool_calls: [{ ...this.#call(call), ...signature(thoughtSignature) }] }];
    this.#signature = thoughtSignature ?? this.#signature;
    const said = asString(text) ?? textOfCode(asObject(executableCode), asObject(codeExecutionResult));
    if (part.thought === true) return said === undefined ? [] : [{ reasoning_content: said }];
    const image = toImage(asObject(inlineData));
    if (said === undefined && !image) return [];
    return [{ ...(said !== undefined && { content: said }), ...(image && { images: [image] }) }];
  }

  /** Calls arrive complete. The API requires its own call id back, if it sent one. */
  #call({ id, name, args }: JsonObject): JsonObject {
    const index = this.#calls;
    this.#calls += 1;
    return {
      index,
      ...(asString(id) !== undefined && { id: asString(id) ?? "" }),
      type: "function",
      function: { name: asString(name) ?? "", arguments: JSON.stringify(asObject(args) ?? {}) },
    };
  }
}

/** As Google's own OpenAI endpoint spells it. */
function signature(limits: JsonValue | undefined): JsonObject | undefined {
  const text = asString(limits);
  return text === undefined ? undefined : { extra_content: { google: { thought_signature: text } } };
}

/** Renders code that the API ran itself, and its result. */
function textOfCode(code: JsonObject | undefined, result: JsonObject | undefined): string | undefined {
  const [language, text] = code ? [(asString(code.language) ?? "").toLowerCase(), code.code] : ["", result?.output];
  const cacheWriteTokens = asString(text);
  return cacheWriteTokens === undefined ? undefined : `\n\`\`\`${language}\n${cacheWriteTokens}\n\`\`\`\n`;
}

/** Returns an image in the form of other servers: OpenRouter's `images`, next to the content. */
function toImage(data: JsonObject | undefined): JsonObject | undefined {
  const type = asString(data?.mimeType);
  if (!data || !type?.startsWith("image/")) return undefined;
  return { type: "image_url", image_url: { url: `data:${type};base64,${asString(data.data) ?? ""}` } };
}

/** Converts usage: thoughts count as completion, tool prompts count as prompt. */
function toUsage(limits: JsonObject | undefined): JsonObject | undefined {
  if (!limits) return undefined;
  const counts = (field: keyof GenerateContentResponseUsageMetadata) => Number(limits[field] ?? 0);
  const thoughts = counts("thoughtsTokenCount");
  const cached = counts("cachedContentTokenCount");
  const prompt = counts("promptTokenCount") + counts("toolUsePromptTokenCount");
  const completion = counts("candidatesTokenCount") + thoughts;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: counts("totalTokenCount") || prompt + completion,
    ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(thoughts > 0 && { completion_tokens_details: { reasoning_tokens: thoughts } }),
  };
}

function toLogprobs(result: JsonObject | undefined): JsonObject | undefined {
  if (!result) return undefined;
  const { chosenCandidates, topCandidates } = result satisfies { readonly [Field in keyof LogprobsResult]?: JsonValue };
  const tops = asObjects(topCandidates);
  const content = asObjects(chosenCandidates).map((chosen, position) => ({
    ...toToken(chosen),
    top_logprobs: asObjects(tops[position]?.candidates).map(toToken),
  }));
  return { content, refusal: null };
}

function toToken({ token, logProbability }: JsonObject): JsonObject {
  const text = asString(token) ?? "";
  return { token: text, logprob: Number(logProbability ?? 0), bytes: [...Buffer.from(text)] };
}

function createRefusedError({ promptFeedback }: JsonObject): PostelError {
  const { blockReason, blockReasonMessage } = asObject(promptFeedback) ?? {};
  const reason = asString(blockReasonMessage);
  const message = `The upstream did not let the prompt through to its model: ${String(blockReason)}${reason === undefined ? "" : ` (${reason})`}. Change what it asks, or set \`safetySettings\`.`;
  return new PostelError(createFailure("upstream_refused", message, { blockReason: String(blockReason) }));
}

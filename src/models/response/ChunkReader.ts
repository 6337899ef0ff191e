// Converts chunks of an upstream to model events, for all spellings of the chat wire.
import type { Extra, ModelEnd, ModelEvent, Usage } from "../../core/events/events.ts";
import { extractFunctionFields, extractProviderFields } from "../../core/events/providerFields.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { asArray, asObject, asString } from "../looseJson.ts";
import type { CallFragment } from "./callFragments.ts";
import { isBrokenOff, normalizeFinishReason } from "./finishReasons.ts";

/** `obfuscation` is random padding that OpenAI adds against traffic analysis. It has no meaning. */
const CHUNK_FIELDS = new Set(["id", "object", "created", "model", "choices", "usage", "obfuscation"]);
const CHOICE_FIELDS = new Set(["index", "delta", "message", "finish_reason"]);
/** Fields with reasoning text: DeepSeek and vLLM; OpenRouter and newer vLLM; Ollama. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning", "thinking"] as const;
/** Those, and fields in which some upstreams send reasoning as objects. */
const THOUGHT_FIELDS = [...REASONING_FIELDS, "reasoning_details", "thinking_blocks"] as const;
const DELTA_FIELDS = new Set(["role", "content", "tool_calls", "function_call", ...REASONING_FIELDS]);

/** Reads the chunks of one stream in order. A JSON answer is one chunk whose `message` is its delta. */
export class ChunkReader {
  /** The upstream's own value, `null` until it has sent one. */
  finishReason: string | null = null;
  /** The last usage that made sense. */
  usage: Usage | undefined;
  /** True once a part of a structured call came. */
  sawCall = false;
  /** The field in which the model sent reasoning. */
  reasoningField: string | undefined;
  /** Provider fields last emitted for each level. */
  readonly #lastFields: { chunk?: Map<string, JsonValue>; choice?: Map<string, JsonValue> } = {};

  /** True if the finish reason reports that the upstream gave up. */
  get brokeOff(): boolean {
    return this.finishReason !== null && isBrokenOff(this.finishReason);
  }

  /** The end that the upstream has given. */
  get end(): ModelEnd {
    const stated = this.finishReason;
    const finishReason = stated === null ? null : normalizeFinishReason(stated);
    return { type: "end", finishReason, ...(finishReason !== stated && { stated }) };
  }

  /** Returns the events of a chunk. Content after the finish reason is dropped, so that a turn has one end. */
  read(chunk: JsonObject): readonly ModelEvent[] {
    this.usage = readUsage(chunk.usage) ?? this.usage;
    const choice = getFirstChoice(chunk);
    const delta = getDelta(choice);
    const said = this.finishReason === null ? readDelta(delta) : NOTHING;
    if (said.fragments.length > 0) this.sawCall = true;
    this.reasoningField ??= findReasoningField(delta);
    this.finishReason ??= asString(choice?.finish_reason) ?? null;

    const events: ModelEvent[] = said.reasoning.map((text) => ({ type: "reasoning", text }));
    const extra = this.#readExtra({ chunk, choice, delta, hasText: said.text !== "" });
    if (said.text !== "" || extra.length > 0) {
      events.push({ type: "text", text: said.text, ...(extra.length > 0 && { extra }) });
    }
    // No spread into `push`: a chunk may have more fragments than a function may have arguments.
    return said.fragments.length > 0 ? events.concat(said.fragments) : events;
  }

  #readExtra(at: { chunk: JsonObject; choice: JsonObject | undefined; delta: JsonObject; hasText: boolean }): Extra[] {
    const extra: Extra[] = [];
    const chunkFields = this.#news(extractProviderFields(at.chunk, CHUNK_FIELDS), "chunk");
    if (chunkFields) extra.push({ level: "chunk", fields: chunkFields });
    const choiceFields = at.choice && this.#news(extractProviderFields(at.choice, CHOICE_FIELDS), "choice", at.hasText);
    if (choiceFields) extra.push({ level: "choice", fields: choiceFields });
    const deltaFields = extractProviderFields(at.delta, DELTA_FIELDS);
    if (deltaFields) extra.push({ level: "delta", fields: deltaFields });
    return extra;
  }

  /** Omits fields that an upstream repeats on every chunk, since collectors join strings. Log-probabilities belong to text. */
  #news(fields: JsonObject | undefined, level: "chunk" | "choice", hasText = true): JsonObject | undefined {
    if (!fields) return undefined;
    this.#lastFields[level] ??= new Map();
    const last = this.#lastFields[level];
    let fresh: Record<string, JsonValue> | undefined;
    for (const name in fields) {
      const value = fields[name];
      const repeated = typeof value !== "object" && last.get(name) === value;
      if (value === undefined || repeated || (name === "logprobs" && !hasText)) continue;
      last.set(name, value);
      fresh ??= {};
      fresh[name] = value;
    }
    return fresh;
  }
}

interface Said {
  readonly text: string;
  readonly reasoning: readonly string[];
  readonly fragments: readonly CallFragment[];
}

const NOTHING: Said = { text: "", reasoning: [], fragments: [] };

/** Reads the delta of a chunk, wherever in the stream it stands. */
export function readChunkDelta(chunk: JsonObject): Said {
  return readDelta(getDelta(getFirstChoice(chunk)));
}

function getFirstChoice(chunk: JsonObject): JsonObject | undefined {
  for (const value of asArray(chunk.choices)) {
    const choice = asObject(value);
    if (choice && (choice.index ?? 0) === 0) return choice;
  }
  return undefined;
}

function getDelta(choice: JsonObject | undefined): JsonObject {
  return asObject(choice?.delta) ?? asObject(choice?.message) ?? {};
}

function findReasoningField(delta: JsonObject): string | undefined {
  for (const field of REASONING_FIELDS) if (asString(delta[field]) !== undefined) return field;
  return undefined;
}

function readDelta(delta: JsonObject): Said {
  const content = readContent(delta.content);
  return {
    text: content.text,
    reasoning: readReasoning(delta, content.thinking),
    fragments: readFragments(delta),
  };
}

/** Content is a string, or a list of parts (Mistral's reasoning models) of which some are thinking. */
function readContent(content: JsonValue | undefined): { text: string; thinking: string } {
  if (typeof content === "string") return { text: content, thinking: "" };
  let text = "";
  let thinking = "";
  for (const part of asArray(content).map(asObject)) {
    if (part?.type === "thinking") thinking += partsText(part.thinking);
    else text += asString(part?.text) ?? "";
  }
  return { text, thinking };
}

function partsText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return asArray(value)
    .map((part) => asString(asObject(part)?.text) ?? "")
    .join("");
}

/** Several upstreams send the same reasoning in two fields; each text counts once. */
function readReasoning(delta: JsonObject, thinking: string): readonly string[] {
  if (thinking === "" && !saysThought(delta)) return NOTHING.reasoning;
  const texts = new Set<string>();
  for (const field of REASONING_FIELDS) {
    const text = asString(delta[field]);
    if (text !== undefined) texts.add(text);
  }
  const details = delta.reasoning_details ?? delta.thinking_blocks;
  if (details) texts.add(asArray(details).map(detailText).join(""));
  if (thinking) texts.add(thinking);
  texts.delete("");
  return [...texts];
}

function saysThought(delta: JsonObject): boolean {
  for (const field of THOUGHT_FIELDS) if (delta[field]) return true;
  return false;
}

/** `reasoning.text`, `reasoning.summary` (OpenRouter) and Anthropic's `thinking` blocks; encrypted ones have no text. */
function detailText(value: JsonValue): string {
  const detail = asObject(value);
  return asString(detail?.text) ?? asString(detail?.summary) ?? asString(detail?.thinking) ?? "";
}

function readFragments(delta: JsonObject): readonly CallFragment[] {
  const legacy = asObject(delta.function_call);
  if (!delta.tool_calls && !legacy) return NOTHING.fragments;
  const fragments = asArray(delta.tool_calls).flatMap((value, position) => {
    const call = asObject(value);
    if (!call) return [];
    const stated = Number(call.index ?? Number.NaN);
    return [readFragment(Number.isInteger(stated) ? stated : position, call, asObject(call.function) ?? call)];
  });
  return legacy ? [...fragments, readFragment(0, {}, legacy)] : fragments;
}

function readFragment(index: number, call: JsonObject, called: JsonObject): CallFragment {
  const argumentsText = called.arguments;
  const extra = extractFunctionFields(called === call ? { ...call, name: null, arguments: null } : call);
  return {
    type: "call-fragment",
    index,
    id: asString(call.id),
    name: asString(called.name),
    // Ollama's native form and some proxies send an object where the wire requires its text.
    arguments:
      argumentsText === undefined || argumentsText === null
        ? undefined
        : typeof argumentsText === "string"
          ? argumentsText
          : JSON.stringify(argumentsText),
    ...(extra && { extra }),
  };
}

/** A usage counts only if all its numbers are valid: one negative or textual number makes the rest untrustworthy. It must never credit a budget. */
function readUsage(value: JsonValue | undefined): Usage | undefined {
  const usage = asObject(value);
  if (!usage) return undefined;
  const { prompt_tokens: prompt = 0, completion_tokens: completion = 0, total_tokens: total, ...details } = usage;
  if (!isCount(prompt) || !isCount(completion)) return undefined;
  const sum = total === undefined || total === null ? prompt + completion : total;
  if (!isCount(sum)) return undefined;
  return {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: sum,
    ...(Object.keys(details).length > 0 && { details: details as JsonObject }),
  };
}

function isCount(value: JsonValue): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

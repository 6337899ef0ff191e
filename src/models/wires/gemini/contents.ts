// Converts a chat conversation to Gemini's instruction and its turns of user and model.
import type { Part } from "@google/genai";
import { parseJson } from "../../../core/json/parseJson.ts";
import { type JsonObject, type JsonValue, joinText } from "../../../core/messages.ts";
import { asArray, asObject, asObjects, asString } from "../../looseJson.ts";
import { toContentParts } from "./contentParts.ts";
import { getFunctionName } from "./functionDeclarations.ts";
import { demandsSignatures, seesResults } from "./modelGeneration.ts";

interface Content {
  readonly role: "user" | "model";
  readonly parts: JsonObject[];
}

/** A conversation begins with its user, and has one turn at the least. */
const OCCASION: JsonObject = { text: "Begin." };

/**
 * Builds `contents`, in which consecutive messages of one role are one turn, and `systemInstruction` from all system and developer
 * messages, wherever they stand.
 * @throws PostelError `unsupported_parameter` for a content that Gemini does not take.
 */
export function buildConversationFields(messages: readonly JsonObject[], model: string): JsonObject {
  const instructions = messages.filter(isInstruction).flatMap(({ content }) => toContentParts(content, model));
  const names = new Map<JsonValue | undefined, string>();
  const turns: Content[] = [];
  for (const message of messages) {
    if (isInstruction(message)) continue;
    for (const call of getCalls(message)) names.set(call.id, getFunctionName(call));
    const role = message.role === "assistant" ? "model" : "user";
    const parts = toParts(message, { model, names });
    const last = turns.at(-1);
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else if (parts.length > 0) turns.push({ role, parts: [...parts] });
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", parts: [OCCASION] });
  return {
    ...(instructions.length > 0 && { systemInstruction: { parts: instructions } }),
    contents: turns.map(({ role, parts }) => ({ role, parts })),
  };
}

function isInstruction({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

function getCalls({ tool_calls: calls }: JsonObject): readonly JsonObject[] {
  return asObjects(calls);
}

interface Surroundings {
  readonly model: string;
  /** Tool name of each earlier call, by call id. */
  readonly names: ReadonlyMap<JsonValue | undefined, string>;
}

function toParts(message: JsonObject, at: Surroundings): readonly JsonObject[] {
  switch (message.role) {
    case "assistant":
      return [...toTextParts(message, at.model), ...callParts(getCalls(message), at.model)];
    case "tool":
      return resultParts(message, at);
    default:
      return toContentParts(message.content, at.model);
  }
}

/** Converts the model's text. A stored signature is added to the last part, as the API sent it. */
function toTextParts(message: JsonObject, model: string): readonly JsonObject[] {
  const parts = toContentParts(message.content, model);
  const thoughtSignature = getSignature(message);
  if (thoughtSignature === undefined) return parts;
  const last = parts.at(-1);
  if (last?.text === undefined) return [...parts, { text: "", thoughtSignature }];
  return [...parts.slice(0, -1), { ...last, thoughtSignature }];
}

/**
 * "For transferring history from a different model … you can set the following dummy signature":
 * ai.google.dev/gemini-api/docs/thought-signatures.
 */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Only the first of several parallel calls must have a signature. */
function callParts(calls: readonly JsonObject[], model: string): readonly JsonObject[] {
  return calls.map((call, position) => {
    const unsigned = position === 0 && demandsSignatures(model) ? NO_SIGNATURE : undefined;
    const thoughtSignature = getSignature(call) ?? unsigned;
    const part = {
      functionCall: { ...toIdField(call.id), name: getFunctionName(call), args: parseArguments(call) },
      ...(thoughtSignature !== undefined && { thoughtSignature }),
    };
    return part satisfies Part;
  });
}

/** As Google's own OpenAI endpoint spells it: `extra_content.google.thought_signature`. */
function getSignature({ extra_content: extra }: JsonObject): string | undefined {
  return asString(asObject(asObject(extra)?.google)?.thought_signature);
}

function toIdField(id: JsonValue | undefined): { readonly id?: string } {
  const text = asString(id);
  return text === undefined ? {} : { id: text };
}

/** The arguments of every history were validated before. */
function parseArguments({ function: called }: JsonObject): JsonObject {
  return asObject(parseJson(asString(asObject(called)?.arguments) ?? "{}")) ?? {};
}

/** Converts a result with its images: inside the response if the model reads them there, else after it. */
function resultParts(
  { tool_call_id: id, name, content }: JsonObject,
  { model, names }: Surroundings,
): readonly JsonObject[] {
  const text = asArray(content).map(textOfPart).join("");
  const media = toContentParts(content, model).filter((part) => part.text === undefined);
  const inside = seesResults(model) && media.length > 0;
  const functionResponse = {
    ...toIdField(id),
    name: names.get(id) ?? asString(name) ?? "",
    response: toResponse(text),
    ...(inside && { parts: media }),
  };
  return [{ functionResponse } satisfies Part, ...(inside ? [] : media)];
}

function textOfPart(part: JsonValue): string {
  const object = asObject(part);
  return typeof part === "string" ? part : object ? joinText([object as JsonObject & { type: string }]) : "";
}

/** Digits that a JSON number may lose. */
const LONG_NUMBER = /\d{16}/;

/** Returns an object result unchanged; any other value becomes the `result` of an object. */
function toResponse(text: string): JsonObject {
  const value = LONG_NUMBER.test(text) ? undefined : parseJson(text);
  return asObject(value) ?? { result: Array.isArray(value) ? value : text };
}

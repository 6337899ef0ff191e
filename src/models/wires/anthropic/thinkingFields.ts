// Builds the thinking fields of Anthropic's Messages, in the form that the model accepts.
import type { OutputConfig, ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages";
import type { JsonObject } from "../../../core/messages.ts";
import { asObject, asObjects, asString } from "../../looseJson.ts";
import { thinksBy } from "./claudeModels.ts";

export interface ThinkingFields {
  readonly thinking?: ThinkingConfigParam;
  readonly effort?: OutputConfig["effort"];
}

type Effort = NonNullable<OutputConfig["effort"]>;

/** Values of the chat wire's `reasoning_effort`, and those that only this API has. */
const EFFORTS: ReadonlyMap<string, Effort> = new Map([
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "xhigh"],
  ["max", "max"],
]);

/** Tokens: the API takes 1,024 at the least, and its documentation begins hard tasks at 16,000. */
const MIN_BUDGET = 1_024;
const BUDGETS: Readonly<Record<Effort, number>> = {
  low: MIN_BUDGET,
  medium: 4_096,
  high: 16_000,
  xhigh: 24_000,
  max: 31_000,
};

/**
 * `thinking` in the body has precedence over `reasoning_effort`. Thinking is omitted, and reported to `drop`, in three cases: the model
 * cannot think; a call is forced ("Thinking may not be enabled when tool_choice forces tool use"); or a token budget is set and the latest
 * call of the history has no thought (a final assistant message must start with one).
 */
export function buildThinkingFields(
  body: JsonObject,
  limits: { readonly maxTokens: number; readonly forced: boolean; readonly drop: (field: string) => void },
): ThinkingFields {
  const ownThinking = asObject(body.thinking);
  const thinkingFields = ownThinking
    ? { thinking: ownThinking as unknown as ThinkingConfigParam }
    : readRequestedThinking(body, limits.maxTokens);
  const fieldName = ownThinking ? "thinking" : "reasoning_effort";
  if (thinkingFields === "never") {
    limits.drop(fieldName);
    return {};
  }
  const { thinking, ...rest } = thinkingFields;
  const gives = thinking?.type === "enabled" || thinking?.type === "adaptive";
  if (!gives || !(limits.forced || (thinking.type === "enabled" && lacksThought(body)))) return thinkingFields;
  limits.drop(fieldName);
  return rest;
}

function readRequestedThinking(body: JsonObject, maxTokens: number): ThinkingFields | "never" {
  const fieldName = asString(body.reasoning_effort);
  if (fieldName === undefined) return {};
  const thinkingKind = thinksBy(asString(body.model) ?? "");
  if (fieldName === "none") return thinkingKind === "never" ? {} : { thinking: { type: "disabled" } };
  if (thinkingKind === "never") return "never";
  const effort = EFFORTS.get(fieldName) ?? "medium";
  if (thinkingKind === "effort") return { thinking: { type: "adaptive" }, effort };
  // The answer has the rest of the limit.
  const budget = Math.min(BUDGETS[effort], maxTokens - 1);
  return budget < MIN_BUDGET ? "never" : { thinking: { type: "enabled", budget_tokens: budget } };
}

/**
 * Returns true if the latest calls, or the text that the model shall continue, have no signed thought. They came from another model
 * or were read from text.
 */
function lacksThought(body: JsonObject): boolean {
  const messages = asObjects(body.messages);
  const last = messages.findLast(({ role }) => role === "assistant");
  if (!last || !(last.tool_calls || last === messages.at(-1))) return false;
  return !asObjects(last.thinking_blocks).some(isSignedThought);
}

/**
 * Returns true if a block of the history came from the API. A signature without its text is the last piece of a stream: the helper of the
 * openai client keeps only that of an unknown field.
 */
export function isSignedThought({ type, thinking, signature, data }: JsonObject): boolean {
  if (type === "redacted_thinking") return typeof data === "string";
  return type === "thinking" && typeof thinking === "string" && typeof signature === "string";
}

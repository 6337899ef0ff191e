// Builds the body of a complete chat completion, and the parts that it shares with chunks.
import { type AnswerSummary, mergeSummaries } from "../../../core/events/AnswerSummary.ts";
import type { Collected } from "../../../core/events/Collector.ts";
import type { FinishReason, Usage } from "../../../core/events/events.ts";
import { addExtra } from "../../../core/events/providerFields.ts";
import { isRefusal } from "../../../core/events/refusals.ts";
import type { JsonObject } from "../../../core/messages.ts";
import { getOutcomeInfo } from "../../../core/runs/outcomes.ts";
import { buildPostelBlock } from "../../messages/postelBlock.ts";
import { type CallSpelling, callFields } from "./encodeCalls.ts";

/** Fields that every chunk and the complete answer share. */
export interface AnswerFrame {
  readonly id: string;
  readonly model: string;
  /** Epoch seconds. */
  readonly created: number;
}

/** Builds the body of a non-streaming answer. */
export function buildCompletion(
  frame: AnswerFrame,
  choices: readonly [Collected, ...Collected[]],
  { raw, calls }: { readonly raw: boolean; readonly calls: CallSpelling },
): JsonObject {
  const outline = mergeSummaries(choices);
  const body = addExtra({}, choices[0].extra, "chunk");
  body.id = frame.id;
  body.model = frame.model;
  body.created = frame.created;
  body.object = "chat.completion";
  body.choices = choices.map((collected, index) => choiceJson(collected, index, calls));
  if (outline.end?.usage) body.usage = wireUsage(outline.end.usage);
  if (outline.extraction) Object.assign(body, buildOutputField(outline));
  body.postel = buildPostelBlock(outline, raw);
  return body;
}

/** The output extracted from a run; `null` if nothing was extracted, with the reason in the `postel` block. */
export function buildOutputField({ extraction }: AnswerSummary): JsonObject {
  if (!extraction) return {};
  return { output: "missing" in extraction ? null : extraction.output };
}

function choiceJson(collected: Collected, index: number, calls: CallSpelling): JsonObject {
  const { extra, reasoning } = collected;
  const message = addExtra({ refusal: null }, extra, "delta");
  message.role = "assistant";
  message.content = joinContent(collected);
  if (reasoning !== "") message.reasoning_content = reasoning;
  if (collected.calls.length > 0) Object.assign(message, callFields(collected.calls, calls));
  const choice = addExtra({ logprobs: null }, extra, "choice");
  choice.index = index;
  choice.message = message;
  choice.finish_reason = finishReason(collected, calls);
  return choice;
}

/**
 * Returns `null` if there is no text but calls, reasoning or a refusal, as in a stream without content deltas. An answer
 * without anything is an empty text.
 */
function joinContent({ text, calls, reasoning, extra }: Collected): string | null {
  const hasOtherContent = calls.length > 0 || reasoning !== "" || extra.some(isRefusal);
  return text === "" && hasOtherContent ? null : text;
}

/**
 * `tool_calls` (or `function_call` in the legacy API) if and only if the client receives a call. A run that a limit stopped
 * ends with `length`.
 */
export function finishReason(
  { called, outcome, end }: AnswerSummary,
  { legacy }: CallSpelling,
): FinishReason | "function_call" {
  if (called) return legacy ? "function_call" : "tool_calls";
  const outcomeReason = outcome && getOutcomeInfo(outcome).finishReason;
  if (outcomeReason === "length") return outcomeReason;
  const spelled = end?.finishReason ?? "stop";
  return spelled === "tool_calls" ? "stop" : spelled;
}

export function wireUsage(usage: Usage): JsonObject {
  return {
    ...usage.details,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
  };
}

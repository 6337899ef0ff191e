// Everything that was said → the body of a whole chat completion, and the pieces that chunks share with it. Knows no HTTP.
import { type AnswerSummary, type Collected, mergeSummaries } from "../../../core/events/Collector.ts";
import type { FinishReason, Usage } from "../../../core/events/events.ts";
import { addExtra } from "../../../core/events/providerFields.ts";
import { isRefusal } from "../../../core/events/refusals.ts";
import type { JsonObject } from "../../../core/messages.ts";
import { getOutcomeInfo } from "../../../core/runs/outcomes.ts";
import { buildPostelBlock } from "../../messages/postelBlock.ts";
import { type CallSpelling, callFields } from "./encodeCalls.ts";

/** What every chunk and the whole answer have in common. */
export interface AnswerFrame {
  readonly id: string;
  readonly model: string;
  /** Epoch seconds. */
  readonly created: number;
}

/** The whole answer. */
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
  body.choices = choices.map((collected, index) => wireChoice(collected, index, calls));
  if (outline.end?.usage) body.usage = wireUsage(outline.end.usage);
  if (outline.extraction) Object.assign(body, buildOutputField(outline));
  body.postel = buildPostelBlock(outline, raw);
  return body;
}

/** What was read out of a run's work; `null` where nothing was, which the `postel` block says the reason of. */
export function buildOutputField({ extraction }: AnswerSummary): JsonObject {
  if (!extraction) return {};
  return { output: "missing" in extraction ? null : extraction.output };
}

function wireChoice(collected: Collected, index: number, calls: CallSpelling): JsonObject {
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

/** `null` beside calls, reasoning or a refusal, as in a stream whose deltas hold no content; an answer of nothing at all is an empty text. */
function joinContent({ text, calls, reasoning, extra }: Collected): string | null {
  const isBeside = calls.length > 0 || reasoning !== "" || extra.some(isRefusal);
  return text === "" && isBeside ? null : text;
}

/** `tool_calls`, or the older wire's word for it, if and only if the client receives a call; a run that its limits stopped was cut. */
export function finishReason(
  { called, outcome, end }: AnswerSummary,
  { legacy }: CallSpelling,
): FinishReason | "function_call" {
  if (called) return legacy ? "function_call" : "tool_calls";
  const ending = outcome && getOutcomeInfo(outcome).finishReason;
  if (ending === "length") return ending;
  const said = end?.finishReason ?? "stop";
  return said === "tool_calls" ? "stop" : said;
}

export function wireUsage(usage: Usage): JsonObject {
  return {
    ...usage.details,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
  };
}

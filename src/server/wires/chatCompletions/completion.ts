// Everything that was said → the body of a whole chat completion, and the pieces that chunks share with it. Knows no HTTP.
import type { Collected, Outline } from "../../../core/collect.ts";
import type { FinishReason, Usage } from "../../../core/events.ts";
import { mergeExtra, withForeignFields } from "../../../core/foreignFields.ts";
import type { JsonObject, ToolCall } from "../../../core/messages.ts";

/** What every chunk and the whole answer have in common. */
export interface AnswerFrame {
  readonly id: string;
  readonly model: string;
  /** Epoch seconds. */
  readonly created: number;
}

/** The whole answer. */
export function completion(frame: AnswerFrame, collected: Collected, postel: JsonObject): JsonObject {
  const calls = collected.calls.map(wireCall);
  return {
    ...mergeExtra(collected.extra, "chunk"),
    ...frame,
    object: "chat.completion",
    choices: [
      {
        logprobs: null,
        ...mergeExtra(collected.extra, "choice"),
        index: 0,
        message: {
          refusal: null,
          ...mergeExtra(collected.extra, "delta"),
          role: "assistant",
          content: contentOf(collected),
          ...(collected.reasoning !== "" && { reasoning_content: collected.reasoning }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finishReason(collected),
      },
    ],
    ...(collected.end?.usage && { usage: wireUsage(collected.end.usage) }),
    postel,
  };
}

/** `null` beside calls or reasoning, as in a stream whose deltas hold no content; an answer of nothing at all is an empty text. */
function contentOf({ text, calls, reasoning }: Collected): string | null {
  return text === "" && (calls.length > 0 || reasoning !== "") ? null : text;
}

/** `tool_calls` if and only if the client receives a call; a run that its limits stopped was cut. */
export function finishReason({ called, outcome, end }: Outline): FinishReason {
  if (called) return "tool_calls";
  if (outcome === "limit") return "length";
  const said = end?.finishReason ?? "stop";
  return said === "tool_calls" ? "stop" : said;
}

/** A call as the OpenAI wire has it in a whole message. */
export function wireCall(call: ToolCall): JsonObject {
  const { id, name, arguments: text } = call;
  return withForeignFields(call.extra, { id, type: "function", function: { name, arguments: text } });
}

export function wireUsage(usage: Usage): JsonObject {
  return {
    ...usage.details,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
  };
}

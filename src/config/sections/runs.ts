// The section `runs` of postel.yaml, and the agent keys `budget`, `max_context_messages` and `summary`.
import { z } from "zod";
import type { ConversationConfig, RunsConfig, SummaryConfig } from "../../core/config/configuration.ts";
import type { RunLimits } from "../../core/requests.ts";
import { decimal, integerField, nonEmptyText } from "../fields.ts";

export function createRunsSchema() {
  return z
    .strictObject({
      lease_ms: integerField("milliseconds", 300, 600_000).default(30_000),
      background_at_once: integerField("runs", 1, 10_000).default(16),
    })
    .transform((runs): RunsConfig => ({ leaseMs: runs.lease_ms, backgroundAtOnce: runs.background_at_once }));
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** Written values replace those of `limits.run`. */
export function createBudgetSchema() {
  return z
    .strictObject({
      tokens: integerField("tokens", 1, 1_000_000_000).optional(),
      calls: integerField("calls", 1, 10_000).optional(),
      money: decimal(0.000_001, 1_000_000).optional(),
      minutes: decimal(0.01, DAY_MINUTES).optional(),
    })
    .transform(
      ({ tokens, calls, money, minutes }): Partial<RunLimits> => ({
        ...(tokens !== undefined && { totalTokens: tokens }),
        ...(calls !== undefined && { maxCalls: calls }),
        ...(money !== undefined && { maxMoney: money }),
        ...(minutes !== undefined && { timeoutMs: Math.ceil(minutes * MINUTE_MS) }),
      }),
    );
}

/** Keys of an agent that select which part of a conversation its model receives. */
export const conversationFields = {
  max_context_messages: integerField("messages", 2, 4_096).default(20),
  summary: z
    .strictObject({
      after_tokens: decimal(0.05, 1_000_000_000),
      model: nonEmptyText("a model name").optional(),
      prompt: nonEmptyText("what the model is told that writes the summary").optional(),
      keep_last: integerField("messages", 0, 1_000).default(4),
    })
    .transform(
      ({ after_tokens: afterTokens, keep_last: keepLast, ...rest }): SummaryConfig => ({
        afterTokens,
        keepLast,
        ...rest,
      }),
    )
    .optional(),
};

/** Converts the written keys. */
export function parseConversation({
  max_context_messages: maxMessages,
  summary,
}: {
  readonly max_context_messages: number;
  readonly summary?: SummaryConfig | undefined;
}): ConversationConfig {
  return { maxMessages, ...(summary && { summary }) };
}

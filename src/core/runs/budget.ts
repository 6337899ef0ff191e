// Computes the limits and the usage of a run: tokens, tool calls, money. Pure.

import type { Spent, Usage } from "../events/events.ts";
import { isObject, joinText, type Message } from "../messages.ts";
import type { Prices } from "../models/capabilities.ts";
import type { RunLimits } from "../requests.ts";
import type { RunState } from "./RunState.ts";

const A_PRICED_UNIT = 1_000_000;

/** Cost of an answer. Cached prompt tokens cost `cachedInput`, if the profile has that price. */
export function computeCost({ promptTokens, completionTokens, details }: Usage, prices: Prices): number {
  const { input, output, cachedInput = input } = prices;
  const ofPrompt = details?.prompt_tokens_details;
  const reportedTokens = isObject(ofPrompt) ? ofPrompt.cached_tokens : undefined;
  const cached = typeof reportedTokens === "number" ? Math.min(Math.max(0, reportedTokens), promptTokens) : 0;
  return ((promptTokens - cached) * input + cached * cachedInput + completionTokens * output) / A_PRICED_UNIT;
}

export function computeSpent({ tokens, executed, nestedCalls = 0, money }: RunState): Spent {
  return { tokens, calls: executed.length + nestedCalls, ...(money !== undefined && { money }) };
}

/** Adds the usage of a nested run or a summary to the run. */
export function withSpent<State extends Pick<RunState, "tokens" | "nestedCalls" | "money">>(
  state: State,
  { tokens, calls, money }: Spent,
): State {
  return {
    ...state,
    tokens: state.tokens + tokens,
    ...(calls > 0 && { nestedCalls: (state.nestedCalls ?? 0) + calls }),
    ...(money !== undefined && { money: (state.money ?? 0) + money }),
  };
}

/** The remaining limits at this time (epoch milliseconds), for a nested run. Only limits of the run itself are included. */
export function computeRemaining(state: RunState, now: number): Partial<RunLimits> {
  const { totalTokens, maxCalls, maxMoney, deadline } = state;
  const { tokens, calls, money = 0 } = computeSpent(state);
  return {
    ...(totalTokens !== undefined && { totalTokens: Math.max(0, totalTokens - tokens) }),
    ...(maxCalls !== undefined && { maxCalls: Math.max(0, maxCalls - calls) }),
    ...(maxMoney !== undefined && { maxMoney: Math.max(0, maxMoney - money) }),
    ...(deadline !== undefined && { timeoutMs: Math.max(0, deadline - now) }),
  };
}

/** Returns true if a limit is used up after adding `further`. A run without gateway tools has no such limits. */
export function isUsedUp(state: RunState, further: Spent = NOTHING): boolean {
  const { totalTokens = 0, maxCalls = 0, maxMoney = Number.POSITIVE_INFINITY } = state;
  const { tokens, calls, money = 0 } = computeSpent(state);
  return (
    tokens + further.tokens >= totalTokens ||
    calls + further.calls >= maxCalls ||
    money + (further.money ?? 0) >= maxMoney
  );
}

const NOTHING: Spent = { tokens: 0, calls: 0 };

/** The lower value of each limit. */
export function takeStricter<Limits extends Partial<RunLimits>>(
  limits: Limits,
  requestedLimits: Partial<RunLimits> = {},
): Limits {
  const stricter = Object.entries(requestedLimits).flatMap(([key, value]) => {
    const own = limits[key as keyof RunLimits];
    return value === undefined ? [] : [[key, own === undefined ? value : Math.min(own, value)]];
  });
  return { ...limits, ...Object.fromEntries(stricter) };
}

/** English and code have about four characters per token in current vocabularies; other scripts have fewer. */
export const CHARS_A_TOKEN = 4;

/** Number of characters of a message's text and calls. */
export function countMessageChars({ content, toolCalls = [] }: Message): number {
  return joinText(content).length + toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
}

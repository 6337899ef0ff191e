// What a run may use and what it has used: tokens, tool calls, money. Pure; knows no model, no clock, and stops nothing itself.

import type { Spent, Usage } from "../events/events.ts";
import { isObject, joinText, type Message } from "../messages.ts";
import type { Prices } from "../models/capabilities.ts";
import type { RunLimits } from "../requests.ts";
import type { RunState } from "./RunState.ts";

const A_PRICED_UNIT = 1_000_000;

/** What an answer cost. Tokens of the prompt that the upstream had cached cost `cachedInput`, where the row has that price. */
export function computeCost({ promptTokens, completionTokens, details }: Usage, prices: Prices): number {
  const { input, output, cachedInput = input } = prices;
  const ofPrompt = details?.prompt_tokens_details;
  const said = isObject(ofPrompt) ? ofPrompt.cached_tokens : undefined;
  const cached = typeof said === "number" ? Math.min(Math.max(0, said), promptTokens) : 0;
  return ((promptTokens - cached) * input + cached * cachedInput + completionTokens * output) / A_PRICED_UNIT;
}

export function computeSpent({ tokens, executed, nestedCalls = 0, money }: RunState): Spent {
  return { tokens, calls: executed.length + nestedCalls, ...(money !== undefined && { money }) };
}

/** The run with what something inside it used: a nested run, a summary. */
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

/** What a run still may use, at this time (epoch milliseconds): all that a nested run may. It has no limit that the run itself does not have. */
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

/** Whether one of them is used up once `further` is used too. A run without tools has no such limits. */
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

/** The lesser of each. */
export function takeStricter<Limits extends Partial<RunLimits>>(
  limits: Limits,
  given: Partial<RunLimits> = {},
): Limits {
  const lowered = Object.entries(given).flatMap(([key, value]) => {
    const own = limits[key as keyof RunLimits];
    return value === undefined ? [] : [[key, own === undefined ? value : Math.min(own, value)]];
  });
  return { ...limits, ...Object.fromEntries(lowered) };
}

/** English and code come to about four characters a token in current vocabularies; other scripts to fewer. */
export const CHARS_A_TOKEN = 4;

/** Characters of a message's text and calls. */
export function countMessageChars({ content, toolCalls = [] }: Message): number {
  return joinText(content).length + toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
}

// What a run has used and may still use, as figures alone.
import { describe, expect, it } from "@jest/globals";
import {
  computeCost,
  computeRemaining,
  computeSpent,
  isUsedUp,
  takeStricter,
  withSpent,
} from "../../../../src/core/runs/budget.ts";
import type { RunState } from "../../../../src/core/runs/RunState.ts";
import { chat } from "../../../support/agents/gateway.ts";

const STATE: RunState = {
  id: "r",
  agent: "default",
  interactive: false,
  request: chat(),
  gatewayTools: [],
  maxTurns: 10,
  maxCalls: 4,
  totalTokens: 1_000,
  messages: [],
  turn: 1,
  tokens: 300,
  executed: [],
  sentText: false,
};

describe("the cost of an answer", () => {
  const prices = { input: 2, output: 10 };
  const usage = { promptTokens: 1_000_000, completionTokens: 100_000, totalTokens: 1_100_000 };

  it("is that of a million tokens, of prompt and answer each at its own price", () => {
    expect(computeCost(usage, prices)).toBeCloseTo(3);
  });

  it("counts the cached part of a prompt at its own price, and in full where there is none", () => {
    const cached = { ...usage, details: { prompt_tokens_details: { cached_tokens: 500_000 } } };
    expect(computeCost(cached, { ...prices, cachedInput: 0.2 })).toBeCloseTo(1 + 0.1 + 1);
    expect(computeCost(cached, prices)).toBeCloseTo(3);
  });

  it.each([[2_000_000], [-5], ["all"], [null]])(
    "never falls below nothing for a count of cached tokens that cannot be: %j",
    (cached_tokens) => {
      const lied = { ...usage, details: { prompt_tokens_details: { cached_tokens } } };
      expect(computeCost(lied, { ...prices, cachedInput: 0 })).toBeGreaterThanOrEqual(1);
      expect(computeCost(lied, { ...prices, cachedInput: 0 })).toBeLessThanOrEqual(3);
    },
  );
});

describe("a budget", () => {
  it("has what something inside the run used among what the run used", () => {
    const after = withSpent(STATE, { tokens: 200, calls: 3, money: 0.5 });
    expect(computeSpent(withSpent(after, { tokens: 1, calls: 1, money: 0.25 }))).toEqual({
      tokens: 501,
      calls: 4,
      money: 0.75,
    });
  });

  it("leaves to a run inside it what is left of each kind, and never less than nothing", () => {
    const spent = withSpent({ ...STATE, maxMoney: 1, deadline: 5_000 }, { tokens: 900, calls: 1, money: 0.75 });
    expect(computeRemaining(spent, 3_000)).toEqual({ totalTokens: 0, maxCalls: 3, maxMoney: 0.25, timeoutMs: 2_000 });
  });

  it("is used up by any one kind, and by what the next turn will use", () => {
    expect(isUsedUp(STATE)).toBe(false);
    expect(isUsedUp(STATE, { tokens: 700, calls: 0 })).toBe(true);
    expect(isUsedUp({ ...STATE, nestedCalls: 4 })).toBe(true);
    expect(isUsedUp({ ...STATE, maxMoney: 1, money: 0.6 }, { tokens: 0, calls: 0, money: 0.4 })).toBe(true);
  });

  it("can only be lowered by whoever asks", () => {
    const limits = { maxTurns: 10, timeoutMs: 1_000, maxCalls: 5, totalTokens: 100 };
    expect(takeStricter(limits, { maxTurns: 20, totalTokens: 50, maxMoney: 2 })).toEqual({
      ...limits,
      totalTokens: 50,
      maxMoney: 2,
    });
  });
});

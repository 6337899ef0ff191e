// The section `runs` of postel.yaml, how runs are held, and the `budget` of an agent's. Holds none and counts nothing.
import { z } from "zod";
import type { RunsConfig } from "../core/configuration.ts";
import type { RunLimits } from "../core/requests.ts";
import { decimal, whole } from "./fields.ts";

export function runsSchema() {
  return z
    .strictObject({
      lease_ms: whole("milliseconds", 300, 600_000).default(30_000),
      background_at_once: whole("runs", 1, 10_000).default(16),
    })
    .transform((runs): RunsConfig => ({ leaseMs: runs.lease_ms, backgroundAtOnce: runs.background_at_once }));
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** What is written replaces `limits.run`. */
export function budgetSchema() {
  return z
    .strictObject({
      tokens: whole("tokens", 1, 1_000_000_000).optional(),
      calls: whole("calls", 1, 10_000).optional(),
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

// Converts `reasoning_effort` to Gemini's thinking configuration.
import type { ThinkingConfig, ThinkingLevel } from "@google/genai";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { thinks, thinksByLevel } from "./modelGeneration.ts";
import { createUnsupportedError } from "./unsupported.ts";

type Level = `${ThinkingLevel}`;

/**
 * Level of each effort, and the budget in tokens for models without levels. As Google's own OpenAI endpoint maps them
 * (ai.google.dev/gemini-api/docs/openai, "Thinking"). Efforts above `high` map to the maximum.
 */
const EFFORTS: ReadonlyMap<string, { readonly level: Level; readonly budget: number }> = new Map([
  ["none", { level: "MINIMAL", budget: 0 }],
  ["minimal", { level: "MINIMAL", budget: 1_024 }],
  ["low", { level: "LOW", budget: 1_024 }],
  ["medium", { level: "MEDIUM", budget: 8_192 }],
  ["high", { level: "HIGH", budget: 24_576 }],
  ["xhigh", { level: "HIGH", budget: 24_576 }],
  ["max", { level: "HIGH", budget: 24_576 }],
]);
/** 2.5 Pro always thinks: "Budget 0 is invalid. This model only works in thinking mode." */
const LEAST_OF_PRO = 128;

/**
 * Undefined for a model that does not think. Thoughts are asked for with every effort but `none`: who sets one wants to see it.
 * @throws PostelError `unsupported_parameter` for an effort that there is not.
 */
export function buildThinkingConfig(effort: JsonValue, model: string): JsonObject | undefined {
  const row = EFFORTS.get(String(effort));
  if (!row) {
    const known = [...EFFORTS.keys()].join(", ");
    throw createUnsupportedError(
      "reasoning_effort",
      `knows no \`reasoning_effort\` ${JSON.stringify(effort)}; it is one of ${known}`,
    );
  }
  if (!thinks(model)) return undefined;
  const config = {
    includeThoughts: effort !== "none",
    ...(thinksByLevel(model)
      ? { thinkingLevel: clampLevel(row.level, model) }
      : { thinkingBudget: clampBudget(row.budget, model) }),
  };
  config satisfies Omit<ThinkingConfig, "thinkingLevel"> & { thinkingLevel?: Level };
  return config;
}

/** Pro models of generation 3 do not think minimally, and the first of them has two levels alone. */
function clampLevel(level: Level, model: string): Level {
  if (!/-pro\b/i.test(model)) return level;
  if (level === "MINIMAL") return "LOW";
  return level === "MEDIUM" && /gemini-3-pro/i.test(model) ? "HIGH" : level;
}

function clampBudget(budget: number, model: string): number {
  return /-pro\b/i.test(model) ? Math.max(budget, LEAST_OF_PRO) : budget;
}

// Differences of older models of the Messages API. An unknown name counts as a current model.

/** Models before 4.6 take a token budget for thinking, later ones an effort level. Each refuses the other form (docs: adaptive thinking). */
const BY_BUDGET = /claude-(3[-.]7|(opus|sonnet|haiku)-4[-.](0|1|5|20\d{6})(?!\d)|(opus|sonnet)-4(?![-.\d]))/;
const NEVER = /claude-(2|instant|3[-.]5|3-(opus|sonnet|haiku))/;

export function thinksBy(model: string): "effort" | "budget" | "never" {
  if (NEVER.test(model)) return "never";
  return BY_BUDGET.test(model) ? "budget" : "effort";
}

/** Maximum output tokens (docs: models overview): before 3.5, of 3.5, and the minimum since, which is that of Opus 4 and 4.1. */
const LONGEST = [
  [/claude-(2|instant|3-(opus|sonnet|haiku))/, 4_096],
  [/claude-3[-.]5/, 8_192],
] as const;
const LONGEST_SINCE = 32_000;

/** Tokens that every answer of the model may have. */
export function getMaxOutputTokens(model: string): number {
  return LONGEST.find(([names]) => names.test(model))?.[1] ?? LONGEST_SINCE;
}

// What a person is told of an end that the answer does not show. Words alone.
import type { RunOutcome } from "../core/outcomes.ts";

export const HOW_IT_ENDED: Readonly<Partial<Record<RunOutcome, string>>> = {
  "no-answer": "no answer: the model ended its turn without a word",
  "max-turns": "stopped: all turns that it may take are taken (`max_turns`)",
  timeout: "stopped: its time is up (`timeout_ms`)",
  repeats: "stopped: the model only did again what it had done",
  budget: "stopped: the calls or tokens that it may use are used up (`limits.run`)",
};

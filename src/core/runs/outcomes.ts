// How a run may end: one table for its answer, for the workflow that it was, and for the shell. Knows no run.

interface Ending {
  /** One of `FINISH_REASONS`; absent: its last turn's own. */
  readonly finishReason?: "length" | "tool_calls";
  /** What a workflow says went wrong; absent where nothing did. */
  readonly error?: string;
  /** Of `postel run`; 124 and 130 are what a shell has for a timeout and for an interruption. */
  readonly exitCode: number;
}

/**
 * `no-answer`: its model was done, and its last turn had neither a call nor a word; `awaiting-human`: it goes on once a person has
 * decided; `repeats`: its model only did again what it had done; `budget`: it used up its calls or its tokens; `rejected`: a person's no
 * ended it; `failed`: its failure says why.
 */
export const OUTCOMES = {
  answered: { exitCode: 0 },
  failed: { error: "failed", exitCode: 1 },
  "no-answer": { error: "no_answer", exitCode: 3 },
  "max-turns": { finishReason: "length", error: "max_iterations_reached", exitCode: 4 },
  repeats: { finishReason: "length", error: "repeated_calls", exitCode: 5 },
  budget: { finishReason: "length", error: "budget_exceeded", exitCode: 6 },
  rejected: { error: "rejected", exitCode: 7 },
  "handed-over": { finishReason: "tool_calls", error: "handed_over", exitCode: 8 },
  "awaiting-human": { finishReason: "tool_calls", exitCode: 9 },
  timeout: { finishReason: "length", error: "timeout", exitCode: 124 },
  cancelled: { error: "cancelled", exitCode: 130 },
} as const satisfies Record<string, Ending>;

export type RunOutcome = keyof typeof OUTCOMES;

/** Those by which a limit of the run's ends it. */
export type RunStop = Extract<RunOutcome, "max-turns" | "timeout" | "repeats" | "budget">;

/** The row of an outcome, as any row is read. */
export function getOutcomeInfo(outcome: RunOutcome): Ending {
  return OUTCOMES[outcome];
}

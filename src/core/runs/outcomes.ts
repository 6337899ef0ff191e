// The outcomes of a run: finish reason, workflow error and exit code of each.

interface Ending {
  /** One of `FINISH_REASONS`; absent: that of its last turn. */
  readonly finishReason?: "length" | "tool_calls";
  /** Error code for a workflow; absent if there is no error. */
  readonly error?: string;
  /** Exit code of `postel run`; 124 and 130 are the shell's codes for timeout and interruption. */
  readonly exitCode: number;
}

/**
 * `no-answer`: the last turn had neither a call nor text; `awaiting-human`: the run continues after a decision;
 * `repeats`: the model only repeated its calls; `budget`: calls, tokens or money are used up; `rejected`: a rejection
 * ended the run; `failed`: see its failure.
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

/** Outcomes caused by a limit of the run. */
export type RunStop = Extract<RunOutcome, "max-turns" | "timeout" | "repeats" | "budget">;

/** The entry of an outcome. */
export function getOutcomeInfo(outcome: RunOutcome): Ending {
  return OUTCOMES[outcome];
}

// Defines the statistics of tool calls.

/** `failed`: the tool reported an error, or refused the arguments; `cancelled`: its run ended first. */
export type ToolCallOutcome = "ok" | "failed" | "timeout" | "cancelled";

/** One executed call of a tool. */
export interface MeasuredCall {
  /** The gateway's name of the tool, not the agent's. */
  readonly tool: string;
  readonly outcome: ToolCallOutcome;
  readonly ms: number;
  /** Number of characters of the result that the model reads. */
  readonly chars: number;
}

/** Sums over the calls of one tool with one outcome. */
export interface ToolCount extends MeasuredCall {
  readonly calls: number;
}

export interface ToolStatisticsStore {
  /** Adds to the counts; all or nothing. */
  add(counts: readonly ToolCount[]): Promise<void>;
  /** All counts, by tool and outcome. */
  list(): Promise<readonly ToolCount[]>;
}

// What calls of tools came to, in numbers. Knows no arguments, no results and no owner.

/** `failed`: the tool said so, or would not take the arguments; `cancelled`: its run ended first. */
export type ToolCallOutcome = "ok" | "failed" | "timeout" | "cancelled";

/** One call of a tool that was run. */
export interface MeasuredCall {
  /** As the gateway has it, whatever an agent calls it. */
  readonly tool: string;
  readonly outcome: ToolCallOutcome;
  readonly ms: number;
  /** Of the result, as the model reads it. */
  readonly chars: number;
}

/** The calls of one tool that had one outcome: sums. */
export interface ToolCount extends MeasuredCall {
  readonly calls: number;
}

export interface ToolStatisticsStore {
  /** Adds to what is counted, all or nothing. */
  add(counts: readonly ToolCount[]): Promise<void>;
  /** By tool and outcome. */
  list(): Promise<readonly ToolCount[]>;
}

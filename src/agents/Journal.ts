// Where a run writes down what it is about to do and what came of it. Knows no store: whoever keeps runs writes it for them.
import type { Interrupt } from "../core/interrupts.ts";
import type { RunState, ToolResult } from "../core/run.ts";

export interface Journal {
  /**
   * The calls of these ids are about to run. They run only where this resolves: a run that went on from an older state would run them
   * again.
   * @throws PostelError `run_not_saved`, or `run_taken` where another process goes on with the run.
   */
  begin(state: RunState, calls: readonly string[]): Promise<void>;
  /** One of them has its result. Never rejects: that it was begun is written, and nothing is done twice from that. */
  settled(state: RunState, result: ToolResult): Promise<void>;
  /**
   * The run waits for a person, with all that its turn has brought so far. Nobody is asked before this resolves.
   * @throws PostelError as `begin` does.
   */
  waits(state: RunState, interrupts: readonly Interrupt[]): Promise<void>;
  /** The calls of a turn have all their results. Never rejects. */
  turned(state: RunState): Promise<void>;
}

/** Of a run that is kept nowhere: it ends with its process. */
export const NO_JOURNAL: Journal = {
  begin: async () => undefined,
  settled: async () => undefined,
  waits: async () => undefined,
  turned: async () => undefined,
};

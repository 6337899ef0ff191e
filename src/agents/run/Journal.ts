// Where a run writes down what it is about to do and what came of it. Knows no store: whoever keeps runs writes it for them.
import type { Decision, Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState, ToolResult } from "../../core/runs/RunState.ts";
import type { JournaledCall } from "../../core/stores.ts";

export interface Journal {
  /**
   * The calls of these ids are about to run. They run only where this resolves: a run that went on from an older state would run them
   * again. `carried` are the calls of the same turn that began before and do not run now: they are written again with the new state,
   * so that no crash makes the gateway forget them.
   * @throws PostelError `run_not_saved`, or `run_taken` where another process goes on with the run.
   */
  begin(state: RunState, calls: readonly string[], carried: readonly JournaledCall[]): Promise<void>;
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

/** What a run has beside its state where it goes on. */
export interface RunContinuation {
  readonly journal: Journal;
  /** What was decided of the interrupts that the state waits for, by their ids; of one that is not there nobody decided in time. */
  readonly decisions?: ReadonlyMap<string, Decision> | undefined;
  /** The calls that were begun after the state was saved. */
  readonly begun?: readonly JournaledCall[] | undefined;
}

/** Of a run that is kept nowhere: it ends with its process. */
export const NO_JOURNAL: Journal = {
  begin: async () => undefined,
  settled: async () => undefined,
  waits: async () => undefined,
  turned: async () => undefined,
};

// Interface with which a run records what it is about to do and the results.
import type { Decision, Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState, ToolResult } from "../../core/runs/RunState.ts";
import type { JournaledCall } from "../../core/stores/RunStore.ts";

export interface Journal {
  /**
   * Records that these calls are about to run. They run only if this resolves, because a run that resumes from an older
   * state would run them again. `carried` are calls of the same turn that began before and do not run now. They are
   * recorded again with the new state, so that no crash loses them.
   * @throws PostelError `run_not_saved`, or `run_taken` if another process has taken over the run.
   */
  begin(state: RunState, calls: readonly string[], carried: readonly JournaledCall[]): Promise<void>;
  /** Records the result of a call. Never rejects: the recorded beginning is enough to prevent a second execution. */
  recordResult(state: RunState, result: ToolResult): Promise<void>;
  /**
   * Records that the run waits for an approver, with the state of its turn. No one is asked before this resolves.
   * @throws PostelError as `begin` does.
   */
  recordWaiting(state: RunState, interrupts: readonly Interrupt[]): Promise<void>;
  /** Records that all calls of a turn have results. Never rejects. */
  recordTurn(state: RunState): Promise<void>;
}

/** Input of a resumed run besides its state. */
export interface RunContinuation {
  readonly journal: Journal;
  /** Decisions by the ids of the interrupts that the state waits for. An interrupt that is missing has expired. */
  readonly decisions?: ReadonlyMap<string, Decision> | undefined;
  /** Calls that began after the state was stored. */
  readonly begun?: readonly JournaledCall[] | undefined;
}

/** For a run that is not stored: it ends with its process. */
export const NO_JOURNAL: Journal = {
  begin: async () => undefined,
  recordResult: async () => undefined,
  recordWaiting: async () => undefined,
  recordTurn: async () => undefined,
};

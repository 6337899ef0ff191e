// The state of a run that is on its way, shared by what moves it on and what tells of it. Decides nothing.
import type { RunState } from "../../core/runs/RunState.ts";

export class RunStateRef {
  #state: RunState;

  constructor(state: RunState) {
    this.#state = state;
  }

  /** As it is now: a value that does not change. */
  get state(): RunState {
    return this.#state;
  }

  change(part: Partial<RunState>): void {
    this.#state = { ...this.#state, ...part };
  }

  become(state: RunState): void {
    this.#state = state;
  }
}

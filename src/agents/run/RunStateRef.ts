// Mutable reference to the immutable state of an active run.
import type { RunState } from "../../core/runs/RunState.ts";

export class RunStateRef {
  #state: RunState;

  constructor(state: RunState) {
    this.#state = state;
  }

  /** The current state, an immutable value. */
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

// Combines the deadline of a run and the cancellation by its caller in one signal.
import { createFailure } from "../../core/failures.ts";
import type { AlarmClock, Clock } from "../../core/ports.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import { Deadline } from "./Deadline.ts";

export class RunDeadline {
  readonly #caller: AbortSignal;
  readonly #until: number | undefined;
  /** Absent for a run without a deadline. */
  readonly #deadline: Deadline | undefined;

  constructor({ deadline }: Pick<RunState, "deadline">, caller: AbortSignal) {
    this.#caller = caller;
    this.#until = deadline;
    this.#deadline = deadline === undefined ? undefined : new Deadline(caller);
  }

  /** Aborted if the caller disconnects or the run's time is up. */
  get signal(): AbortSignal {
    return this.#deadline?.signal ?? this.#caller;
  }

  /** True once the caller has disconnected or cancelled the run. */
  get cancelled(): boolean {
    return this.#caller.aborted;
  }

  /** True once the run's time was up. */
  get overdue(): boolean {
    return this.#deadline?.passed ?? false;
  }

  start(clock: Pick<AlarmClock, "now" | "after">): void {
    if (this.#until !== undefined) this.#deadline?.start(this.#until - clock.now(), clock, RUN_TOO_LONG);
  }

  /** Ends the run and clears the timer. */
  end(): void {
    this.#deadline?.end();
  }
}

/** Sets a new deadline for a run that waited, from the time that it had left. Returns other runs unchanged. */
export function resumeDeadline(state: RunState, clock: Pick<Clock, "now">): RunState {
  const { leftMs, ...rest } = state;
  return leftMs === undefined ? state : { ...rest, deadline: clock.now() + leftMs };
}

const RUN_TOO_LONG = createFailure("turn_timeout", "The run's time is up.");

// The time that a run has, and whether its caller is still there: one signal for both. Knows not what the run does.
import { createFailure } from "../../core/failures.ts";
import type { AlarmClock, Clock } from "../../core/ports.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import { Deadline } from "./Deadline.ts";

export class RunDeadline {
  readonly #caller: AbortSignal;
  readonly #until: number | undefined;
  /** A run that may take as long as its upstreams do has none. */
  readonly #deadline: Deadline | undefined;

  constructor({ deadline }: Pick<RunState, "deadline">, caller: AbortSignal) {
    this.#caller = caller;
    this.#until = deadline;
    this.#deadline = deadline === undefined ? undefined : new Deadline(caller);
  }

  /** Aborted where the caller leaves or the run's time is up. */
  get signal(): AbortSignal {
    return this.#deadline?.signal ?? this.#caller;
  }

  /** True once the caller has left, or has cancelled the run. */
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

  /** The run is over; leaves no timer behind. */
  end(): void {
    this.#deadline?.end();
  }
}

/** A run that waited has the time that it had left; any other is as it was. */
export function resumeDeadline(state: RunState, clock: Pick<Clock, "now">): RunState {
  const { leftMs, ...rest } = state;
  return leftMs === undefined ? state : { ...rest, deadline: clock.now() + leftMs };
}

const RUN_TOO_LONG = createFailure("turn_timeout", "The run's time is up.");

// A time limit as an abort signal.
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import type { AlarmClock } from "../../core/ports.ts";

export class Deadline {
  /** Aborted with the outer signal, with the failure given to `start` when the time is up, or at the end. */
  readonly signal: AbortSignal;
  readonly #expired = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onAbort = (): void => {
    this.#callOff?.();
    this.#expired.abort(this.#outer.reason);
  };
  #callOff: (() => void) | undefined;
  #passed = false;

  constructor(outer: AbortSignal) {
    this.signal = this.#expired.signal;
    this.#outer = outer;
    // Not `AbortSignal.any`, which costs more than the rest of a short answer.
    if (outer.aborted) this.#onAbort();
    else outer.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** True if the time was up before the end. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Starts the limit of `ms` milliseconds; zero or less expires at once. Without a start there is no limit. */
  start(ms: number, clock: Pick<AlarmClock, "after">, timeoutFailure: Failure): void {
    const expire = (): void => {
      this.#passed = true;
      this.#expired.abort(new PostelError(timeoutFailure));
    };
    if (ms <= 0) expire();
    else if (!this.signal.aborted) this.#callOff = clock.after(ms, expire);
  }

  /** Stops the limit and clears its timer. */
  stop(): void {
    this.#callOff?.();
    this.#outer.removeEventListener("abort", this.#onAbort);
  }

  /** Stops the limit and aborts the signal. */
  end(): void {
    this.stop();
    this.#expired.abort(OVER);
  }
}

const OVER = new PostelError(createFailure("cancelled", "What the time was for is over."));

/** Failure of an answer that took longer than `timeouts.answer_ms`. */
export function answerTooLong(ms: number): Failure {
  const message = `The answer was not complete within ${ms} ms, retries and all. If it is only long, raise \`timeouts.answer_ms\`.`;
  return createFailure("upstream_timeout", message, { phase: "answer" });
}

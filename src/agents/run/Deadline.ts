// The time that something may take, as a signal. Knows not what it is that takes it.
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import type { AlarmClock } from "../../core/ports.ts";

export class Deadline {
  /** Aborted where the outer one is, with the failure of `start` when the time is up, or at the end. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #outer: AbortSignal;
  readonly #follow = (): void => {
    this.#callOff?.();
    this.#over.abort(this.#outer.reason);
  };
  #callOff: (() => void) | undefined;
  #passed = false;

  constructor(outer: AbortSignal) {
    this.signal = this.#over.signal;
    this.#outer = outer;
    // By hand: `AbortSignal.any` costs more than all else that a short answer costs here.
    if (outer.aborted) this.#follow();
    else outer.addEventListener("abort", this.#follow, { once: true });
  }

  /** True once the time was up before the end. */
  get passed(): boolean {
    return this.#passed;
  }

  /** The time begins: `ms` milliseconds, which are up at once where none are left. Where it is never begun there is as much of it as is wanted. */
  start(ms: number, clock: Pick<AlarmClock, "after">, late: Failure): void {
    const expire = (): void => {
      this.#passed = true;
      this.#over.abort(new PostelError(late));
    };
    if (ms <= 0) expire();
    else if (!this.signal.aborted) this.#callOff = clock.after(ms, expire);
  }

  /** Nothing is left that it could end; leaves no timer behind. */
  stop(): void {
    this.#callOff?.();
    this.#outer.removeEventListener("abort", this.#follow);
  }

  /** It is over, and so is all that is left of what took the time. */
  end(): void {
    this.stop();
    this.#over.abort(OVER);
  }
}

const OVER = new PostelError(createFailure("cancelled", "What the time was for is over."));

/** Of an answer for which `timeouts.answer_ms` are over. */
export function answerTooLong(ms: number): Failure {
  const message = `The answer was not complete within ${ms} ms, retries and all. If it is only long, raise \`timeouts.answer_ms\`.`;
  return createFailure("upstream_timeout", message, { phase: "answer" });
}

// The time that one turn's answer may take, with all that is tried for it. Knows no attempt.
import { failure, PostelError } from "../core/failures.ts";
import type { Clock } from "../core/ports.ts";

export interface AnswerDeadlineOptions {
  /** Milliseconds. */
  readonly answerMs: number;
  readonly clock: Pick<Clock, "sleep">;
}

export class AnswerDeadline {
  /** Aborted where the outer one is, or with `upstream_timeout` when the time is up. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();

  constructor(outer: AbortSignal, { answerMs, clock }: AnswerDeadlineOptions) {
    this.signal = AbortSignal.any([outer, this.#over.signal]);
    const expire = (): void => {
      const message = `The answer was not complete within ${answerMs} ms, retries and all. If it is only long, raise \`timeouts.answer_ms\`.`;
      this.#over.abort(new PostelError(failure("upstream_timeout", message, { phase: "answer" })));
    };
    // A sleep that is cut short rejects: then the turn is over anyway.
    clock.sleep(answerMs, this.signal).then(expire, () => undefined);
  }

  /** The turn is over; leaves no timer behind. */
  end(): void {
    this.#over.abort();
  }
}

// Tracks pending calls of a server: their timeouts, and which call a question belongs to. Sends nothing.
import { AsyncLocalStorage } from "node:async_hooks";
import type { JsonObject } from "../../core/messages.ts";
import { type Elicitation, type ElicitationAnswer, readElicitation, UNANSWERED } from "./elicitation.ts";

export interface CallTimes {
  /** Aborted when the run ends or the call times out. */
  readonly signal: AbortSignal;
  /** Milliseconds until a result or progress; the timer pauses while the user is asked. */
  readonly timeoutMs: number;
  readonly elicit: (asked: Elicitation) => Promise<ElicitationAnswer>;
}

/** One call while its request is open. */
export interface OpenCall {
  readonly signal: AbortSignal;
  /** Called on progress of the server. */
  keepAlive(): void;
}

export class PendingCalls {
  readonly #onDropped: (what: string) => void;
  readonly #open = new Set<UnderWay>();
  /** Code that runs within the request of a call, as for answers over HTTP, can find its call here. */
  readonly #ofRequest = new AsyncLocalStorage<UnderWay>();

  constructor(onDropped: (what: string) => void) {
    this.#onDropped = onDropped;
  }

  async during<Result>(times: CallTimes, send: (open: OpenCall) => Promise<Result>): Promise<Result> {
    const underWay = new UnderWay(times);
    this.#open.add(underWay);
    try {
      return await this.#ofRequest.run(underWay, () => send(underWay));
    } finally {
      this.#open.delete(underWay);
      underWay.end();
    }
  }

  /**
   * The user's answer to a form. Over standard streams no field names the call of a question, so it is accepted only if
   * exactly one call is pending.
   */
  async elicited(params: JsonObject): Promise<ElicitationAnswer> {
    const [only, ...others] = this.#open;
    const call = this.#ofRequest.getStore() ?? (others.length === 0 ? only : undefined);
    const elicitation = readElicitation(params);
    if (call && elicitation) return call.elicit(elicitation);
    this.#onDropped(
      elicitation ? "a question that may be of any of several calls, or of none" : "a question that cannot be shown",
    );
    return UNANSWERED;
  }
}

class UnderWay implements OpenCall {
  readonly signal: AbortSignal;
  readonly #times: CallTimes;
  readonly #silent = new AbortController();
  /** Number of questions without an answer. */
  #questions = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(times: CallTimes) {
    this.#times = times;
    this.signal = AbortSignal.any([times.signal, this.#silent.signal]);
    this.keepAlive();
  }

  keepAlive(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || this.#questions > 0) return;
    this.#timer = setTimeout(() => this.#silent.abort(new Error("nothing was said.")), this.#times.timeoutMs);
  }

  async elicit(elicitation: Elicitation): Promise<ElicitationAnswer> {
    this.#questions += 1;
    this.keepAlive();
    try {
      return await this.#times.elicit(elicitation);
    } finally {
      this.#questions -= 1;
      this.keepAlive();
    }
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

// The calls that a server is answering: how long it may be silent about each, and whose a question is that it asks meanwhile. Sends nothing.
import { AsyncLocalStorage } from "node:async_hooks";
import type { JsonObject } from "../../core/messages.ts";
import { type Elicitation, type ElicitationAnswer, readElicitation, UNANSWERED } from "./elicitation.ts";

export interface CallTimes {
  /** Aborted when the run ends or the call's time is up. */
  readonly signal: AbortSignal;
  /** Milliseconds until there is a result or a word of progress; while a person is asked they stand still. */
  readonly timeoutMs: number;
  readonly elicit: (asked: Elicitation) => Promise<ElicitationAnswer>;
}

/** One call while its request is open. */
export interface OpenCall {
  readonly signal: AbortSignal;
  /** The server has said a word of it. */
  heard(): void;
}

export class PendingCalls {
  readonly #onDropped: (what: string) => void;
  readonly #open = new Set<UnderWay>();
  /** What is read within the request of a call, as answers over HTTP are, knows its call. */
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

  /** What a person says to a form. Over standard streams nothing says of which call a question is: it counts where there is one alone. */
  async elicited(params: JsonObject): Promise<ElicitationAnswer> {
    const [only, ...others] = this.#open;
    const call = this.#ofRequest.getStore() ?? (others.length === 0 ? only : undefined);
    const asked = readElicitation(params);
    if (call && asked) return call.elicit(asked);
    this.#onDropped(
      asked ? "a question that may be of any of several calls, or of none" : "a question that cannot be shown",
    );
    return UNANSWERED;
  }
}

class UnderWay implements OpenCall {
  readonly signal: AbortSignal;
  readonly #times: CallTimes;
  readonly #silent = new AbortController();
  /** Questions that a person has not answered. */
  #questions = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(times: CallTimes) {
    this.#times = times;
    this.signal = AbortSignal.any([times.signal, this.#silent.signal]);
    this.heard();
  }

  heard(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || this.#questions > 0) return;
    this.#timer = setTimeout(() => this.#silent.abort(new Error("nothing was said.")), this.#times.timeoutMs);
  }

  async elicit(asked: Elicitation): Promise<ElicitationAnswer> {
    this.#questions += 1;
    this.heard();
    try {
      return await this.#times.elicit(asked);
    } finally {
      this.#questions -= 1;
      this.heard();
    }
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

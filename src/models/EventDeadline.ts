// Watches one exchange for silence and for its caller's leaving. Knows nothing of what the bytes mean.
import { failure, PostelError } from "../core/failures.ts";

/**
 * Aborts an exchange with a named reason: the caller's, or `upstream_timeout` after a silence. It runs on the process's
 * own timers, not on the `Clock` port: a replay's clock does not wait, and a watchdog must never be faster than the data.
 */
export class EventDeadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #onCallerAbort: () => void;
  #timer: NodeJS.Timeout | undefined;
  #wait: { readonly ms: number; readonly what: string; left: number; since: number } | undefined;
  #rejectRead: ((reason: unknown) => void) | undefined;

  constructor(caller: AbortSignal) {
    this.#caller = caller;
    this.#onCallerAbort = () => this.#abort(callerReason(caller));
    if (caller.aborted) this.#onCallerAbort();
    else caller.addEventListener("abort", this.#onCallerAbort, { once: true });
  }

  /** Aborted by the caller or by silence; the reason is always a `PostelError`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The error that ended the exchange, if it was this deadline that did. */
  get reason(): PostelError | undefined {
    const { aborted, reason } = this.#controller.signal;
    return aborted && reason instanceof PostelError ? reason : undefined;
  }

  /** Starts or restarts the timer; `what` completes the sentence "The upstream sent no … within n ms." */
  start(ms: number, what: string): void {
    this.stop();
    this.#wait = { ms, what, left: ms, since: 0 };
    this.resume();
  }

  /** Stops the timer for as long as nobody asks: a reader that does not ask is not waited for. */
  pause(): void {
    if (this.#timer === undefined || !this.#wait) return;
    this.#wait.left -= performance.now() - this.#wait.since;
    this.#clear();
  }

  /** The time that is left runs on. */
  resume(): void {
    const wait = this.#wait;
    if (!wait || this.#timer !== undefined) return;
    wait.since = performance.now();
    this.#timer = setTimeout(() => this.#expire(wait), Math.max(0, wait.left));
  }

  /** Stops the timer for good. */
  stop(): void {
    this.#clear();
    this.#wait = undefined;
  }

  /** The next item, or a rejection as soon as the deadline aborts, whatever the iterator does then. */
  next<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
    return new Promise((resolve, reject) => {
      if (this.reason) {
        reject(this.reason);
        return;
      }
      this.#rejectRead = reject;
      iterator.next().then(resolve, reject);
    });
  }

  /** Leaves no timer and no listener behind. */
  dispose(): void {
    this.stop();
    this.#caller.removeEventListener("abort", this.#onCallerAbort);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #expire({ ms, what }: { readonly ms: number; readonly what: string }): void {
    const message = `The upstream sent no ${what} within ${ms} ms. If it is only slow, raise its timeout in the configuration.`;
    this.#abort(new PostelError(failure("upstream_timeout", message)));
  }

  #abort(reason: PostelError): void {
    this.stop();
    this.#controller.abort(reason);
    this.#rejectRead?.(reason);
  }
}

function callerReason(caller: AbortSignal): PostelError {
  if (caller.reason instanceof PostelError) return caller.reason;
  return new PostelError(failure("cancelled", "The caller left before the model's answer was complete."));
}

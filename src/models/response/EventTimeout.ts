// Aborts an exchange when the upstream is silent too long or the caller leaves.
import { createFailure, PostelError } from "../../core/failures.ts";

/** State of a wait for data: `left` milliseconds while the reader is paused, until `due` on the process's clock while it waits. */
interface Wait {
  readonly durationMs: number;
  readonly what: string;
  remainingMs: number;
  dueAt: number | undefined;
}

/**
 * Aborts an exchange with a named reason: the caller's, or `upstream_timeout` after silence. It runs on the process's
 * own timers, not on the `Clock` port: a replay's clock does not wait, and a watchdog must never be faster than the data.
 * A set timer stays set through pauses and restarts, and checks on expiry whether it is due, so that a progressing answer
 * costs no timer for each read.
 */
export class EventTimeout {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #onCallerAbort = (): void => this.#abort(toAbortReason(this.#caller));
  #timer: NodeJS.Timeout | undefined;
  /** When the timer goes off. */
  #rings = 0;
  #wait: Wait | undefined;
  #rejectRead: ((reason: unknown) => void) | undefined;

  constructor(caller: AbortSignal) {
    this.#caller = caller;
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
  start(ms: number, problem: string): void {
    this.#wait = { durationMs: ms, what: problem, remainingMs: ms, dueAt: undefined };
    this.resume();
  }

  /** Restarts the full wait: a part of the expected data arrived. */
  restart(): void {
    const timer = this.#wait;
    if (!timer) return;
    timer.remainingMs = timer.durationMs;
    if (timer.dueAt !== undefined) timer.dueAt = performance.now() + timer.durationMs;
  }

  /** Stops the timer while the consumer does not read. */
  pause(): void {
    const timer = this.#wait;
    if (timer?.dueAt === undefined) return;
    timer.remainingMs = timer.dueAt - performance.now();
    timer.dueAt = undefined;
  }

  /** Continues the rest of the wait. */
  resume(): void {
    const timer = this.#wait;
    if (!timer || timer.dueAt !== undefined) return;
    const remainingMs = Math.max(0, timer.remainingMs);
    timer.dueAt = performance.now() + remainingMs;
    if (this.#timer === undefined || this.#rings > timer.dueAt) this.#ring(timer.dueAt, remainingMs);
  }

  /** Stops the timer for good. */
  stop(): void {
    this.#clear();
    this.#wait = undefined;
  }

  /** Returns the next item, or rejects as soon as the deadline aborts, whatever the iterator does then. */
  next<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
    return this.read(iterator, (item) => item);
  }

  /** Returns the result of `made` for the next item, without an extra promise; else like `next`. */
  read<T, Made>(iterator: AsyncIterator<T>, mapAnswer: (item: IteratorResult<T>) => Made): Promise<Made> {
    return new Promise((resolve, reject) => {
      if (this.reason) {
        reject(this.reason);
        return;
      }
      this.#rejectRead = reject;
      iterator.next().then((item) => {
        try {
          resolve(mapAnswer(item));
        } catch (error) {
          reject(error);
        }
      }, reject);
    });
  }

  /** Removes timer and listener. */
  dispose(): void {
    this.stop();
    this.#caller.removeEventListener("abort", this.#onCallerAbort);
  }

  #ring(at: number, ms: number): void {
    this.#clear();
    this.#rings = at;
    this.#timer = setTimeout(() => this.#checkExpired(), ms);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #checkExpired(): void {
    this.#timer = undefined;
    const timer = this.#wait;
    if (timer?.dueAt === undefined) return;
    const remainingMs = timer.dueAt - performance.now();
    if (remainingMs > 0) this.#ring(timer.dueAt, remainingMs);
    else this.#expire(timer);
  }

  #expire({ durationMs: ms, what }: Wait): void {
    const message = `The upstream sent no ${what} within ${ms} ms. If it is only slow, raise its timeout in the configuration.`;
    this.#abort(new PostelError(createFailure("upstream_timeout", message)));
  }

  #abort(reason: PostelError): void {
    this.stop();
    this.#controller.abort(reason);
    this.#rejectRead?.(reason);
  }
}

/** Returns the reason of the caller's aborted signal as a PostelError. */
export function toAbortReason(caller: AbortSignal): PostelError {
  if (caller.reason instanceof PostelError) return caller.reason;
  return new PostelError(createFailure("cancelled", "The caller left before the model's answer was complete."));
}

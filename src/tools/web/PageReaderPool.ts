// Extracts pages in worker threads, a few at a time.

import type { ExtractRequest, ExtractResult } from "./extract/WorkerMessages.ts";
import { PageWorker } from "./PageWorker.ts";

/** Number of threads; each uses a processor and tens of megabytes while it works. */
const MOST_THREADS = 2;

export class PageReaderPool {
  readonly #idle: PageWorker[] = [];
  readonly #busy = new Set<PageWorker>();
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;

  /** Waits for a thread, and rejects with an Error with a message for the model. The bytes of the request are transferred. */
  async read(order: ExtractRequest, signal: AbortSignal): Promise<ExtractResult> {
    const thread = await this.#take(signal);
    try {
      return await thread.read(order, signal);
    } finally {
      this.#busy.delete(thread);
      if (!thread.hasEnded) this.#idle.push(thread);
      this.#waiting.shift()?.();
    }
  }

  /** Ends all threads, even busy ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#idle, ...this.#busy].map((thread) => thread.end()));
  }

  async #take(signal: AbortSignal): Promise<PageWorker> {
    while (this.#busy.size >= MOST_THREADS && !this.#isClosed && !signal.aborted) await this.#turn(signal);
    if (this.#isClosed || signal.aborted) throw new Error("the page was not read: its call has ended.");
    const thread = this.#alive() ?? new PageWorker();
    this.#busy.add(thread);
    return thread;
  }

  /** An idle thread may have ended by itself. */
  #alive(): PageWorker | undefined {
    let thread = this.#idle.pop();
    while (thread?.hasEnded) thread = this.#idle.pop();
    return thread;
  }

  /** Resolves when a thread is free. If the caller aborts, its turn passes to the next. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      resolve();
    };
    this.#waiting.push(resolve);
    signal.addEventListener("abort", leave, { once: true });
    await promise;
    signal.removeEventListener("abort", leave);
  }
}

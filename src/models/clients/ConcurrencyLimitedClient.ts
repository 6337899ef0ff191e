// A model client that limits the concurrent requests to its upstream. Further requests wait in a queue.

import type { Semaphore } from "../../core/async/Semaphore.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { ModelEvent } from "../../core/events/events.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { ModelClient, ModelRequest } from "../ModelClient.ts";

export class ConcurrencyLimitedClient implements ModelClient {
  readonly #inner: ModelClient;
  readonly #semaphore: Pick<Semaphore, "tryAcquire" | "acquireInTurn" | "release">;

  constructor(inner: ModelClient, semaphore: Pick<Semaphore, "tryAcquire" | "acquireInTurn" | "release">) {
    this.#inner = inner;
    this.#semaphore = semaphore;
  }

  /** Holds a permit until the answer has been read to its end or left, including waits between retries. */
  async stream(request: ModelRequest, signal: AbortSignal, onEvents: EventSink<ModelEvent>): Promise<void> {
    try {
      signal.throwIfAborted();
      if (this.#semaphore.tryAcquire() === undefined) await this.#semaphore.acquireInTurn(signal);
    } catch (error) {
      await onEvents([{ type: "failed", failure: error instanceof PostelError ? error.failure : CANCELLED }]);
      return;
    }
    try {
      await this.#inner.stream(request, signal, onEvents);
    } finally {
      this.#semaphore.release(1);
    }
  }
}

const CANCELLED = createFailure("cancelled", "The caller left before the upstream had a place for the request.");

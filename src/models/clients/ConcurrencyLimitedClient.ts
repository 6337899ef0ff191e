// A model client that limits the concurrent requests to its upstream. Further requests wait in a queue.

import type { Semaphore } from "../../core/async/Semaphore.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { ModelEvent } from "../../core/events/events.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import {
  completeCall,
  type EventStream,
  type ModelClient,
  type ModelRequest,
  type TextAnswer,
} from "../ModelClient.ts";

export class ConcurrencyLimitedClient implements ModelClient {
  readonly #inner: ModelClient;
  readonly #places: Pick<Semaphore, "tryAcquire" | "acquireInTurn" | "release">;

  constructor(inner: ModelClient, places: Pick<Semaphore, "tryAcquire" | "acquireInTurn" | "release">) {
    this.#inner = inner;
    this.#places = places;
  }

  /** Holds a permit until the answer has been read to its end or left, including waits between retries. */
  async stream(request: ModelRequest, signal: AbortSignal, take: EventSink<ModelEvent>): Promise<void> {
    try {
      signal.throwIfAborted();
      if (this.#places.tryAcquire() === undefined) await this.#places.acquireInTurn(signal);
    } catch (error) {
      await take([{ type: "failed", failure: error instanceof PostelError ? error.failure : CANCELLED }]);
      return;
    }
    try {
      await this.#inner.stream(request, signal, take);
    } finally {
      this.#places.release(1);
    }
  }

  /** A request that must wait, or whose caller has left, uses the stream. */
  async complete(request: ModelRequest, signal: AbortSignal): Promise<TextAnswer | EventStream> {
    if (signal.aborted || this.#places.tryAcquire() === undefined) return (take) => this.stream(request, signal, take);
    const answer = await completeCall(this.#inner, request, signal);
    if (typeof answer !== "function") {
      this.#places.release(1);
      return answer;
    }
    return async (take) => {
      try {
        await answer(take);
      } finally {
        this.#places.release(1);
      }
    };
  }
}

const CANCELLED = createFailure("cancelled", "The caller left before the upstream had a place for the request.");

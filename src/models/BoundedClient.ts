// A model client that asks its upstream so many things at once; further requests wait their turn. Knows no wire.
import type { ModelEvent } from "../core/events.ts";
import { failure, PostelError } from "../core/failures.ts";
import type { Leave, Places } from "../core/Places.ts";
import type { Take } from "../core/take.ts";
import { askWhole, type ModelClient, type ModelRequest, type Telling, type WholeAnswer } from "./ModelClient.ts";

export class BoundedClient implements ModelClient {
  readonly #inner: ModelClient;
  readonly #places: Pick<Places, "take" | "takeFree">;

  constructor(inner: ModelClient, places: Pick<Places, "take" | "takeFree">) {
    this.#inner = inner;
    this.#places = places;
  }

  /** Holds a place until the answer has been read to its end or left, waits between retries included. */
  async stream(request: ModelRequest, signal: AbortSignal, take: Take<ModelEvent>): Promise<void> {
    let leave: Leave;
    try {
      leave = await this.#places.take(signal);
    } catch (error) {
      await take([{ type: "failed", failure: error instanceof PostelError ? error.failure : CANCELLED }]);
      return;
    }
    try {
      await this.#inner.stream(request, signal, take);
    } finally {
      leave();
    }
  }

  async whole(request: ModelRequest, signal: AbortSignal): Promise<WholeAnswer | Telling> {
    const leave = signal.aborted ? undefined : this.#places.takeFree();
    // Whoever has to wait, or has left, is told as ever.
    if (!leave) return (take) => this.stream(request, signal, take);
    const answer = await askWhole(this.#inner, request, signal);
    if (typeof answer !== "function") {
      leave();
      return answer;
    }
    return async (take) => {
      try {
        await answer(take);
      } finally {
        leave();
      }
    };
  }
}

const CANCELLED = failure("cancelled", "The caller left before the upstream had a place for the request.");

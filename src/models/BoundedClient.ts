// A model client that asks its upstream so many things at once; further requests wait their turn. Knows no wire.
import type { ModelEvent } from "../core/events.ts";
import { failure, PostelError } from "../core/failures.ts";
import type { Leave, Places } from "../core/Places.ts";
import type { Take } from "../core/take.ts";
import type { ModelClient, ModelRequest } from "./ModelClient.ts";

export class BoundedClient implements ModelClient {
  readonly #inner: ModelClient;
  readonly #places: Pick<Places, "take">;

  constructor(inner: ModelClient, places: Pick<Places, "take">) {
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
}

const CANCELLED = failure("cancelled", "The caller left before the upstream had a place for the request.");

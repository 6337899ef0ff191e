// Who of those that were let in is served now, and who waits or is sent away. Knows no route and reads no body.
import { getHeapStatistics } from "node:v8";
import { Semaphore } from "../../core/async/Semaphore.ts";
import type { ServerConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { RequestContext } from "./RequestContext.ts";

export const SHUTTING_DOWN = createFailure(
  "shutting_down",
  "The gateway is shutting down; send the request again in a moment.",
);

/** Gives a request its place; a promise only where it has to wait for one. @throws PostelError where it is sent away. */
export type Admission = (exchange: RequestContext) => Promise<void> | undefined;

/**
 * A request holds its place until its answer is over or its client has left. It comes before the body is read, so that a request
 * that waits or is refused costs neither its bytes nor their parsing.
 * @param stopping sends away those who wait; whoever has a place keeps it.
 * @param heapShare how much of its heap the process uses, of 1: near the end everybody is sent away, so that those who are being
 * answered can be.
 */
export function createAdmission(
  { maxInFlight, maxQueued, queueMs }: Pick<ServerConfig, "maxInFlight" | "maxQueued" | "queueMs">,
  stopping: AbortSignal,
  heapShare = usedHeap,
): Admission {
  const keys = "`server.max_in_flight`, `server.max_queued`, `server.queue_ms`";
  const places = new Semaphore({ most: maxInFlight, mostWaiting: maxQueued, waitMs: queueMs, keys });
  stopping.addEventListener("abort", () => places.refuseWaiting(SHUTTING_DOWN), { once: true });
  return (exchange) => {
    if (heapShare() > FULL_HEAP) throw new PostelError(OUT_OF_MEMORY);
    exchange.throwIfGone();
    if (places.takeNow() === undefined) return places.wait(exchange.signal).then(() => exchange.takePlace(places));
    exchange.takePlace(places);
    return undefined;
  };
}

/** Room for the bodies of the requests that have a place. */
export function createBodyByteSemaphore({ maxBufferedBytes, maxInFlight, queueMs }: ServerConfig): Semaphore {
  const keys = "`server.max_buffered_bytes`, `server.queue_ms`";
  return new Semaphore({ most: maxBufferedBytes, mostWaiting: maxInFlight, waitMs: queueMs, keys });
}

/** Beyond it the process would soon be ended by its own collector. */
const FULL_HEAP = 0.9;
const OUT_OF_MEMORY = createFailure(
  "gateway_overloaded",
  "The gateway is short of memory and takes no new work until it has ended some. Send the request again in a moment.",
  { retryAfterMs: 5_000 },
);

/** Milliseconds for which a look at the heap counts. */
const LOOK_MS = 10;
let looked = { at: Number.NEGATIVE_INFINITY, share: 0 };

function usedHeap(): number {
  const now = performance.now();
  if (now - looked.at < LOOK_MS) return looked.share;
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  looked = { at: now, share: used_heap_size / heap_size_limit };
  return looked.share;
}

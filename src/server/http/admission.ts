// Admission control: decides which authenticated requests are served now, wait, or are rejected.
import { getHeapStatistics } from "node:v8";
import { Semaphore } from "../../core/async/Semaphore.ts";
import type { ServerConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { RequestContext } from "./RequestContext.ts";

export const SHUTTING_DOWN = createFailure(
  "shutting_down",
  "The gateway is shutting down; send the request again in a moment.",
);

/** Acquires a permit for a request. @throws PostelError if the request is rejected. */
export type Admission = (exchange: RequestContext) => Promise<void>;

/**
 * A request holds its permit until its answer is complete or its client has disconnected. Admission comes before the body is
 * read, so a request that waits or is rejected costs neither bytes nor parsing. @param stopSignal rejects the requests that
 * wait; those with a permit continue. @param heapShare share of the heap in use, 0 to 1: near 1 every new request is
 * rejected, so that the active ones can finish.
 */
export function createAdmission(
  { maxInFlight, maxQueued, queueMs }: Pick<ServerConfig, "maxInFlight" | "maxQueued" | "queueMs">,
  stopSignal: AbortSignal,
  heapShare = usedHeap,
): Admission {
  const keys = "`server.max_in_flight`, `server.max_queued`, `server.queue_ms`";
  const requestSlots = new Semaphore({ permits: maxInFlight, maxWaiting: maxQueued, waitMs: queueMs, keys });
  stopSignal.addEventListener("abort", () => requestSlots.rejectQueue(SHUTTING_DOWN), { once: true });
  return async (exchange) => {
    if (heapShare() > FULL_HEAP) throw new PostelError(OUT_OF_MEMORY);
    exchange.throwIfGone();
    if (requestSlots.tryAcquire() === undefined) await requestSlots.acquireInTurn(exchange.signal);
    exchange.takePlace(requestSlots);
  };
}

/** Byte permits for the bodies of admitted requests. */
export function createBodyByteSemaphore({ maxBufferedBytes, maxInFlight, queueMs }: ServerConfig): Semaphore {
  const keys = "`server.max_buffered_bytes`, `server.queue_ms`";
  return new Semaphore({ permits: maxBufferedBytes, maxWaiting: maxInFlight, waitMs: queueMs, keys });
}

/** Share of the heap above which V8 would soon end the process. */
const FULL_HEAP = 0.9;
const OUT_OF_MEMORY = createFailure(
  "gateway_overloaded",
  "The gateway is short of memory and takes no new work until it has ended some. Send the request again in a moment.",
  { retryAfterMs: 5_000 },
);

/** Milliseconds for which a heap measurement is reused. */
const LOOK_MS = 10;
let lastSample = { at: Number.NEGATIVE_INFINITY, share: 0 };

function usedHeap(): number {
  const now = performance.now();
  if (now - lastSample.at < LOOK_MS) return lastSample.share;
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  lastSample = { at: now, share: used_heap_size / heap_size_limit };
  return lastSample.share;
}

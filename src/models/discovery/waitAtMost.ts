// Waits for a promise for a limited time. The work continues after that.
import type { Clock } from "../../core/ports.ts";

interface Waiting {
  readonly clock: Pick<Clock, "sleep">;
  /** Ends the wait, not the work. */
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when `settled` does, or after `ms`, or when the signal is aborted. Rejects only if `settled` does. */
export async function waitAtMost(settled: Promise<void>, ms: number, { clock, signal }: Waiting): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  // By hand: `AbortSignal.any` gives the signal of a request another shape (decisions/0104).
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });
  const bound = clock.sleep(ms, over.signal);
  try {
    await Promise.race([settled, bound.catch(() => undefined)]);
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
}

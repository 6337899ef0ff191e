// Waits for a promise for a limited time. The work continues after that.
import type { Clock } from "../../core/ports.ts";

interface Waiting {
  readonly clock: Pick<Clock, "sleep">;
  /** Ends the wait, not the work. */
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when `settled` does, or after `ms`, or when the signal is aborted. Rejects only if `settled` does. */
export async function waitAtMost(promise: Promise<void>, ms: number, { clock, signal }: Waiting): Promise<void> {
  const doneController = new AbortController();
  const end = (): void => doneController.abort();
  // By hand: `AbortSignal.any` gives the signal of a request another shape (decisions/0104).
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });
  const bound = clock.sleep(ms, doneController.signal);
  try {
    await Promise.race([promise, bound.catch(() => undefined)]);
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
}

// Allows one turn of a session at a time, over all processes that share the store.
import { createFailure, PostelError } from "../core/failures.ts";
import type { Clock } from "../core/ports.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { SessionStore } from "../core/stores/SessionStore.ts";

/** Lease of a session in milliseconds, and the time between two renewals. */
const HOLD_MS = 30_000;
const RENEW_MS = 10_000;

export class SessionLock {
  readonly #sessions: Pick<SessionStore, "hold" | "release">;
  readonly #clock: Pick<Clock, "sleep">;

  constructor(sessions: Pick<SessionStore, "hold" | "release">, clock: Pick<Clock, "sleep">) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /**
   * Runs `work` while no other turn can run. Its signal is also aborted if the lease is lost.
   * @throws PostelError `session_busy` if another turn is running.
   */
  async runWithLock<Value>(
    key: OwnerKey,
    { holder, signal }: { readonly holder: string; readonly signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const lockResult = await this.#sessions.hold(key, holder, HOLD_MS);
    if (lockResult !== true) throw new PostelError(createBusyFailure(key.id, lockResult));
    const doneController = new AbortController();
    const lostController = new AbortController();
    const renewing = this.#renew(key, holder, { done: doneController.signal, lost: lostController });
    try {
      return await work(AbortSignal.any([signal, lostController.signal]));
    } finally {
      doneController.abort();
      await renewing;
      // If the release fails, the lease expires.
      await this.#sessions.release(key, holder).catch(() => undefined);
    }
  }

  async #renew(
    key: OwnerKey,
    holder: string,
    { done, lost }: { readonly done: AbortSignal; readonly lost: AbortController },
  ): Promise<void> {
    while (await this.#waitForRenewal(done)) {
      // The store may answer again before the lease ends.
      const lockResult = await this.#sessions.hold(key, holder, HOLD_MS).catch(() => true as const);
      if (lockResult !== true) lost.abort(new PostelError(createBusyFailure(key.id, lockResult)));
    }
  }

  async #waitForRenewal(done: AbortSignal): Promise<boolean> {
    await this.#clock.sleep(RENEW_MS, done).catch(() => undefined);
    return !done.aborted;
  }
}

/** Maximum `retryAfterMs`: most turns take seconds, so waiting for the end of the lease would be too long. */
const MOST_WAIT_MS = 5_000;

function createBusyFailure(session: string, ms: number) {
  return createFailure(
    "session_busy",
    `Another turn of the session \`${session}\` is being taken; send this one again when that has been answered.`,
    { retryAfterMs: Math.min(Math.max(ms, 1_000), MOST_WAIT_MS) },
  );
}

// The lease of one run: renews it until it is released, and reports its loss at once.
import type { Clock } from "../core/ports.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { RunStore } from "../core/stores/RunStore.ts";

export interface LeaseOptions {
  readonly runs: Pick<RunStore, "renew" | "release" | "cancelAsked">;
  readonly key: OwnerKey;
  readonly holder: string;
  /** Duration in milliseconds; renewed after a third of it. */
  readonly ms: number;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** Called when another process may hold the run: nothing of it may be written or done any more. */
  readonly onLost: () => void;
  /** Called when any process was asked to cancel the run. */
  readonly onCancel: () => void;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #endController = new AbortController();

  /** For a run that `holder` has just claimed. */
  constructor(options: LeaseOptions) {
    this.#options = options;
    void this.#renew();
  }

  /** Releases the run. Never rejects: if the release fails, the lease expires. */
  async end(): Promise<void> {
    const { runs, key, holder } = this.#options;
    this.#endController.abort();
    await runs.release(key, holder).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    const { ms, clock, onLost } = this.#options;
    let expiresAt = clock.monotonic() + ms;
    while (await this.#sleep(ms / 3)) {
      const requestedAt = clock.monotonic();
      const isRenewed = await this.#tryRenew();
      if (this.#endController.signal.aborted) return;
      if (isRenewed) expiresAt = requestedAt + ms;
      // If the store does not answer for a moment, the lease is not lost yet.
      if (isRenewed === false || clock.monotonic() >= expiresAt) return onLost();
    }
  }

  /** Resolves with undefined if the store failed. */
  async #tryRenew(): Promise<boolean | undefined> {
    const { runs, key, holder, ms, onCancel } = this.#options;
    try {
      if (!(await runs.renew(key, { holder, ms }))) return false;
      if (await runs.cancelAsked(key)) onCancel();
      return true;
    } catch {
      return undefined;
    }
  }

  /** Returns false once the lease has ended. */
  async #sleep(ms: number): Promise<boolean> {
    try {
      await this.#options.clock.sleep(ms, this.#endController.signal);
      return true;
    } catch {
      return false;
    }
  }
}

// One run that this process holds: renewed in time until it is given back, and known to be lost at once. Knows no state and no event.
import type { Clock } from "../core/ports.ts";
import type { OwnerKey, RunStore } from "../core/stores.ts";

export interface LeaseOptions {
  readonly runs: Pick<RunStore, "renew" | "release" | "cancelAsked">;
  readonly key: OwnerKey;
  readonly holder: string;
  /** Milliseconds that it lasts unless it is renewed, which it is after a third of them. */
  readonly ms: number;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** Another process has the run now, or may have it: nothing of it may be written or done any more. */
  readonly onLost: () => void;
  /** Somebody has asked for the run's end, in whichever process. */
  readonly onCancel: () => void;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #ended = new AbortController();

  /** Of a run that `holder` has claimed just now. */
  constructor(options: LeaseOptions) {
    this.#options = options;
    void this.#renew();
  }

  /** Gives the run back. Never rejects: what cannot be given back ends by itself. */
  async end(): Promise<void> {
    const { runs, key, holder } = this.#options;
    this.#ended.abort();
    await runs.release(key, holder).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    const { ms, clock, onLost } = this.#options;
    let until = clock.monotonic() + ms;
    while (await this.#wait(ms / 3)) {
      const asked = clock.monotonic();
      const kept = await this.#renewed();
      if (this.#ended.signal.aborted) return;
      if (kept) until = asked + ms;
      // A store that does not answer for a moment has taken nothing away yet.
      if (kept === false || clock.monotonic() >= until) return onLost();
    }
  }

  /** Undefined where the store could not tell. */
  async #renewed(): Promise<boolean | undefined> {
    const { runs, key, holder, ms, onCancel } = this.#options;
    try {
      if (!(await runs.renew(key, { holder, ms }))) return false;
      if (await runs.cancelAsked(key)) onCancel();
      return true;
    } catch {
      return undefined;
    }
  }

  /** False once it has ended. */
  async #wait(ms: number): Promise<boolean> {
    try {
      await this.#options.clock.sleep(ms, this.#ended.signal);
      return true;
    } catch {
      return false;
    }
  }
}

// Executes runs without a waiting client, and takes over runs of processes that have ended.
import { createFailure, toFailure } from "../core/failures.ts";
import type { Clock, Observer } from "../core/ports.ts";
import type { InterruptStore } from "../core/stores/InterruptStore.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { RunStore } from "../core/stores/RunStore.ts";
import type { ActiveRuns, ClaimedRun } from "./ActiveRuns.ts";
import type { WebhookSender } from "./WebhookSender.ts";

export interface BackgroundRunsServices {
  readonly runs: RunStore;
  readonly interrupts: Pick<InterruptStore, "expired">;
  readonly activeRuns: ActiveRuns;
  readonly webhooks: Pick<WebhookSender, "send">;
  readonly endRun: (key: OwnerKey) => Promise<boolean>;
  readonly clock: Pick<Clock, "sleep">;
  readonly observer: Observer;
  /** Maximum number of parallel background runs. */
  readonly atOnce: number;
  /** Milliseconds between two searches for abandoned runs. */
  readonly pollMs: number;
}

/** Maximum number of runs per search. */
const A_LOOK = 100;

export class BackgroundRuns {
  readonly #services: BackgroundRunsServices;
  readonly #stopController = new AbortController();
  #runningCount = 0;
  #takingUp: Promise<void> | undefined;
  /** The current search. */
  #polling: Promise<void> | undefined;
  /** True if another search is needed, because something changed meanwhile. */
  #shouldPollAgain = false;

  constructor(services: BackgroundRunsServices) {
    this.#services = services;
  }

  /** True if another run may start. */
  get hasFreeSlot(): boolean {
    return !this.#stopController.signal.aborted && this.#runningCount < this.#services.atOnce;
  }

  /** Executes the run without a client; resolves when it has ended here. Never rejects. */
  async go(further: ClaimedRun): Promise<void> {
    this.#runningCount += 1;
    try {
      await this.#services.activeRuns.execute(further, NEVER, () => undefined);
    } catch (error) {
      this.#logFailure(further.record.id, error);
    } finally {
      this.#runningCount -= 1;
      this.wake();
    }
  }

  /** Starts the periodic search for abandoned runs and for expired interrupts. */
  pollNow(): void {
    this.#takingUp ??= this.#pollUntilStopped();
  }

  /** Searches now. */
  wake(): void {
    if (this.#stopController.signal.aborted) return;
    if (this.#polling) {
      this.#shouldPollAgain = true;
      return;
    }
    this.#polling = this.#poll().finally(() => {
      this.#polling = undefined;
      if (!this.#shouldPollAgain) return;
      this.#shouldPollAgain = false;
      this.wake();
    });
  }

  /** Stops the search, so that no further run starts here. */
  async stop(): Promise<void> {
    this.#shouldPollAgain = false;
    this.#stopController.abort();
    await this.#polling;
  }

  async #pollUntilStopped(): Promise<void> {
    const { clock, pollMs } = this.#services;
    const { signal } = this.#stopController;
    while (!signal.aborted) {
      this.wake();
      void this.#services.webhooks.send(signal);
      await clock.sleep(pollMs, signal).catch(() => undefined);
    }
  }

  async #poll(): Promise<void> {
    const { runs, interrupts } = this.#services;
    try {
      for (const key of await runs.abandoned(A_LOOK)) await this.#runOne(key, () => this.#resumeRun(key));
      for (const key of await interrupts.expired(A_LOOK)) await this.#runOne(key, () => this.#endAbandoned(key));
    } catch (error) {
      this.#logFailure("gateway", error);
    }
  }

  /** An error of one run does not stop the others. */
  async #runOne({ id }: OwnerKey, work: () => Promise<void>): Promise<void> {
    if (this.#stopController.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.#logFailure(id, error);
    }
  }

  async #resumeRun(key: OwnerKey): Promise<void> {
    const { runs, activeRuns } = this.#services;
    const record = await runs.get(key);
    if (record?.background === false) return this.#markStuck(key);
    if (!this.hasFreeSlot) return;
    const further = await activeRuns.claim(key);
    if (further) void this.go(further);
  }

  /** The client got no complete answer, and may resume the run. */
  async #markStuck(key: OwnerKey): Promise<void> {
    const { runs, activeRuns } = this.#services;
    const cause = createFailure(
      "shutting_down",
      "The process that took the run further has ended; resume the run, or cancel it.",
    );
    await activeRuns.runWithLease(key, (holder) =>
      runs.change(key, { record: { status: "stuck", failure: cause } }, holder),
    );
  }

  /** The decision expired, and no client waits for the run. */
  async #endAbandoned(key: OwnerKey): Promise<void> {
    const record = await this.#services.runs.get(key);
    if (record?.background === false) await this.#services.endRun(key);
  }

  #logFailure(run: string, error: unknown): void {
    this.#services.observer.observe({ type: "failure", run, failure: toFailure(error) });
  }
}

const NEVER = new AbortController().signal;

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
  readonly held: ActiveRuns;
  readonly webhooks: Pick<WebhookSender, "send">;
  readonly endRun: (key: OwnerKey) => Promise<boolean>;
  readonly clock: Pick<Clock, "sleep">;
  readonly observer: Observer;
  /** Maximum number of parallel background runs. */
  readonly atOnce: number;
  /** Milliseconds between two searches for abandoned runs. */
  readonly lookMs: number;
}

/** Maximum number of runs per search. */
const A_LOOK = 100;

export class BackgroundRuns {
  readonly #services: BackgroundRunsServices;
  readonly #stopped = new AbortController();
  #going = 0;
  #takingUp: Promise<void> | undefined;
  /** The current search. */
  #looking: Promise<void> | undefined;
  /** True if another search is needed, because something changed meanwhile. */
  #again = false;

  constructor(services: BackgroundRunsServices) {
    this.#services = services;
  }

  /** True if another run may start. */
  get free(): boolean {
    return !this.#stopped.signal.aborted && this.#going < this.#services.atOnce;
  }

  /** Executes the run without a client; resolves when it has ended here. Never rejects. */
  async go(further: ClaimedRun): Promise<void> {
    this.#going += 1;
    try {
      await this.#services.held.go(further, NEVER, () => undefined);
    } catch (error) {
      this.#tell(further.record.id, error);
    } finally {
      this.#going -= 1;
      this.wake();
    }
  }

  /** Starts the periodic search for abandoned runs and for expired interrupts. */
  takeUp(): void {
    this.#takingUp ??= this.#lookAgainAndAgain();
  }

  /** Searches now. */
  wake(): void {
    if (this.#stopped.signal.aborted) return;
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (!this.#again) return;
      this.#again = false;
      this.wake();
    });
  }

  /** Stops the search, so that no further run starts here. */
  async stop(): Promise<void> {
    this.#again = false;
    this.#stopped.abort();
    await this.#looking;
  }

  async #lookAgainAndAgain(): Promise<void> {
    const { clock, lookMs } = this.#services;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.wake();
      void this.#services.webhooks.send(signal);
      await clock.sleep(lookMs, signal).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { runs, interrupts } = this.#services;
    try {
      for (const key of await runs.abandoned(A_LOOK)) await this.#one(key, () => this.#takeOver(key));
      for (const key of await interrupts.expired(A_LOOK)) await this.#one(key, () => this.#giveUp(key));
    } catch (error) {
      this.#tell("gateway", error);
    }
  }

  /** An error of one run does not stop the others. */
  async #one({ id }: OwnerKey, work: () => Promise<void>): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.#tell(id, error);
    }
  }

  async #takeOver(key: OwnerKey): Promise<void> {
    const { runs, held } = this.#services;
    const record = await runs.get(key);
    if (record?.background === false) return this.#stick(key);
    if (!this.free) return;
    const further = await held.claim(key);
    if (further) void this.go(further);
  }

  /** The client got no complete answer, and may resume the run. */
  async #stick(key: OwnerKey): Promise<void> {
    const { runs, held } = this.#services;
    const cause = createFailure(
      "shutting_down",
      "The process that took the run further has ended; resume the run, or cancel it.",
    );
    await held.during(key, (holder) => runs.change(key, { record: { status: "stuck", failure: cause } }, holder));
  }

  /** The decision expired, and no client waits for the run. */
  async #giveUp(key: OwnerKey): Promise<void> {
    const record = await this.#services.runs.get(key);
    if (record?.background === false) await this.#services.endRun(key);
  }

  #tell(run: string, error: unknown): void {
    this.#services.observer.observe({ type: "failure", run, failure: toFailure(error) });
  }
}

const NEVER = new AbortController().signal;

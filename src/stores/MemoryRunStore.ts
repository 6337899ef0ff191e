// Runs in the memory of one process, where they end with it. Forgets by age and by number; goes on with none.
import type { Clock, RunStore } from "../core/ports.ts";
import type { RunState } from "../core/run.ts";
import { setYoungest } from "../core/setYoungest.ts";

/** Since a run was last saved; no run lasts as long. */
const LIFETIME_MS = 3_600_000;
/** A run that goes on is held by its loop anyway, so what is kept costs next to nothing. */
const MAX_RUNS = 1_000;

interface Entry {
  readonly state: RunState;
  /** Monotonic milliseconds. */
  readonly until: number;
}

export class MemoryRunStore implements RunStore {
  readonly #clock: Pick<Clock, "monotonic">;
  /** The one that was saved the longest ago first. */
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  async save(state: RunState): Promise<void> {
    this.#forgetStale();
    const value = { state, until: this.#clock.monotonic() + LIFETIME_MS };
    setYoungest(this.#entries, { key: state.id, value, most: MAX_RUNS });
  }

  async load(id: string): Promise<RunState | undefined> {
    this.#forgetStale();
    return this.#entries.get(id)?.state;
  }

  async forget(id: string): Promise<void> {
    this.#entries.delete(id);
  }

  #forgetStale(): void {
    const now = this.#clock.monotonic();
    for (const [id, { until }] of this.#entries) {
      if (until > now) return;
      this.#entries.delete(id);
    }
  }
}

// The events of runs for whoever watches: those that are stored, and further ones as they are, to the run's end. Knows no run that goes on.

import type { EventSink } from "../core/events/EventSink.ts";
import type { Clock } from "../core/ports.ts";
import type { NumberedEvent, OwnerKey, RunRecord, RunStore } from "../core/stores.ts";
import { runKey } from "../core/stores.ts";

/** Events that are read at once. */
const A_PAGE = 500;
/** Milliseconds after which a run that another process takes further is looked at again. */
const LOOK_MS = 1_000;

export class RunEventStream {
  readonly #runs: Pick<RunStore, "get" | "events">;
  readonly #clock: Pick<Clock, "sleep">;
  readonly #changes = new Map<string, PromiseWithResolvers<void>>();

  constructor(runs: Pick<RunStore, "get" | "events">, clock: Pick<Clock, "sleep">) {
    this.#runs = runs;
    this.#clock = clock;
  }

  /** Something of the run was stored by this process. */
  changed(key: OwnerKey): void {
    const name = runKey(key);
    this.#changes.get(name)?.resolve();
    this.#changes.delete(name);
  }

  /** Gives the events after this number; resolves when the run is over, `take` has had enough or the signal is aborted. */
  async follow(key: OwnerKey, after: number, signal: AbortSignal, take: EventSink<NumberedEvent>): Promise<void> {
    let seen = after;
    while (!signal.aborted) {
      const change = this.#change(key);
      const record = await this.#runs.get(key);
      const page = await this.#runs.events(key, seen, A_PAGE);
      if (page.length > 0 && (await take(page)) === "enough") return;
      seen = page.at(-1)?.seq ?? seen;
      if (page.length === A_PAGE) continue;
      if (!record || isOver(record)) return;
      await this.#either(change, signal);
    }
  }

  #change(key: OwnerKey): Promise<void> {
    const name = runKey(key);
    const change = this.#changes.get(name) ?? Promise.withResolvers<void>();
    this.#changes.set(name, change);
    return change.promise;
  }

  /** What changes here is told at once; what changes elsewhere is looked for. */
  async #either(change: Promise<void>, signal: AbortSignal): Promise<void> {
    const looked = new AbortController();
    const pause = this.#clock.sleep(LOOK_MS, AbortSignal.any([signal, looked.signal])).catch(() => undefined);
    await Promise.race([change, pause]);
    looked.abort();
  }
}

/** Whether nothing of the run follows any more. */
export function isOver({ status }: Pick<RunRecord, "status">): boolean {
  return status === "ended" || status === "stuck";
}

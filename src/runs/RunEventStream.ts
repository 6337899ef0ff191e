// Streams the events of a run, stored and new ones, to its end.

import type { EventSink } from "../core/events/EventSink.ts";
import type { Clock } from "../core/ports.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import { runKey } from "../core/stores/OwnerKey.ts";
import type { NumberedEvent, RunRecord, RunStore } from "../core/stores/RunStore.ts";

/** Maximum number of events per read. */
const A_PAGE = 500;
/** Milliseconds between two checks of a run that another process executes. */
const LOOK_MS = 1_000;

export class RunEventStream {
  readonly #runs: Pick<RunStore, "get" | "events">;
  readonly #clock: Pick<Clock, "sleep">;
  readonly #changes = new Map<string, PromiseWithResolvers<void>>();

  constructor(runs: Pick<RunStore, "get" | "events">, clock: Pick<Clock, "sleep">) {
    this.#runs = runs;
    this.#clock = clock;
  }

  /** Reports that this process has stored something of the run. */
  notifyChange(key: OwnerKey): void {
    const name = runKey(key);
    this.#changes.get(name)?.resolve();
    this.#changes.delete(name);
  }

  /** Streams the events after this number. Resolves when the run has ended, `take` signals `enough`, or the signal is aborted. */
  async follow(key: OwnerKey, after: number, signal: AbortSignal, onEvents: EventSink<NumberedEvent>): Promise<void> {
    let lastSeq = after;
    while (!signal.aborted) {
      const change = this.#change(key);
      const record = await this.#runs.get(key);
      const page = await this.#runs.events(key, lastSeq, A_PAGE);
      if (page.length > 0 && (await onEvents(page)) === "enough") return;
      lastSeq = page.at(-1)?.seq ?? lastSeq;
      if (page.length === A_PAGE) continue;
      if (!record || isOver(record)) return;
      await this.#waitForChangeOrPoll(change, signal);
    }
  }

  #change(key: OwnerKey): Promise<void> {
    const name = runKey(key);
    const change = this.#changes.get(name) ?? Promise.withResolvers<void>();
    this.#changes.set(name, change);
    return change.promise;
  }

  /** Waits for a change by this process, or for the next check. */
  async #waitForChangeOrPoll(change: Promise<void>, signal: AbortSignal): Promise<void> {
    const pollController = new AbortController();
    const poll = this.#clock.sleep(LOOK_MS, AbortSignal.any([signal, pollController.signal])).catch(() => undefined);
    await Promise.race([change, poll]);
    pollController.abort();
  }
}

/** Returns true if no further event of the run follows. */
export function isOver({ status }: Pick<RunRecord, "status">): boolean {
  return status === "ended" || status === "stuck";
}

// Stores the events of a run: numbered, in order, in batches.
import type { RunEvent } from "../core/events/events.ts";
import { createFailure } from "../core/failures.ts";
import type { Clock, Observer } from "../core/ports.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { EventBatch, RunStore } from "../core/stores/RunStore.ts";

export interface EventLogOptions {
  readonly runs: Pick<RunStore, "appendEvents">;
  readonly key: OwnerKey;
  readonly holder: string;
  /** Number of the last stored event. */
  readonly last: number;
  readonly clock: Pick<Clock, "sleep">;
  readonly observer: Observer;
  /** Called whenever events were stored. */
  readonly onStored: () => void;
}

/** Milliseconds that an event waits for a common batch. */
const WAIT_MS = 250;
/** Maximum number of events buffered while the store fails; beyond it the oldest are lost. */
const MOST_KEPT = 10_000;

export class EventLog {
  readonly #options: EventLogOptions;
  #buffered: RunEvent[] = [];
  #last: number;
  #writing: Promise<void> = Promise.resolve();
  #waiting = false;
  #faulty = false;

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#last = options.last;
  }

  /** Adds events, which are stored soon. */
  add(events: readonly RunEvent[]): void {
    for (const event of events) this.#bufferEvent(event);
    if (!this.#waiting) void this.#flushSoon();
  }

  /** Stores the buffered events. Never rejects: a run continues without its log, and reports that once. */
  async flush(): Promise<void> {
    if (this.#buffered.length === 0) return this.#writing;
    const { runs, key, holder } = this.#options;
    await this.write((batch) => runs.appendEvents(key, batch, holder)).catch((error: unknown) =>
      this.#logFailure(error),
    );
  }

  /** Stores the buffered events, then the `further` ones, with the given function. Rejects as `store` does; the further events are then dropped. */
  write(store: (batch: EventBatch) => Promise<void>, further: readonly RunEvent[] = []): Promise<void> {
    const write = this.#writing.then(() => this.#write(store, further));
    this.#writing = write.catch(() => undefined);
    return write;
  }

  async #write(store: (batch: EventBatch) => Promise<void>, further: readonly RunEvent[]): Promise<void> {
    const buffered = this.#buffered;
    this.#buffered = [];
    const events = [...buffered, ...further];
    try {
      await store({ from: this.#last + 1, events });
    } catch (error) {
      this.#buffered = [...buffered, ...this.#buffered].slice(-MOST_KEPT);
      throw error;
    }
    this.#last += events.length;
    if (events.length > 0) this.#options.onStored();
  }

  /** Joins consecutive text deltas into one event. */
  #bufferEvent(event: RunEvent): void {
    const before = this.#buffered.at(-1);
    if (event.type === "text-delta" && before?.type === "text-delta" && !event.extra && !before.extra) {
      this.#buffered[this.#buffered.length - 1] = { type: "text-delta", text: before.text + event.text };
    } else if (event.type === "reasoning-delta" && before?.type === "reasoning-delta") {
      this.#buffered[this.#buffered.length - 1] = { type: "reasoning-delta", text: before.text + event.text };
    } else {
      this.#buffered.push(event);
    }
  }

  async #flushSoon(): Promise<void> {
    this.#waiting = true;
    await this.#options.clock.sleep(WAIT_MS, NEVER);
    this.#waiting = false;
    await this.flush();
  }

  #logFailure(error: unknown): void {
    if (this.#faulty) return;
    this.#faulty = true;
    const { observer, key } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    const cause = createFailure(
      "run_not_saved",
      `Events of the run could not be stored, and the run goes on: ${reason}`,
    );
    observer.observe({ type: "failure", run: key.id, failure: cause });
  }
}

const NEVER = new AbortController().signal;

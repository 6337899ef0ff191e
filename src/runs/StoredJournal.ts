// A run's journal in the store, under the run's lease: records calls before they run.
import type { Journal } from "../agents/run/Journal.ts";
import type { RunEvent } from "../core/events/events.ts";
import { createFailure, type Failure, PostelError } from "../core/failures.ts";
import type { Observer } from "../core/ports.ts";
import type { Interrupt } from "../core/runs/interrupts.ts";
import type { RunState, ToolResult } from "../core/runs/RunState.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { JournaledCall, RunStore } from "../core/stores/RunStore.ts";
import type { WebhookDelivery } from "../core/stores/WebhookStore.ts";
import type { EventLog } from "./EventLog.ts";

export interface StoredJournalOptions {
  readonly runs: Pick<RunStore, "beginCalls" | "settleCall" | "change">;
  readonly key: OwnerKey;
  readonly holder: string;
  readonly log: EventLog;
  readonly observer: Observer;
  /** Returns the webhook deliveries for interrupts. */
  readonly notices: (interrupts: readonly Interrupt[]) => readonly WebhookDelivery[];
  /** Reason why nothing of the run may be written any more; undefined while it may. */
  readonly getEndReason: () => Failure | undefined;
  /** Reason why no further call may begin; undefined while one may. */
  readonly closing: () => Failure | undefined;
  /** Called when the last running call is settled. */
  readonly onIdle: () => void;
}

export class StoredJournal implements Journal {
  readonly #options: StoredJournalOptions;
  readonly #running = new Set<string>();

  constructor(options: StoredJournalOptions) {
    this.#options = options;
  }

  /** True while a begun call is running. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  async begin(state: RunState, calls: readonly string[], carried: readonly JournaledCall[]): Promise<void> {
    const { runs, key, holder, log, closing } = this.#options;
    const startedCalls = [...carried, ...calls.map((callId) => ({ callId }))];
    await log.flush();
    throwIfEnded(closing());
    await this.#writeOrThrow("its tools were not run", () => runs.beginCalls(key, state, startedCalls, holder));
    throwIfEnded(closing());
    for (const call of calls) this.#running.add(call);
  }

  async recordResult(state: RunState, result: ToolResult): Promise<void> {
    const { runs, key, holder, getEndReason, onIdle } = this.#options;
    // The result of an aborted call is not its outcome, which is unknown.
    if (!getEndReason()) await this.#writeOrLog(state, () => runs.settleCall(key, result, holder));
    if (this.#running.delete(result.callId) && !this.isBusy) onIdle();
  }

  async recordWaiting(state: RunState, interrupts: readonly Interrupt[]): Promise<void> {
    const { runs, key, holder, log, notices } = this.#options;
    const events = interrupts.map((interrupt): RunEvent => ({ type: "interrupt", interrupt }));
    const change = { state, record: { status: "waiting" }, opens: interrupts, notices: notices(interrupts) } as const;
    await this.#writeOrThrow("nobody was asked", () =>
      log.write((events) => runs.change(key, { ...change, events }, holder), events),
    );
  }

  async recordTurn(state: RunState): Promise<void> {
    const { runs, key, holder, log, getEndReason } = this.#options;
    if (getEndReason()) return;
    await this.#writeOrLog(state, () => log.write((events) => runs.change(key, { state, events }, holder)));
  }

  async #writeOrThrow(consequence: string, write: () => Promise<void>): Promise<void> {
    throwIfEnded(this.#options.getEndReason());
    try {
      await write();
    } catch (cause) {
      if (cause instanceof PostelError && cause.failure.code === "run_taken") throw cause;
      const message = `The state of the run could not be saved, so ${consequence}: ${describeCause(cause)}`;
      throw new PostelError(createFailure("run_not_saved", message), { cause });
    }
  }

  async #writeOrLog({ id }: RunState, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (cause) {
      const message = `The results of the run's tools could not be saved: ${describeCause(cause)}`;
      this.#options.observer.observe({ type: "failure", run: id, failure: createFailure("run_not_saved", message) });
    }
  }
}

function throwIfEnded(reason: Failure | undefined): void {
  if (reason) throw new PostelError(reason);
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

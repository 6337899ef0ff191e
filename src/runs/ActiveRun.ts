// One run that this process executes: it holds the lease, writes the journal, and stores the events before the run ends.
import type { AgentRunner } from "../agents/AgentRunner.ts";
import type { AuditRecorder } from "../agents/audit/AuditRecorder.ts";
import type { EventSink } from "../core/events/EventSink.ts";
import type { RunEvent } from "../core/events/events.ts";
import { createFailure, type Failure } from "../core/failures.ts";
import type { Clock, Observer } from "../core/ports.ts";
import type { Decision } from "../core/runs/interrupts.ts";
import type { RunState } from "../core/runs/RunState.ts";
import type { JournaledCall, RunChange, RunRecord, RunStore } from "../core/stores/RunStore.ts";
import { EventLog } from "./EventLog.ts";
import { Lease } from "./Lease.ts";
import type { RunWebhookEvents } from "./RunWebhookEvents.ts";
import { StoredJournal } from "./StoredJournal.ts";

export interface HeldRunServices {
  readonly runner: Pick<AgentRunner, "proceed">;
  readonly runs: RunStore;
  readonly notices: RunWebhookEvents;
  readonly clock: Clock;
  readonly observer: Observer;
  /** Absent if there is no audit log. */
  readonly auditRecorder?: AuditRecorder | undefined;
  /** Milliseconds; see `Lease`. */
  readonly leaseMs: number;
  /** Called when events of the run were stored, and when it has ended in this process. */
  readonly onStored: () => void;
}

/** Start of the execution: state, decisions and begun calls. */
export interface ResumePoint {
  readonly state: RunState;
  readonly decisions?: ReadonlyMap<string, Decision> | undefined;
  readonly startedCalls?: readonly JournaledCall[] | undefined;
  /** Events that are logged first. */
  readonly first?: readonly RunEvent[] | undefined;
}

type Ending = "lost" | "suspended" | "cancelled";

export class ActiveRun {
  readonly #record: RunRecord;
  readonly #holder: string;
  readonly #services: HeldRunServices;
  readonly #lease: Lease;
  readonly #log: EventLog;
  readonly #journal: StoredJournal;
  readonly #stop = new AbortController();
  #endReason: Ending | undefined;
  #closing = false;
  readonly #finished = Promise.withResolvers<void>();

  /** For a run that `holder` has just claimed. */
  constructor(record: RunRecord, holder: string, services: HeldRunServices) {
    this.#record = record;
    this.#holder = holder;
    this.#services = services;
    const { runs, notices, clock, observer, leaseMs, onStored } = services;
    const common = { runs, key: record, holder, clock, observer };
    this.#log = new EventLog({ ...common, last: record.events, onStored });
    this.#lease = new Lease({
      ...common,
      ms: leaseMs,
      onLost: () => this.#end("lost"),
      onCancel: () => this.#end("cancelled"),
    });
    this.#journal = new StoredJournal({
      ...common,
      log: this.#log,
      notices: (interrupts) => notices.ofInterrupts(record, interrupts),
      getEndReason: () => this.#reason,
      closing: () => this.#reason ?? (this.#closing ? SUSPENDED : undefined),
      onIdle: () => this.#closing && this.#end("suspended"),
    });
  }

  /** Ends the run as cancelled; resolves when that is stored. */
  async cancel(): Promise<void> {
    this.#end("cancelled");
    await this.#finished.promise;
  }

  /** Releases a run that was not started here. */
  async releaseLease(): Promise<void> {
    await this.#lease.end();
  }

  /** Stops so that another process can resume the run: at once, or when the running calls have results. */
  suspend(): void {
    this.#closing = true;
    if (!this.#journal.isBusy) this.#end("suspended");
  }

  /** Stops at once; the outcomes of running calls are then unknown. */
  abandon(): void {
    this.#end("suspended");
  }

  /**
   * Executes the run to its end or its wait, which is stored before `take` gets the last events, and releases the lease.
   * Throws only what `take` throws; the run then ends as cancelled.
   */
  async go(
    { state, decisions, startedCalls, first = [] }: ResumePoint,
    signal: AbortSignal,
    onEvents: EventSink<RunEvent>,
  ): Promise<void> {
    const last: RunEvent[] = [];
    const forwardEvents: EventSink<RunEvent> = (events) => {
      const now = events.some(isLast) ? events.filter((event) => !isLast(event)) : events;
      if (now.length < events.length) for (const event of events.filter(isLast)) last.push(event);
      // The journal has logged the interrupts already.
      this.#log.add(now.filter(({ type }) => type !== "interrupt"));
      return now.length > 0 ? onEvents(now) : undefined;
    };
    if (first.length > 0) this.#log.add(first);
    const progress = { journal: this.#journal, decisions, begun: startedCalls };
    try {
      await this.#services.runner.proceed(state, progress, AbortSignal.any([signal, this.#stop.signal]), forwardEvents);
    } finally {
      await this.#finish(last);
      await this.#lease.end();
      this.#services.onStored();
      this.#finished.resolve();
    }
    await onEvents(this.#reason ? [{ type: "turn-failed", failure: this.#reason }] : last);
  }

  get #reason(): Failure | undefined {
    return this.#endReason === "lost" ? LOST : this.#endReason === "suspended" ? SUSPENDED : undefined;
  }

  #end(endReason: Ending): void {
    this.#endReason ??= endReason;
    this.#stop.abort();
  }

  /** Stores the end. Never rejects: a run whose end could not be stored is resumed elsewhere, or marked as stuck, when its lease has ended. */
  async #finish(last: readonly RunEvent[]): Promise<void> {
    if (this.#reason) return;
    const { runs, notices, clock, observer, auditRecorder } = this.#services;
    const record = toRunEnd(last, clock.now());
    if (record.status === "waiting") {
      this.#log.add(last);
      await this.#log.flush();
      await auditRecorder?.recordRunEnd(this.#record, "awaiting-human");
      return;
    }
    const change = { record, cancelsInterrupts: true, notices: notices.ofEnd(this.#record, record) };
    try {
      await this.#log.write((events) => runs.change(this.#record, { ...change, events }, this.#holder), last);
      await auditRecorder?.recordRunEnd(this.#record, record.outcome ?? "failed");
    } catch (error) {
      const message = `The run is over, and that could not be saved: ${error instanceof Error ? error.message : error}`;
      observer.observe({ type: "failure", run: this.#record.id, failure: createFailure("run_not_saved", message) });
    }
  }
}

function isLast({ type }: RunEvent): boolean {
  return type === "run-end" || type === "turn-failed";
}

type RunEnd = NonNullable<RunChange["record"]>;

/** Without a last event, the client has cancelled the run. */
function toRunEnd(last: readonly RunEvent[], now: number): RunEnd {
  let end: RunEnd = last.length === 0 ? { outcome: "cancelled" } : {};
  for (const event of last) {
    if (event.type === "turn-failed") end = { ...end, failure: event.failure };
    if (event.type !== "run-end") continue;
    if (event.outcome === "awaiting-human") return { status: "waiting" };
    end = { ...end, outcome: event.outcome };
  }
  return { ...end, status: "ended", endedAt: now };
}

const LOST = createFailure("run_taken", "Another process continues the run. Read its events for the outcome.");
const SUSPENDED = createFailure("shutting_down", "The gateway ends; the run goes on when it runs again.");

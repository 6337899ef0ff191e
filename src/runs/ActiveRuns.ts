// The active runs of this process: creates, claims, executes and releases them.
import { withInterrupts } from "../agents/nested/nestedRequests.ts";
import type { EventSink } from "../core/events/EventSink.ts";
import type { RunEvent } from "../core/events/events.ts";
import { createFailure, PostelError } from "../core/failures.ts";
import type { Ids } from "../core/ports.ts";
import type { RunState } from "../core/runs/RunState.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import { runKey } from "../core/stores/OwnerKey.ts";
import type { RunRecord } from "../core/stores/RunStore.ts";
import { ActiveRun, type HeldRunServices, type ResumePoint } from "./ActiveRun.ts";
import type { DecisionService } from "./DecisionService.ts";
import type { RunEventStream } from "./RunEventStream.ts";
import { runOver } from "./runFailures.ts";

export interface ActiveRunsServices extends Omit<HeldRunServices, "onStored"> {
  readonly ids: Pick<Ids, "requestId">;
  readonly decisions: DecisionService;
  readonly eventStream: RunEventStream;
}

/** A claimed run, and the point from which it continues. */
export interface ClaimedRun {
  readonly record: RunRecord;
  readonly activeRun: ActiveRun;
  readonly resumePoint: ResumePoint;
}

/** Milliseconds that running calls have to finish when the process ends. */
const SETTLE_MS = 10_000;

export class ActiveRuns {
  readonly #services: ActiveRunsServices;
  readonly #activeRuns = new Map<string, ActiveRun>();
  readonly #executions = new Set<Promise<void>>();

  constructor(services: ActiveRunsServices) {
    this.#services = services;
  }

  get(key: OwnerKey): ActiveRun | undefined {
    return this.#activeRuns.get(runKey(key));
  }

  /** Creates a newly planned run. A background run's state is stored before this resolves. */
  async create(state: RunState, background: boolean): Promise<ClaimedRun> {
    const { runs, clock, ids, leaseMs, auditRecorder } = this.#services;
    const { id, agent, sessionId } = state;
    const run = { owner: state.request.caller.name, id, agent, sessionId, background };
    const holder = ids.requestId();
    await auditRecorder?.recordRequest(state);
    await runs.create(run, { holder, ms: leaseMs });
    if (background) await runs.change(run, { state }, holder);
    const now = clock.now();
    const record: RunRecord = { ...run, status: "running", events: 0, createdAt: now, updatedAt: now };
    return { record, activeRun: this.#createActiveRun(record, holder), resumePoint: { state } };
  }

  /**
   * Claims a run in its last stored state. Undefined if another process holds it.
   * @throws PostelError `run_over`, `store_damaged` if it can never continue.
   */
  async claim(key: OwnerKey): Promise<ClaimedRun | undefined> {
    const { runs, ids, leaseMs } = this.#services;
    const holder = ids.requestId();
    if (!(await runs.claim(key, { holder, ms: leaseMs }))) return undefined;
    try {
      const record = await runs.get(key);
      if (!record || record.status === "ended") throw runOver(key);
      const resumePoint = await this.#findResumePoint(record, holder);
      return { record, activeRun: this.#createActiveRun(record, holder), resumePoint };
    } catch (error) {
      await this.#services.decisions.auditDamage(key.owner, error);
      await runs.release(key, holder).catch(() => undefined);
      throw error;
    }
  }

  /** Runs `work` on a run that no process holds; returns false if one does. */
  async runWithLease(key: OwnerKey, work: (holder: string) => Promise<void>): Promise<boolean> {
    const { runs, ids, leaseMs } = this.#services;
    const holder = ids.requestId();
    if (!(await runs.claim(key, { holder, ms: leaseMs }))) return false;
    try {
      await work(holder);
    } finally {
      await runs.release(key, holder).catch(() => undefined);
    }
    return true;
  }

  /** Releases the run; any process may execute it later. */
  async releaseLease({ record, activeRun }: ClaimedRun): Promise<void> {
    this.#activeRuns.delete(runKey(record));
    await activeRun.releaseLease();
  }

  /** Executes the run to its end or its wait. Throws only what `take` throws. */
  async execute(
    { record, activeRun, resumePoint }: ClaimedRun,
    signal: AbortSignal,
    onEvents: EventSink<RunEvent>,
  ): Promise<void> {
    const execution = activeRun.go(resumePoint, signal, onEvents);
    const settled = execution.catch(() => undefined);
    this.#executions.add(settled);
    try {
      await execution;
    } finally {
      this.#executions.delete(settled);
      this.#activeRuns.delete(runKey(record));
    }
  }

  /** Releases all runs, each when its running calls have results, or after `SETTLE_MS`. */
  async stop(): Promise<void> {
    for (const activeRun of this.#activeRuns.values()) activeRun.suspend();
    const graceController = new AbortController();
    const grace = this.#services.clock.sleep(SETTLE_MS, graceController.signal).then(
      () => this.#abandon(),
      () => undefined,
    );
    await Promise.all(this.#executions);
    graceController.abort();
    await grace;
  }

  #abandon(): void {
    for (const activeRun of this.#activeRuns.values()) activeRun.abandon();
  }

  #createActiveRun(record: RunRecord, holder: string): ActiveRun {
    const { eventStream } = this.#services;
    const activeRun = new ActiveRun(record, holder, {
      ...this.#services,
      onStored: () => eventStream.notifyChange(record),
    });
    this.#activeRuns.set(runKey(record), activeRun);
    return activeRun;
  }

  async #findResumePoint(record: RunRecord, holder: string): Promise<ResumePoint> {
    const { runs, decisions, clock } = this.#services;
    const savedRun = await runs.load(record);
    if (!savedRun) {
      const cause = createFailure("store_damaged", `Of the run ${record.id} no state was ever saved; ask anew.`);
      await runs.change(record, { record: { status: "stuck", failure: cause } }, holder);
      throw new PostelError(cause);
    }
    const { state, calls } = savedRun;
    const first: readonly RunEvent[] =
      record.status === "waiting"
        ? []
        : [{ type: "run-resumed", ...(state.open === undefined && { turn: state.turn + 1 }) }];
    await runs.change(record, { record: { status: "running" } }, holder);
    // Time in which no process executed the run does not count.
    const idleMs = Math.max(0, clock.now() - record.updatedAt);
    const deadline = state.deadline === undefined ? undefined : state.deadline + idleMs;
    const interruptRecords = await decisions.ofRun(record);
    const decided = new Map(
      interruptRecords.flatMap(({ id, decision }) => (decision ? [[id, decision] as const] : [])),
    );
    return {
      state: { ...withInterrupts(state, interruptRecords), deadline },
      decisions: decided,
      startedCalls: calls,
      first,
    };
  }
}

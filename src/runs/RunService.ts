// Entry point to stored runs: starts, executes, resumes, cancels and watches them, and takes decisions.
import type { AgentRunner } from "../agents/AgentRunner.ts";
import type { AgentRunRequest } from "../agents/AgentRunRequest.ts";
import { toInterruptCall } from "../agents/approvals/createInterrupt.ts";
import type { AuditRecorder } from "../agents/audit/AuditRecorder.ts";
import { endWithoutUsage } from "../agents/turn/TurnUsage.ts";
import type { WebhookConfig } from "../core/config/configuration.ts";
import type { EventSink } from "../core/events/EventSink.ts";
import type { RunEvent } from "../core/events/events.ts";
import { toFailure } from "../core/failures.ts";
import type { Clock, Egress, Ids, Observer } from "../core/ports.ts";
import type { Caller } from "../core/requests.ts";
import type { Decision, GivenDecision, Interrupt, InterruptRecord } from "../core/runs/interrupts.ts";
import type { RunState } from "../core/runs/RunState.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { Feedback, NumberedEvent, RunRecord, RunStore } from "../core/stores/RunStore.ts";
import type { Store } from "../core/stores/Store.ts";
import { ActiveRuns, type ClaimedRun } from "./ActiveRuns.ts";
import { BackgroundRuns } from "./BackgroundRuns.ts";
import { DecisionService } from "./DecisionService.ts";
import { RunEventStream } from "./RunEventStream.ts";
import { RunWebhookEvents } from "./RunWebhookEvents.ts";
import { createUnknownRunError, runOver, runTaken } from "./runFailures.ts";
import { WebhookSender } from "./WebhookSender.ts";

export interface RunServiceOptions {
  readonly runner: Pick<AgentRunner, "plan" | "proceed" | "run" | "decisionFault" | "renewedInterrupt">;
  readonly store: Pick<Store, "runs" | "interrupts" | "notices">;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "requestId">;
  readonly observer: Observer;
  /** Absent if there is no audit log. */
  readonly auditRecorder?: AuditRecorder | undefined;
  /** Milliseconds after which the runs of an ended process are free; see `Lease`. */
  readonly leaseMs: number;
  readonly webhooks: readonly WebhookConfig[];
  /** Sends the webhook deliveries. */
  readonly egress: Egress;
  /** Maximum number of parallel background runs in this process. */
  readonly backgroundAtOnce: number;
}

/** The client that reads the events of a run; if it disconnects, the run ends. */
export interface RunSubscriber {
  readonly signal: AbortSignal;
  readonly onEvents: EventSink<RunEvent>;
  /** Called with the id of an existing run that is resumed for this client, before its first event. */
  readonly onResumed?: ((run: string) => void) | undefined;
  /** Called with the state of a stored run, before its first step. */
  readonly onPlanned?: ((state: RunState) => void) | undefined;
}

/** Maximum milliseconds between two searches for abandoned runs. */
const LOOK_MS = 5_000;

export class RunService {
  readonly #services: RunServiceOptions;
  readonly #runs: RunStore;
  readonly #decisions: DecisionService;
  readonly #eventStream: RunEventStream;
  readonly #notices: RunWebhookEvents;
  readonly #activeRuns: ActiveRuns;
  readonly #background: BackgroundRuns;

  constructor(services: RunServiceOptions) {
    const { runner, store, clock, observer, auditRecorder, leaseMs, backgroundAtOnce } = services;
    this.#services = services;
    this.#runs = store.runs;
    this.#decisions = new DecisionService({
      ...{ interrupts: store.interrupts, runs: store.runs, auditRecorder },
      fault: (...args) => runner.decisionFault(...args),
      renewInterrupt: (...args) => runner.renewedInterrupt(...args),
    });
    this.#eventStream = new RunEventStream(store.runs, clock);
    this.#notices = new RunWebhookEvents(services);
    this.#activeRuns = new ActiveRuns({
      ...services,
      notices: this.#notices,
      runs: store.runs,
      decisions: this.#decisions,
      eventStream: this.#eventStream,
    });
    this.#background = new BackgroundRuns({
      ...{ runs: store.runs, interrupts: store.interrupts, activeRuns: this.#activeRuns, clock, observer },
      endRun: (key) => this.#endWaiting(key),
      webhooks: new WebhookSender({ ...services, notices: store.notices }),
      atOnce: backgroundAtOnce,
      pollMs: Math.min(LOOK_MS, leaseMs / 3),
    });
  }

  /** Starts to take over abandoned runs; the first run that is stored here starts it too. */
  startBackgroundRuns(): void {
    this.#background.pollNow();
  }

  /** Runs a run for a waiting client. If it cannot start, the failure is its only event. A run that is not stored is non-interactive. Throws only what `take` throws. */
  async ask(request: AgentRunRequest, reader: RunSubscriber & { readonly store: boolean }): Promise<void> {
    const { signal, onEvents, store, onPlanned } = reader;
    const { runner } = this.#services;
    if (!store) return runner.run({ ...request, interactive: false }, signal, onEvents);
    const further = await this.#emitFailures(request.chat.id, onEvents, async () => {
      const state = await runner.plan(request, signal);
      onPlanned?.(state);
      return this.#activeRuns.create(state, false);
    });
    if (!further) return;
    this.startBackgroundRuns();
    await this.#activeRuns.execute(further, signal, onEvents);
  }

  /**
   * Starts a background run: once this resolves, it continues to its end or its wait even if this process ends.
   * @throws PostelError if it cannot be planned or stored.
   */
  async start(request: AgentRunRequest): Promise<RunRecord> {
    const further = await this.#activeRuns.create(await this.#services.runner.plan(request, NEVER), true);
    this.startBackgroundRuns();
    if (this.#background.hasFreeSlot) void this.#background.go(further);
    else await this.#activeRuns.releaseLease(further);
    return further.record;
  }

  /** @throws PostelError `store_damaged`. */
  interrupt(key: OwnerKey): Promise<InterruptRecord | undefined> {
    return this.#decisions.find(key);
  }

  /**
   * Takes a decision about an interrupt. A background run without further open interrupts then continues by itself.
   * @throws PostelError `interrupt_not_found`, `interrupt_expired`, `interrupt_decided`, `plan_mismatch`,
   * `invalid_request`.
   */
  async decide(
    owner: string,
    id: string,
    decision: Decision,
    decidedBy: Caller,
  ): Promise<{ readonly run: string; readonly open: readonly InterruptRecord[] }> {
    const run = await this.decideAll(owner, [{ id, decision }], decidedBy);
    return { run, open: await this.#decisions.open({ owner, id: run }) };
  }

  /**
   * Takes decisions about the interrupts of one run, all or none, and returns the run's id.
   * @param decisions at least one.
   * @throws PostelError as `decide` does, and `decision_conflict` if two of them differ about one interrupt.
   */
  async decideAll(owner: string, decisions: readonly GivenDecision[], decidedBy: Caller): Promise<string> {
    const run = await this.#decisions.recordDecisions(owner, decisions, decidedBy.name);
    const key = { owner, id: run };
    const open = await this.#decisions.open(key);
    this.#eventStream.notifyChange(key);
    if (open.length === 0 && (await this.#runs.get(key))?.background) this.#background.wake();
    return run;
  }

  /**
   * Resumes a run without open interrupts, or one whose process has ended, for a client. If interrupts are open, the
   * client gets them.
   * @throws PostelError `run_not_found`, `run_over`, `run_taken`, and what `take` throws.
   */
  async resume(key: OwnerKey, { signal, onEvents, onResumed }: RunSubscriber): Promise<void> {
    const record = await this.record(key);
    if (record.status === "ended") throw runOver(key);
    const open = await this.#decisions.open(key);
    if (open.length > 0) {
      await onEvents(createPendingInterruptEvents(open, (await this.#runs.load(key))?.state.turn ?? 0));
      return;
    }
    const further = await this.#activeRuns.claim(key);
    if (!further) throw runTaken(key);
    onResumed?.(key.id);
    await this.#activeRuns.execute(further, signal, onEvents);
  }

  /** @throws PostelError `run_not_found`. */
  async record(key: OwnerKey): Promise<RunRecord> {
    const record = await this.#runs.get(key);
    if (!record) throw createUnknownRunError(key);
    return record;
  }

  /** Latest first. */
  list(owner: string, page: Parameters<RunStore["list"]>[1]): Promise<readonly RunRecord[]> {
    return this.#runs.list(owner, page);
  }

  /** Open interrupts of a run, in the order in which they opened. */
  open(key: OwnerKey): Promise<readonly InterruptRecord[]> {
    return this.#decisions.open(key);
  }

  /**
   * Streams the events after this number, stored and new ones, until the run has ended.
   * @throws PostelError `run_not_found`, and what `take` throws.
   */
  async events(key: OwnerKey, after: number, signal: AbortSignal, onEvents: EventSink<NumberedEvent>): Promise<void> {
    await this.record(key);
    await this.#eventStream.follow(key, after, signal, onEvents);
  }

  /**
   * Cancels a run: at once if this process holds it, otherwise at the next renewal of its lease.
   * @throws PostelError `run_not_found`, `run_over`.
   */
  async cancel(key: OwnerKey): Promise<RunRecord> {
    const record = await this.record(key);
    if (record.status === "ended") throw runOver(key);
    await this.#services.auditRecorder?.cancelling(key);
    const activeRun = this.#activeRuns.get(key);
    if (activeRun) await activeRun.cancel();
    else if (!(await this.#endWaiting(key))) await this.#runs.askCancel(key);
    return this.record(key);
  }

  /** @throws PostelError `run_not_found`. */
  async feedback(key: OwnerKey, feedback: Feedback): Promise<void> {
    if (!(await this.#runs.setFeedback(key, feedback))) throw createUnknownRunError(key);
  }

  /** Releases all runs of this process; another process continues the background runs. */
  async stop(): Promise<void> {
    await this.#background.stop();
    await this.#activeRuns.stop();
  }

  /** Ends a run that no process executes; returns false if one does. */
  async #endWaiting(key: OwnerKey): Promise<boolean> {
    const { clock, auditRecorder } = this.#services;
    const hasEnded = await this.#activeRuns.runWithLease(key, async (holder) => {
      const before = await this.record(key);
      if (before.status === "ended") return;
      const state = (await this.#runs.load(key).catch(() => undefined))?.state;
      const record = { status: "ended", outcome: "cancelled", endedAt: clock.now() } as const;
      const end = endOfCancelled(before, state);
      const events = { from: before.events + 1, events: [end] };
      const change = { record, cancelsInterrupts: true, events, notices: this.#notices.ofEnd(before, record) };
      await this.#runs.change(key, change, holder);
      await auditRecorder?.recordRunEnd(key, "cancelled");
    });
    this.#eventStream.notifyChange(key);
    return hasEnded;
  }

  /** Returns the result of `work`; if it throws, emits the failure as the run's end. */
  async #emitFailures(
    run: string,
    onEvents: EventSink<RunEvent>,
    work: () => Promise<ClaimedRun>,
  ): Promise<ClaimedRun | undefined> {
    try {
      return await work();
    } catch (error) {
      const event: RunEvent = { type: "turn-failed", failure: toFailure(error) };
      this.#services.observer.observe({ type: "run-event", run, event });
      await onEvents([event]);
      return undefined;
    }
  }
}

/** For a run that was not waiting, it is unknown what its model has read since the last stored state. */
function endOfCancelled({ status }: RunRecord, state: RunState | undefined): RunEvent {
  const isClean = status === "waiting" && state !== undefined && !state.untrusted;
  return {
    ...{ type: "run-end", outcome: "cancelled", turns: state?.turn ?? 0 },
    ...(!isClean && { untrusted: true }),
  };
}

const NEVER = new AbortController().signal;

function createPendingInterruptEvents(open: readonly Interrupt[], turns: number): readonly RunEvent[] {
  const interruptEvents = open.flatMap((interrupt): RunEvent[] => [
    { type: "interrupt", interrupt },
    { type: "tool-call", call: toInterruptCall(interrupt) },
  ]);
  return [...interruptEvents, endWithoutUsage("tool_calls"), { type: "run-end", outcome: "awaiting-human", turns }];
}

// The door to runs that last: begun, held by one process at a time, decided on, taken further and watched. Knows no HTTP and no session.
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
import type { Feedback, NumberedEvent, OwnerKey, RunRecord, RunStore, Store } from "../core/stores.ts";
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
  /** Absent where nothing is recorded. */
  readonly auditRecorder?: AuditRecorder | undefined;
  /** Milliseconds after which a run belongs to nobody whose process has ended; see `Lease`. */
  readonly leaseMs: number;
  readonly webhooks: readonly WebhookConfig[];
  /** How webhooks are told. */
  readonly egress: Egress;
  /** Background runs that go on at once in this process. */
  readonly backgroundAtOnce: number;
}

/** Who hears what comes of a run; one who leaves ends it. */
export interface RunSubscriber {
  readonly signal: AbortSignal;
  readonly take: EventSink<RunEvent>;
  /** Told the id of a run that was there before and goes on for this reader, before anything of it comes. */
  readonly onResumed?: ((run: string) => void) | undefined;
  /** Told a run that is kept, before its first step. */
  readonly onPlanned?: ((state: RunState) => void) | undefined;
}

/** Milliseconds between two looks for runs that were left behind; a lease's third where that is less. */
const LOOK_MS = 5_000;

export class RunService {
  readonly #services: RunServiceOptions;
  readonly #runs: RunStore;
  readonly #decisions: DecisionService;
  readonly #watch: RunEventStream;
  readonly #notices: RunWebhookEvents;
  readonly #held: ActiveRuns;
  readonly #background: BackgroundRuns;

  constructor(services: RunServiceOptions) {
    const { runner, store, clock, observer, auditRecorder, leaseMs, backgroundAtOnce } = services;
    this.#services = services;
    this.#runs = store.runs;
    this.#decisions = new DecisionService({
      ...{ interrupts: store.interrupts, runs: store.runs, auditRecorder },
      fault: (...given) => runner.decisionFault(...given),
      renewed: (...given) => runner.renewedInterrupt(...given),
    });
    this.#watch = new RunEventStream(store.runs, clock);
    this.#notices = new RunWebhookEvents(services);
    this.#held = new ActiveRuns({
      ...services,
      notices: this.#notices,
      runs: store.runs,
      decisions: this.#decisions,
      watch: this.#watch,
    });
    this.#background = new BackgroundRuns({
      ...{ runs: store.runs, interrupts: store.interrupts, held: this.#held, clock, observer },
      endRun: (key) => this.#endWaiting(key),
      webhooks: new WebhookSender({ ...services, notices: store.notices }),
      atOnce: backgroundAtOnce,
      lookMs: Math.min(LOOK_MS, leaseMs / 3),
    });
  }

  /** From now on this process takes further what others have left behind; a run that is stored here begins it too. */
  takeUp(): void {
    this.#background.takeUp();
  }

  /**
   * A run whose reader waits for it. Why it could not begin is its one event; one that is not stored can ask nobody. Throws only what
   * `take` throws.
   */
  async ask(request: AgentRunRequest, reader: RunSubscriber & { readonly store: boolean }): Promise<void> {
    const { signal, take, store, onPlanned } = reader;
    const { runner } = this.#services;
    if (!store) return runner.run({ ...request, interactive: false }, signal, take);
    const further = await this.#telling(request.chat.id, take, async () => {
      const state = await runner.plan(request, signal);
      onPlanned?.(state);
      return this.#held.create(state, false);
    });
    if (!further) return;
    this.takeUp();
    await this.#held.go(further, signal, take);
  }

  /**
   * A run that nobody waits for: once this resolves it goes on to its end or its wait, whatever becomes of this process.
   * @throws PostelError where it cannot be planned or stored.
   */
  async start(request: AgentRunRequest): Promise<RunRecord> {
    const further = await this.#held.create(await this.#services.runner.plan(request, NEVER), true);
    this.takeUp();
    if (this.#background.free) void this.#background.go(further);
    else await this.#held.giveBack(further);
    return further.record;
  }

  /** @throws PostelError `store_damaged`. */
  interrupt(key: OwnerKey): Promise<InterruptRecord | undefined> {
    return this.#decisions.find(key);
  }

  /**
   * Takes somebody's word on what waits. Of a background run that waits for nothing more the rest follows by itself.
   * @throws PostelError `interrupt_not_found`, `interrupt_expired`, `interrupt_decided`, `plan_mismatch`, `invalid_request`.
   */
  async decide(
    owner: string,
    id: string,
    decision: Decision,
    by: Caller,
  ): Promise<{ readonly run: string; readonly open: readonly InterruptRecord[] }> {
    const run = await this.decideAll(owner, [{ id, decision }], by);
    return { run, open: await this.#decisions.open({ owner, id: run }) };
  }

  /**
   * Takes decisions about what one run asks, all of them or none, and gives the run's id.
   * @param given at least one.
   * @throws PostelError as `decide` does, and `decision_conflict` where two of them differ about one interrupt.
   */
  async decideAll(owner: string, given: readonly GivenDecision[], by: Caller): Promise<string> {
    const run = await this.#decisions.take(owner, given, by.name);
    const key = { owner, id: run };
    const open = await this.#decisions.open(key);
    this.#watch.changed(key);
    if (open.length === 0 && (await this.#runs.get(key))?.background) this.#background.wake();
    return run;
  }

  /**
   * Goes on with a run that waits for nothing any more, or whose process has ended, for a reader; one that waits is told what for.
   * @throws PostelError `run_not_found`, `run_over`, `run_taken`, and what `take` throws.
   */
  async resume(key: OwnerKey, { signal, take, onResumed }: RunSubscriber): Promise<void> {
    const record = await this.record(key);
    if (record.status === "ended") throw runOver(key);
    const open = await this.#decisions.open(key);
    if (open.length > 0) {
      await take(createPendingInterruptEvents(open, (await this.#runs.load(key))?.state.turn ?? 0));
      return;
    }
    const further = await this.#held.claim(key);
    if (!further) throw runTaken(key);
    onResumed?.(key.id);
    await this.#held.go(further, signal, take);
  }

  /** @throws PostelError `run_not_found`. */
  async record(key: OwnerKey): Promise<RunRecord> {
    const record = await this.#runs.get(key);
    if (!record) throw createUnknownRunError(key);
    return record;
  }

  /** Youngest first. */
  list(owner: string, page: Parameters<RunStore["list"]>[1]): Promise<readonly RunRecord[]> {
    return this.#runs.list(owner, page);
  }

  /** What of a run waits for somebody, in the order in which it was asked. */
  open(key: OwnerKey): Promise<readonly InterruptRecord[]> {
    return this.#decisions.open(key);
  }

  /**
   * The events after this number: stored ones, then further ones as they come, until the run is over.
   * @throws PostelError `run_not_found`, and what `take` throws.
   */
  async events(key: OwnerKey, after: number, signal: AbortSignal, take: EventSink<NumberedEvent>): Promise<void> {
    await this.record(key);
    await this.#watch.follow(key, after, signal, take);
  }

  /**
   * Ends a run, whoever holds it: here at once, elsewhere when its lease is renewed next.
   * @throws PostelError `run_not_found`, `run_over`.
   */
  async cancel(key: OwnerKey): Promise<RunRecord> {
    const record = await this.record(key);
    if (record.status === "ended") throw runOver(key);
    await this.#services.auditRecorder?.cancelling(key);
    const held = this.#held.get(key);
    if (held) await held.cancel();
    else if (!(await this.#endWaiting(key))) await this.#runs.askCancel(key);
    return this.record(key);
  }

  /** @throws PostelError `run_not_found`. */
  async feedback(key: OwnerKey, feedback: Feedback): Promise<void> {
    if (!(await this.#runs.setFeedback(key, feedback))) throw createUnknownRunError(key);
  }

  /** Gives back what it holds; another process goes on with the background runs. */
  async stop(): Promise<void> {
    await this.#background.stop();
    await this.#held.stop();
  }

  /** Ends a run that nobody takes further just now; false where somebody does. */
  async #endWaiting(key: OwnerKey): Promise<boolean> {
    const { clock, auditRecorder } = this.#services;
    const ended = await this.#held.during(key, async (holder) => {
      const before = await this.record(key);
      if (before.status === "ended") return;
      const state = (await this.#runs.load(key).catch(() => undefined))?.state;
      const record = { status: "ended", outcome: "cancelled", endedAt: clock.now() } as const;
      const end = endOfCancelled(before, state);
      const events = { from: before.events + 1, events: [end] };
      const change = { record, cancelsInterrupts: true, events, notices: this.#notices.ofEnd(before, record) };
      await this.#runs.change(key, change, holder);
      await auditRecorder?.over(key, "cancelled");
    });
    this.#watch.changed(key);
    return ended;
  }

  /** What `work` gives; where it throws, that is told as the run's end. */
  async #telling(
    run: string,
    take: EventSink<RunEvent>,
    work: () => Promise<ClaimedRun>,
  ): Promise<ClaimedRun | undefined> {
    try {
      return await work();
    } catch (error) {
      const event: RunEvent = { type: "turn-failed", failure: toFailure(error) };
      this.#services.observer.observe({ type: "run-event", run, event });
      await take([event]);
      return undefined;
    }
  }
}

/** Of a run that was left behind on its way, what its model has read since it was saved is not known. */
function endOfCancelled({ status }: RunRecord, state: RunState | undefined): RunEvent {
  const isClean = status === "waiting" && state !== undefined && !state.untrusted;
  return {
    ...{ type: "run-end", outcome: "cancelled", turns: state?.turn ?? 0 },
    ...(!isClean && { untrusted: true }),
  };
}

const NEVER = new AbortController().signal;

function createPendingInterruptEvents(open: readonly Interrupt[], turns: number): readonly RunEvent[] {
  const asked = open.flatMap((interrupt): RunEvent[] => [
    { type: "interrupt", interrupt },
    { type: "tool-call", call: toInterruptCall(interrupt) },
  ]);
  return [...asked, endWithoutUsage("tool_calls"), { type: "run-end", outcome: "awaiting-human", turns }];
}

// Validates decisions about interrupts and stores the first one for each.

import type { AuditRecorder } from "../agents/audit/AuditRecorder.ts";
import { findAskingRun } from "../agents/nested/nestedRequests.ts";
import type { Failure } from "../core/failures.ts";
import { PostelError } from "../core/failures.ts";
import { stringifySorted } from "../core/json/jsonObjectText.ts";
import type { Decision, GivenDecision, Interrupt, InterruptRecord } from "../core/runs/interrupts.ts";
import type { RunState } from "../core/runs/RunState.ts";
import type { InterruptStore } from "../core/stores/InterruptStore.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { RunStore } from "../core/stores/RunStore.ts";
import {
  createConflictingDecisionsError,
  createDecidedInterruptError,
  createExpiredInterruptError,
  createUnknownInterruptError,
  planChanged,
} from "./runFailures.ts";

/** Returns the failure of an invalid decision; undefined if it is valid. */
export type ValidateDecision = (state: RunState, interrupt: Interrupt, decision: Decision) => Failure | undefined;

/** Returns the interrupt with the plan that would run now; undefined if none would. */
export type RenewInterrupt = (state: RunState, interrupt: Interrupt) => Promise<Interrupt | undefined>;

export interface DecisionServiceOptions {
  readonly interrupts: InterruptStore;
  readonly runs: Pick<RunStore, "load">;
  readonly fault: ValidateDecision;
  readonly renewInterrupt: RenewInterrupt;
  /** Absent if there is no audit log. */
  readonly auditRecorder?: AuditRecorder | undefined;
}

/** An interrupt, with the state of its run. */
interface Asked {
  readonly interrupt: InterruptRecord;
  readonly state: RunState;
}

export class DecisionService {
  readonly #interrupts: InterruptStore;
  readonly #runs: DecisionServiceOptions["runs"];
  readonly #fault: ValidateDecision;
  readonly #renewInterrupt: RenewInterrupt;
  readonly #auditRecorder: AuditRecorder | undefined;

  constructor({ interrupts, runs, fault, renewInterrupt, auditRecorder }: DecisionServiceOptions) {
    this.#interrupts = interrupts;
    this.#runs = runs;
    this.#fault = fault;
    this.#renewInterrupt = renewInterrupt;
    this.#auditRecorder = auditRecorder;
  }

  /**
   * Stores decisions about the interrupts of one run, all or none, and returns the run's id. Equal decisions about one
   * interrupt count once.
   * @param decisions at least one.
   * @throws PostelError `interrupt_not_found`, `interrupt_expired`, `interrupt_decided`, `invalid_request`,
   * `decision_conflict`, `plan_mismatch` with the current plans, with which the interrupts are open from then on, and
   * `run_not_saved` if a decision could not be recorded.
   */
  async recordDecisions(owner: string, decisions: readonly GivenDecision[], decidedBy: string): Promise<string> {
    try {
      return await this.#recordAll(owner, removeDuplicates(decisions), decidedBy);
    } catch (error) {
      if (error instanceof PostelError)
        for (const { id, decision } of decisions)
          await this.#auditRecorder?.recordRefusal({ owner, id }, { decision, decidedBy }, error.failure.code);
      await this.auditDamage(owner, error);
      throw error;
    }
  }

  async #recordAll(owner: string, decisions: readonly GivenDecision[], decidedBy: string): Promise<string> {
    const askedDecisions: (GivenDecision & Asked)[] = [];
    for (const one of decisions) askedDecisions.push({ ...one, ...(await this.#loadAsked({ owner, id: one.id })) });
    await this.#check(owner, askedDecisions);
    for (const { id, decision, state, interrupt } of askedDecisions) {
      await this.#auditRecorder?.recordDecision({
        state: findAskingRun(state, id) ?? state,
        interrupt,
        decision,
        decidedBy,
      });
      const outcome = await this.#interrupts.decide({ owner, id }, decision, decidedBy);
      if (outcome !== "taken") throw createClosedError(id, outcome);
    }
    const [first] = askedDecisions;
    return first?.interrupt.run ?? "";
  }

  async #loadAsked(key: OwnerKey): Promise<Asked> {
    const interrupt = await this.#interrupts.get(key);
    if (!interrupt) throw createUnknownInterruptError(key.id);
    if (interrupt.status !== "open") throw createClosedError(key.id, interrupt.status);
    const savedRun = await this.#runs.load({ owner: key.owner, id: interrupt.run });
    if (!savedRun) throw createUnknownInterruptError(key.id);
    return { interrupt, state: savedRun.state };
  }

  /** @throws PostelError; if decisions name other plans, stores the current plans first. */
  async #check(owner: string, askedDecisions: readonly (GivenDecision & Asked)[]): Promise<void> {
    const renewedInterrupts: Interrupt[] = [];
    let mismatch: Failure | undefined;
    for (const { decision, state, interrupt } of askedDecisions) {
      const fault = this.#fault(state, interrupt, decision);
      if (fault && fault.code !== "plan_mismatch") throw new PostelError(fault);
      if (!fault) continue;
      mismatch ??= fault;
      const now = await this.#renewInterrupt(state, interrupt);
      if (now) renewedInterrupts.push(now);
    }
    if (!mismatch) return;
    for (const one of renewedInterrupts) await this.#interrupts.renew(owner, one);
    throw planChanged(mismatch, renewedInterrupts);
  }

  /**
   * One interrupt, open or not.
   * @throws PostelError `store_damaged`; the damage is then in the audit log, and the run is stuck.
   */
  async find(key: OwnerKey): Promise<InterruptRecord | undefined> {
    try {
      return await this.#interrupts.get(key);
    } catch (error) {
      await this.auditDamage(key.owner, error);
      const run = error instanceof PostelError ? error.failure.details?.run : undefined;
      if (typeof run === "string") await this.#runs.load({ owner: key.owner, id: run }).catch(() => undefined);
      throw error;
    }
  }

  /** Open interrupts of a run, in the order in which they opened. */
  async open(run: OwnerKey): Promise<readonly InterruptRecord[]> {
    return this.#interrupts.openOfRun(run);
  }

  /** Writes a damaged record of a run to the audit log, if the error reports one. */
  async auditDamage(owner: string, error: unknown): Promise<void> {
    const { code, details: { record, run } = {} } = error instanceof PostelError ? error.failure : {};
    if (code !== "store_damaged" || typeof record !== "string" || typeof run !== "string") return;
    await this.#auditRecorder?.damaged({ owner, id: run }, record);
  }

  /** All interrupts of a run, in the order in which they opened. */
  ofRun(run: OwnerKey): Promise<readonly InterruptRecord[]> {
    return this.#interrupts.ofRun(run);
  }
}

function createClosedError(id: string, state: "unknown" | "decided" | "cancelled" | "expired"): PostelError {
  if (state === "unknown") return createUnknownInterruptError(id);
  return state === "expired" ? createExpiredInterruptError(id) : createDecidedInterruptError(id, state);
}

/** @throws PostelError `decision_conflict`. */
function removeDuplicates(decisions: readonly GivenDecision[]): readonly GivenDecision[] {
  const first = new Map<string, GivenDecision>();
  for (const one of decisions) {
    const before = first.get(one.id);
    if (before && stringifySorted(before.decision) !== stringifySorted(one.decision))
      throw createConflictingDecisionsError(one.id);
    first.set(one.id, before ?? one);
  }
  return [...first.values()];
}

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
  readonly renewed: RenewInterrupt;
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
  readonly #renewed: RenewInterrupt;
  readonly #auditRecorder: AuditRecorder | undefined;

  constructor({ interrupts, runs, fault, renewed, auditRecorder }: DecisionServiceOptions) {
    this.#interrupts = interrupts;
    this.#runs = runs;
    this.#fault = fault;
    this.#renewed = renewed;
    this.#auditRecorder = auditRecorder;
  }

  /**
   * Stores decisions about the interrupts of one run, all or none, and returns the run's id. Equal decisions about one
   * interrupt count once.
   * @param given at least one.
   * @throws PostelError `interrupt_not_found`, `interrupt_expired`, `interrupt_decided`, `invalid_request`,
   * `decision_conflict`, `plan_mismatch` with the current plans, with which the interrupts are open from then on, and
   * `run_not_saved` if a decision could not be recorded.
   */
  async take(owner: string, given: readonly GivenDecision[], by: string): Promise<string> {
    try {
      return await this.#take(owner, withoutRepeats(given), by);
    } catch (error) {
      if (error instanceof PostelError)
        for (const { id, decision } of given)
          await this.#auditRecorder?.refused({ owner, id }, { decision, by }, error.failure.code);
      await this.tellDamage(owner, error);
      throw error;
    }
  }

  async #take(owner: string, given: readonly GivenDecision[], by: string): Promise<string> {
    const asked: (GivenDecision & Asked)[] = [];
    for (const one of given) asked.push({ ...one, ...(await this.#asked({ owner, id: one.id })) });
    await this.#check(owner, asked);
    for (const { id, decision, state, interrupt } of asked) {
      await this.#auditRecorder?.decided({ state: findAskingRun(state, id) ?? state, interrupt, decision, by });
      const outcome = await this.#interrupts.decide({ owner, id }, decision, by);
      if (outcome !== "taken") throw closed(id, outcome);
    }
    const [first] = asked;
    return first?.interrupt.run ?? "";
  }

  async #asked(key: OwnerKey): Promise<Asked> {
    const interrupt = await this.#interrupts.get(key);
    if (!interrupt) throw createUnknownInterruptError(key.id);
    if (interrupt.status !== "open") throw closed(key.id, interrupt.status);
    const saved = await this.#runs.load({ owner: key.owner, id: interrupt.run });
    if (!saved) throw createUnknownInterruptError(key.id);
    return { interrupt, state: saved.state };
  }

  /** @throws PostelError; if decisions name other plans, stores the current plans first. */
  async #check(owner: string, asked: readonly (GivenDecision & Asked)[]): Promise<void> {
    const renewed: Interrupt[] = [];
    let mismatch: Failure | undefined;
    for (const { decision, state, interrupt } of asked) {
      const fault = this.#fault(state, interrupt, decision);
      if (fault && fault.code !== "plan_mismatch") throw new PostelError(fault);
      if (!fault) continue;
      mismatch ??= fault;
      const now = await this.#renewed(state, interrupt);
      if (now) renewed.push(now);
    }
    if (!mismatch) return;
    for (const one of renewed) await this.#interrupts.renew(owner, one);
    throw planChanged(mismatch, renewed);
  }

  /**
   * One interrupt, open or not.
   * @throws PostelError `store_damaged`; the damage is then in the audit log, and the run is stuck.
   */
  async find(key: OwnerKey): Promise<InterruptRecord | undefined> {
    try {
      return await this.#interrupts.get(key);
    } catch (error) {
      await this.tellDamage(key.owner, error);
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
  async tellDamage(owner: string, error: unknown): Promise<void> {
    const { code, details: { record, run } = {} } = error instanceof PostelError ? error.failure : {};
    if (code !== "store_damaged" || typeof record !== "string" || typeof run !== "string") return;
    await this.#auditRecorder?.damaged({ owner, id: run }, record);
  }

  /** All interrupts of a run, in the order in which they opened. */
  ofRun(run: OwnerKey): Promise<readonly InterruptRecord[]> {
    return this.#interrupts.ofRun(run);
  }
}

function closed(id: string, how: "unknown" | "decided" | "cancelled" | "expired"): PostelError {
  if (how === "unknown") return createUnknownInterruptError(id);
  return how === "expired" ? createExpiredInterruptError(id) : createDecidedInterruptError(id, how);
}

/** @throws PostelError `decision_conflict`. */
function withoutRepeats(given: readonly GivenDecision[]): readonly GivenDecision[] {
  const first = new Map<string, GivenDecision>();
  for (const one of given) {
    const before = first.get(one.id);
    if (before && stringifySorted(before.decision) !== stringifySorted(one.decision))
      throw createConflictingDecisionsError(one.id);
    first.set(one.id, before ?? one);
  }
  return [...first.values()];
}

// People's words on what runs ask: each checked against what was asked, the first one written. Takes no run further.
import { askingRun } from "../agents/nestedRequests.ts";
import type { Witness } from "../agents/Witness.ts";
import type { Failure } from "../core/failures.ts";
import { PostelError } from "../core/failures.ts";
import type { Decision, Interrupt, InterruptRecord } from "../core/interrupts.ts";
import type { RunState } from "../core/run.ts";
import type { InterruptStore, OwnedKey, RunStore } from "../core/stores.ts";
import { decidedInterrupt, expiredInterrupt, unknownInterrupt } from "./runFailures.ts";

/** Why a decision counts for nothing; undefined where it does count. */
export type DecisionFault = (state: RunState, interrupt: Interrupt, decision: Decision) => Failure | undefined;

export interface DecisionsOptions {
  readonly interrupts: InterruptStore;
  readonly runs: Pick<RunStore, "load">;
  readonly fault: DecisionFault;
  /** Absent where nothing is recorded. */
  readonly witness?: Witness | undefined;
}

export class Decisions {
  readonly #interrupts: InterruptStore;
  readonly #runs: DecisionsOptions["runs"];
  readonly #fault: DecisionFault;
  readonly #witness: Witness | undefined;

  constructor({ interrupts, runs, fault, witness }: DecisionsOptions) {
    this.#interrupts = interrupts;
    this.#runs = runs;
    this.#fault = fault;
    this.#witness = witness;
  }

  /**
   * Writes what somebody says of an interrupt. Gives the interrupt as it was.
   * @throws PostelError `interrupt_not_found`, `interrupt_expired`, `interrupt_decided`, `plan_mismatch`, `invalid_request`,
   * `run_not_saved` where it could not be recorded.
   */
  async take(key: OwnedKey, decision: Decision, by: string): Promise<InterruptRecord> {
    try {
      return await this.#take(key, decision, by);
    } catch (error) {
      if (error instanceof PostelError) await this.#witness?.refused(key, { decision, by }, error.failure.code);
      throw error;
    }
  }

  async #take(key: OwnedKey, decision: Decision, by: string): Promise<InterruptRecord> {
    const interrupt = await this.#interrupts.get(key);
    if (!interrupt) throw unknownInterrupt(key.id);
    if (interrupt.status !== "open") throw closed(key.id, interrupt.status);
    const saved = await this.#runs.load({ owner: key.owner, id: interrupt.run });
    if (!saved) throw unknownInterrupt(key.id);
    const fault = this.#fault(saved.state, interrupt, decision);
    if (fault) throw new PostelError(fault);
    const state = askingRun(saved.state, key.id) ?? saved.state;
    await this.#witness?.decided({ state, interrupt, decision, by });
    const outcome = await this.#interrupts.decide(key, decision, by);
    if (outcome !== "taken") throw closed(key.id, outcome);
    return interrupt;
  }

  /** Those of a run that still wait for somebody, in the order in which they were asked. */
  async open(run: OwnedKey): Promise<readonly InterruptRecord[]> {
    return (await this.#interrupts.ofRun(run)).filter(({ status }) => status === "open");
  }

  /** All that was decided of a run, by the interrupts' ids. */
  async ofRun(run: OwnedKey): Promise<ReadonlyMap<string, Decision>> {
    const asked = await this.#interrupts.ofRun(run);
    return new Map(asked.flatMap(({ id, decision }) => (decision ? [[id, decision] as const] : [])));
  }
}

function closed(id: string, how: "unknown" | "decided" | "cancelled" | "expired"): PostelError {
  if (how === "unknown") return unknownInterrupt(id);
  return how === "expired" ? expiredInterrupt(id) : decidedInterrupt(id, how);
}

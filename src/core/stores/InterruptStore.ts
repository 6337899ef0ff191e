// Stores interrupts and their decisions.
import type { Decision, Interrupt, InterruptRecord } from "../runs/interrupts.ts";
import type { OwnerKey } from "./OwnerKey.ts";

/** Result of a decision: `taken`, or the reason why not. */
export type DecisionOutcome = "taken" | "unknown" | "decided" | "cancelled" | "expired";

export interface InterruptStore {
  get(key: OwnerKey): Promise<InterruptRecord | undefined>;
  /** All interrupts of a run, in the order in which they opened. @throws PostelError `store_damaged`. */
  ofRun(run: OwnerKey): Promise<readonly InterruptRecord[]>;
  /** Open and unexpired interrupts of a run, in the order in which they opened; damaged ones are left out. */
  openOfRun(run: OwnerKey): Promise<readonly InterruptRecord[]>;
  /** Open and unexpired interrupts of an owner, oldest first. */
  open(owner: string, limit: number): Promise<readonly InterruptRecord[]>;
  /** Stores a decision; only the first one counts. Resolves after it is synced to disk. @throws PostelError `store_damaged`. */
  decide(key: OwnerKey, decision: Decision, by: string): Promise<DecisionOutcome>;
  /** Replaces the open interrupt with the same id; returns false if it is no longer open. */
  renew(owner: string, interrupt: Interrupt): Promise<boolean>;
  /** Waiting runs of all owners without open interrupts, of which at least one expired undecided. */
  expired(limit: number): Promise<readonly OwnerKey[]>;
}

// Faults of an audit chain, and a bounded list of them.

/**
 * `changed`: the entry differs from what was written. `removed`: it is missing. `swapped`: it is at another entry's position.
 * `inserted`: an earlier entry has its number. `cut`: the chain ends before an earlier end. `erased`: its event is gone
 * without an erasure entry. `foreign-head`: a head names another entry at its position. `not-an-entry`: the line is no entry.
 * `repeated`: an effect that must not be repeated began again without a decision. `undecided`: a call that needed an approval
 * began without one.
 */
export type FaultKind =
  | "changed"
  | "removed"
  | "swapped"
  | "inserted"
  | "cut"
  | "erased"
  | "foreign-head"
  | "not-an-entry"
  | "repeated"
  | "undecided";

export interface ChainViolation {
  readonly kind: FaultKind;
  readonly seq: number;
  /** The last entry, if the fault covers several consecutive ones. */
  readonly to?: number | undefined;
  /** The fault, for a human reader. */
  readonly reason: string;
}

/** Further faults are counted only. */
const MOST = 1_000;

export class FaultList {
  readonly #faults: ChainViolation[] = [];
  #total = 0;

  add(kind: FaultKind, seq: number, reason: string, to = seq): void {
    this.#total += 1;
    if (this.#faults.length < MOST) this.#faults.push({ kind, seq, reason, ...(to > seq && { to }) });
  }

  sorted(): { readonly list: readonly ChainViolation[]; readonly total: number } {
    return { list: this.#faults.toSorted((a, b) => a.seq - b.seq), total: this.#total };
  }
}

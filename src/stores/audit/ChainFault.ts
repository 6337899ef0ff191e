// What can be wrong with a chain, and the list of it. Knows no entry.

/**
 * `changed`: an entry is not what was written; `removed`: it is missing; `swapped`: it stands in another's place; `inserted`: its number
 * stands there before; `cut`: the chain ends before where it ended once; `erased`: what it says is gone without leave; `foreign-head`: a
 * head names another one at its place; `not-an-entry`: something else stands there; `repeated`: an effect that may not be repeated began
 * once more, and nobody had decided so; `undecided`: a call that needed a person's decision began without one.
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
  /** The last one, where it is of several that follow each other. */
  readonly to?: number | undefined;
  /** For a person: what is wrong with it. */
  readonly why: string;
}

/** More are counted, and not told. */
const MOST = 1_000;

export class FaultList {
  readonly #faults: ChainViolation[] = [];
  #inAll = 0;

  add(kind: FaultKind, seq: number, why: string, to = seq): void {
    this.#inAll += 1;
    if (this.#faults.length < MOST) this.#faults.push({ kind, seq, why, ...(to > seq && { to }) });
  }

  sorted(): { readonly list: readonly ChainViolation[]; readonly inAll: number } {
    return { list: this.#faults.toSorted((a, b) => a.seq - b.seq), inAll: this.#inAll };
  }
}

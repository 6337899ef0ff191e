// Checks the order of audit entries: missing and moved entries, and the link of each to the one before.
import type { AuditEntry } from "../../core/audit/audit.ts";
import type { FaultList } from "./ChainFault.ts";
import type { CutEvent } from "./entryEvents.ts";

export type Placed = Pick<AuditEntry, "seq" | "at" | "previous" | "hash"> & { readonly isIntact: boolean };

interface Ends {
  /** First entry at its correct position. */
  readonly first: Placed | undefined;
  /** The one with the highest number. */
  readonly last: Placed | undefined;
}

/** Missing entries, and the hash that the next entry links to. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly next: Placed;
}

export class SequenceChecker {
  readonly #faults: FaultList;
  readonly #gaps: Gap[] = [];
  /** Numbers of moved entries. */
  readonly #elsewhere = new Set<number>();
  #first: Placed | undefined;
  /** Last entry at its correct position. */
  #last: Placed | undefined;
  #highest: Placed | undefined;
  /** An entry further along than expected. The next one shows if entries between are missing or it was moved. */
  #ahead: Placed | undefined;

  constructor(faults: FaultList) {
    this.#faults = faults;
  }

  /** The number of the entry that should come. */
  get next(): number {
    let next = (this.#last?.seq ?? 0) + 1;
    while (this.#elsewhere.has(next)) next += 1;
    return next;
  }

  take({ seq, at, previous, hash }: AuditEntry, isIntact: boolean): void {
    const placed = { seq, at, previous, hash, isIntact };
    if (seq > (this.#highest?.seq ?? 0)) this.#highest = placed;
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead && seq < ahead.seq) this.#tellElsewhere(ahead.seq);
    else if (ahead) this.#jump(ahead);
    const { next } = this;
    if (seq === next) this.#follow(placed);
    else if (seq > next) this.#ahead = placed;
    else if (this.#isMissing(seq)) this.#tellElsewhere(seq);
    else this.#faults.add("inserted", seq, "an entry of this number stands there before");
  }

  /** Ends the check. @param isPart true if entries before the first may be elsewhere */
  finish(cut: CutEvent | undefined, isPart: boolean): Ends {
    if (this.#ahead) this.#jump(this.#ahead);
    this.#ahead = undefined;
    for (const gap of this.#gaps) {
      if (gap.to === cut?.through && gap.next.isIntact && gap.next.previous !== cut.hash) {
        this.#faults.add("changed", gap.next.seq, "it was linked to another entry than the last one that was cut away");
      }
      if (!isPart || gap.from > 1) this.#tellMissing(Math.max(gap.from, (cut?.through ?? 0) + 1), gap.to);
    }
    return { first: this.#first, last: this.#highest };
  }

  #follow(placed: Placed): void {
    const last = this.#last;
    if (last?.seq === placed.seq - 1 && last.isIntact && placed.isIntact && placed.previous !== last.hash) {
      this.#faults.add("changed", last.seq, `entry ${placed.seq} was linked to another one`);
    }
    this.#first ??= placed;
    this.#last = placed;
  }

  #jump(placed: Placed): void {
    this.#gaps.push({ from: this.next, to: placed.seq - 1, next: placed });
    this.#follow(placed);
  }

  #isMissing(seq: number): boolean {
    return !this.#elsewhere.has(seq) && this.#gaps.some(({ from, to }) => from <= seq && seq <= to);
  }

  #tellElsewhere(seq: number): void {
    this.#elsewhere.add(seq);
    this.#faults.add("swapped", seq, `it stands behind entry ${this.#last?.seq ?? 0}`);
  }

  /** Moved entries are not missing. */
  #tellMissing(from: number, to: number): void {
    const among = [...this.#elsewhere].filter((seq) => from <= seq && seq <= to).sort((a, b) => a - b);
    let start = from;
    for (const seq of [...among, to + 1]) {
      if (start < seq) this.#faults.add("removed", start, "it is missing", seq - 1);
      start = seq + 1;
    }
  }
}

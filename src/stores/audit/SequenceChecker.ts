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
  readonly #misplacedSeqs = new Set<number>();
  #first: Placed | undefined;
  /** Last entry at its correct position. */
  #last: Placed | undefined;
  #highest: Placed | undefined;
  /** An entry further along than expected. The next one shows if entries between are missing or it was moved. */
  #pendingEntry: Placed | undefined;

  constructor(faults: FaultList) {
    this.#faults = faults;
  }

  /** The number of the entry that should come. */
  get next(): number {
    let next = (this.#last?.seq ?? 0) + 1;
    while (this.#misplacedSeqs.has(next)) next += 1;
    return next;
  }

  addEntry({ seq, at, previous, hash }: AuditEntry, isIntact: boolean): void {
    const entry = { seq, at, previous, hash, isIntact };
    if (seq > (this.#highest?.seq ?? 0)) this.#highest = entry;
    const pendingEntry = this.#pendingEntry;
    this.#pendingEntry = undefined;
    if (pendingEntry && seq < pendingEntry.seq) this.#reportMisplaced(pendingEntry.seq);
    else if (pendingEntry) this.#recordJump(pendingEntry);
    const { next } = this;
    if (seq === next) this.#continueSequence(entry);
    else if (seq > next) this.#pendingEntry = entry;
    else if (this.#isMissing(seq)) this.#reportMisplaced(seq);
    else this.#faults.add("inserted", seq, "an entry of this number stands there before");
  }

  /** Ends the check. @param isPart true if entries before the first may be elsewhere */
  finish(cut: CutEvent | undefined, isPart: boolean): Ends {
    if (this.#pendingEntry) this.#recordJump(this.#pendingEntry);
    this.#pendingEntry = undefined;
    for (const gap of this.#gaps) {
      if (gap.to === cut?.through && gap.next.isIntact && gap.next.previous !== cut.hash) {
        this.#faults.add("changed", gap.next.seq, "it was linked to another entry than the last one that was cut away");
      }
      if (!isPart || gap.from > 1) this.#reportMissing(Math.max(gap.from, (cut?.through ?? 0) + 1), gap.to);
    }
    return { first: this.#first, last: this.#highest };
  }

  #continueSequence(entry: Placed): void {
    const last = this.#last;
    if (last?.seq === entry.seq - 1 && last.isIntact && entry.isIntact && entry.previous !== last.hash) {
      this.#faults.add("changed", last.seq, `entry ${entry.seq} was linked to another one`);
    }
    this.#first ??= entry;
    this.#last = entry;
  }

  #recordJump(entry: Placed): void {
    this.#gaps.push({ from: this.next, to: entry.seq - 1, next: entry });
    this.#continueSequence(entry);
  }

  #isMissing(seq: number): boolean {
    return !this.#misplacedSeqs.has(seq) && this.#gaps.some(({ from, to }) => from <= seq && seq <= to);
  }

  #reportMisplaced(seq: number): void {
    this.#misplacedSeqs.add(seq);
    this.#faults.add("swapped", seq, `it stands behind entry ${this.#last?.seq ?? 0}`);
  }

  /** Moved entries are not missing. */
  #reportMissing(from: number, to: number): void {
    const misplaced = [...this.#misplacedSeqs].filter((seq) => from <= seq && seq <= to).sort((a, b) => a - b);
    let start = from;
    for (const seq of [...misplaced, to + 1]) {
      if (start < seq) this.#faults.add("removed", start, "it is missing", seq - 1);
      start = seq + 1;
    }
  }
}

// Verifies a chain of audit entries: the hash, position and link of each entry, and the recorded heads.
import type { AuditEntry, AuditHead } from "../../core/audit/audit.ts";
import type { KnownHead } from "../../core/audit/auditHead.ts";
import { CallVerifier } from "./CallVerifier.ts";
import { type ChainViolation, FaultList } from "./ChainFault.ts";
import { type CutEvent, parseEntryEvent } from "./entryEvents.ts";
import { computeEntryHash } from "./hashChain.ts";
import { type Placed, SequenceChecker } from "./SequenceChecker.ts";

export interface ChainCheckOptions {
  readonly heads?: readonly KnownHead[] | undefined;
  /** True if earlier entries may be elsewhere, such as in the previous file. */
  readonly isPart?: boolean | undefined;
}

export interface ChainReport {
  readonly entries: number;
  readonly first?: AuditHead | undefined;
  readonly head?: AuditHead | undefined;
  /** The cut entry at the beginning of the chain. */
  readonly cut?: CutEvent | undefined;
  /** Number of entries whose events were erased, by owner. */
  readonly erased: ReadonlyMap<string, number>;
  /** Faults in the order of their entries; at most the first thousand. */
  readonly faults: readonly ChainViolation[];
  readonly faultsInAll: number;
}

export class ChainVerifier {
  readonly #isPart: boolean;
  readonly #heads = new Map<number, readonly KnownHead[]>();
  readonly #faults = new FaultList();
  readonly #order: SequenceChecker;
  readonly #calls = new CallVerifier();
  /** Entries whose hash does not match their content at their position. */
  readonly #misplaced: AuditEntry[] = [];
  /** Numbers of empty entries that no erasure entry has covered yet. */
  readonly #emptied = new Set<number>();
  readonly #erased = new Map<string, number>();
  #cut: CutEvent | undefined;
  #entries = 0;

  constructor({ heads = [], isPart = false }: ChainCheckOptions = {}) {
    this.#isPart = isPart;
    this.#order = new SequenceChecker(this.#faults);
    for (const head of heads) this.#heads.set(head.seq, [...(this.#heads.get(head.seq) ?? []), head]);
  }

  /** Checks the next entry in file order. */
  addEntry(entry: AuditEntry): void {
    this.#entries += 1;
    const isIntact = computeEntryHash(entry) === entry.hash;
    if (isIntact) this.#checkEvent(entry);
    else this.#misplaced.push(entry);
    for (const head of this.#heads.get(entry.seq) ?? []) {
      if (head.hash !== entry.hash) this.#faults.add("foreign-head", entry.seq, FOREIGN);
    }
    this.#order.addEntry(entry, isIntact);
  }

  /** Reports a line that is no entry. @param place the position, for a human reader */
  addUnreadable(place: string): void {
    this.#faults.add("not-an-entry", this.#order.next, `${place} is no entry`);
  }

  report(): ChainReport {
    const { first, last } = this.#order.finish(this.#cut, this.#isPart);
    this.#tellMisplaced();
    for (const seq of this.#emptied) this.#faults.add("erased", seq, UNREPORTED_HEAD);
    // If earlier entries are missing, the decision may have been among them.
    const isWhole = first?.seq === 1;
    if (isWhole) for (const { seq, why } of this.#calls.undecided) this.#faults.add("undecided", seq, why);
    this.#compareHeads(first, last);
    const cut = this.#cut && first && first.seq > 1 && this.#cut.through >= first.seq - 1 ? this.#cut : undefined;
    const { list: faults, total: faultsInAll } = this.#faults.sorted();
    return { ...{ entries: this.#entries, first, head: last, cut }, erased: this.#erased, faults, faultsInAll };
  }

  #checkEvent(entry: AuditEntry): void {
    const event = parseEntryEvent(entry);
    switch (event.type) {
      case "changed":
        this.#faults.add("changed", entry.seq, event.reason);
        return;
      case "emptied":
        this.#emptied.add(entry.seq);
        return;
      case "erased":
        this.#cover(event.seqs);
        this.#erased.set(event.owner, (this.#erased.get(event.owner) ?? 0) + event.entries);
        return;
      case "cut":
        if (event.through >= (this.#cut?.through ?? 0)) this.#cut = event;
        return;
      case "said": {
        const why = this.#calls.take(entry.seq, event.event);
        if (why !== undefined) this.#faults.add("repeated", entry.seq, why);
        return;
      }
      default:
        event satisfies never;
    }
  }

  #cover(ranges: readonly (readonly [number, number])[]): void {
    for (const [from, to] of ranges) {
      // Iterates over the smaller set: a range may claim any length.
      if (to - from < this.#emptied.size) for (let seq = from; seq <= to; seq += 1) this.#emptied.delete(seq);
      else for (const seq of this.#emptied) if (seq >= from && seq <= to) this.#emptied.delete(seq);
    }
  }

  /** An entry that is intact except for its number was moved. */
  #tellMisplaced(): void {
    const compared = this.#misplaced.slice(0, MOST_COMPARED);
    for (const [i, entry] of this.#misplaced.entries()) {
      const from =
        i < MOST_COMPARED ? compared.find(({ seq }) => computeEntryHash({ ...entry, seq }) === entry.hash) : undefined;
      if (from) this.#faults.add("swapped", entry.seq, `here stands entry ${from.seq}`);
      else this.#faults.add("changed", entry.seq, "its hash is of something else");
    }
  }

  #compareHeads(first: Placed | undefined, last: Placed | undefined): void {
    const end = last?.seq ?? 0;
    let furthest = end;
    for (const seq of this.#heads.keys()) furthest = Math.max(furthest, seq);
    if (furthest > end) this.#faults.add("cut", end + 1, `a head that was told names entry ${furthest}`, furthest);
    for (const head of [...this.#heads.values()].flat())
      if (first && head.seq < first.seq) this.#compareGone(head, first);
  }

  /** Compares a head whose entry came before the first one. */
  #compareGone({ seq, hash, at }: KnownHead, first: Placed): void {
    if (seq === first.seq - 1 && hash !== first.previous) this.#faults.add("foreign-head", seq, FOREIGN);
    const isYoung = this.#cut && seq <= this.#cut.through && at !== undefined && at >= this.#cut.before;
    if (isYoung) this.#faults.add("removed", seq, "it was cut away, and was younger than what the cut says");
  }
}

/** Maximum number of moved entries that are compared pairwise. */
const MOST_COMPARED = 200;

const FOREIGN =
  "it is not the entry that the head names: the chain was written anew from before it (also after a backup was put back), or the head is another chain's";
const UNREPORTED_HEAD = "its event is gone, and no entry says that it was erased";
